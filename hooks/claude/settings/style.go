package settings

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// style is how a file is laid out, as far as our text has to fit in.
type style struct {
	eol    string
	unit   string // one step of indentation
	colon  string // between a name and its value
	inline bool   // everything on one line
}

// styleOf looks at the first members of the root: they are what the user sees as
// the file's style, whatever hides deeper.
func styleOf(d document) style {
	s := style{eol: "\n", unit: "  ", colon: ": "}
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		s.eol = "\r\n"
	}
	ms := members(d.root)
	if len(ms) == 0 {
		return s
	}
	s.inline = oneLine(d.text[d.root.StartOffset:d.root.EndOffset])
	if len(ms[0].Value.BeforeExtra) == 0 {
		s.colon = ":"
	}
	base := lineIndent(d.text, d.root.StartOffset)
	for _, m := range ms {
		step, ok := strings.CutPrefix(lineIndent(d.text, m.Name.StartOffset), base)
		if ok && step != "" && ownsLine(d.text, m.Name.StartOffset) {
			s.unit = step
			break
		}
	}
	return s
}

func oneLine(b []byte) bool {
	return bytes.IndexByte(b, '\n') < 0
}

// space is what follows a comma when everything is on one line.
func (s style) space() string {
	return strings.TrimPrefix(s.colon, ":")
}

func (s style) root(e Entry) string {
	return s.wrap("{", []string{s.hooks(e, s.unit)}, "}", "")
}

func (s style) hooks(e Entry, indent string) string {
	return s.pair("hooks", s.wrap("{", []string{s.event(e, indent+s.unit)}, "}", indent))
}

func (s style) event(e Entry, indent string) string {
	return s.pair(e.Event, s.wrap("[", []string{s.group(e, indent+s.unit)}, "]", indent))
}

func (s style) group(e Entry, indent string) string {
	var parts []string
	if e.Matcher != "" {
		parts = append(parts, s.pair("matcher", quote(e.Matcher)))
	}
	handler := s.handler(e, indent+s.unit+s.unit)
	parts = append(parts, s.pair("hooks", s.wrap("[", []string{handler}, "]", indent+s.unit)))
	return s.wrap("{", parts, "}", indent)
}

func (s style) handler(e Entry, indent string) string {
	parts := []string{
		s.pair("type", quote("command")),
		s.pair("command", quote(e.Command)),
		s.pair("args", s.args(e.Args)),
	}
	if e.Timeout > 0 {
		parts = append(parts, s.pair("timeout", strconv.Itoa(e.Timeout)))
	}
	if e.OnFailureBlock {
		parts = append(parts, s.pair("onFailure", quote("block")))
	}
	return s.wrap("{", parts, "}", indent)
}

// args stand on one line in every style: they read like a command line.
func (s style) args(args []string) string {
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = quote(a)
	}
	return "[" + strings.Join(quoted, ","+s.space()) + "]"
}

func (s style) pair(name, value string) string {
	return quote(name) + s.colon + value
}

// wrap lays parts out between brackets that stand at indent. This is the plain
// layout by which Uninstall knows a container of ours: see plain.
func (s style) wrap(open string, parts []string, end, indent string) string {
	if s.inline {
		return open + strings.Join(parts, ","+s.space()) + end
	}
	line := s.eol + indent
	return open + line + s.unit + strings.Join(parts, ","+line+s.unit) + line + end
}

// quote escapes only what JSON makes us escape: a path stays readable.
func quote(s string) string {
	return string(hujson.String(s))
}
