package settings

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"github.com/tailscale/hujson"
)

// A container is an object or an array whose items are edited in place, with the bytes
// between them. The comma behind an item is not among those bytes: the tree has one
// behind each item but the last, and behind that if what follows it is not nil.
type container struct {
	at     *hujson.Value
	object *hujson.Object
	array  *hujson.Array
}

func containerOf(v *hujson.Value) container {
	c := container{at: v}
	c.object, _ = v.Value.(*hujson.Object)
	c.array, _ = v.Value.(*hujson.Array)
	return c
}

func (c container) countItems() int {
	if c.object != nil {
		return len(c.object.Members)
	}
	return len(c.array.Elements)
}

// beforeItem is what stands before an item, after what stands between it and its comma.
func (c container) beforeItem(i int) *hujson.Extra {
	if c.object != nil {
		return &c.object.Members[i].Name.BeforeExtra
	}
	return &c.array.Elements[i].BeforeExtra
}

func (c container) afterItem(i int) *hujson.Extra {
	if c.object != nil {
		return &c.object.Members[i].Value.AfterExtra
	}
	return &c.array.Elements[i].AfterExtra
}

// beforeEnd is what stands before the closing bracket.
func (c container) beforeEnd() *hujson.Extra {
	if c.object != nil {
		return &c.object.AfterExtra
	}
	return &c.array.AfterExtra
}

// appendItem appends an item that we rendered.
func (c container) appendItem(before, text string) {
	if c.object != nil {
		m := members(mustParse("{" + text + "}"))[0]
		m.Name.BeforeExtra = hujson.Extra(before)
		c.object.Members = append(c.object.Members, m)
		return
	}
	v := *mustParse(text)
	v.BeforeExtra = hujson.Extra(before)
	c.array.Elements = append(c.array.Elements, v)
}

func (c container) deleteItem(i int) {
	if c.object != nil {
		c.object.Members = slices.Delete(c.object.Members, i, i+1)
		return
	}
	c.array.Elements = slices.Delete(c.array.Elements, i, i+1)
}

// mustParse parses what we rendered.
func mustParse(text string) *hujson.Value {
	v, err := hujson.Parse([]byte(text))
	if err != nil {
		panic("rendered text is not JSON: " + err.Error())
	}
	return &v
}

// isPlain reports whether the container holds one item in the layout of style.wrap, and
// nothing of a person's: Install made it.
func (c container) isPlain() bool {
	if c.countItems() != 1 {
		return false
	}
	before, after := *c.beforeItem(0), *c.beforeEnd()
	if !isBlank(before) || !isBlank(after) {
		return false
	}
	if isOneLine(before) {
		return len(before) == 0 && len(after) == 0
	}
	return bytes.Count(before, []byte("\n")) == 1 && bytes.Count(after, []byte("\n")) == 1
}

// A render prints an item that begins at an indentation.
type render func(s style, indent string) string

// insertItem puts an item behind the others. A trailing comma stays one. text is what the
// offsets of the tree count in.
func (c container) insertItem(text []byte, s style, body render) {
	end, n := c.beforeEnd(), c.countItems()
	at, _ := lastComment(*end)
	comments, rest := string((*end)[:at]), string((*end)[at:])
	if n > 0 {
		s.inline = isOneLine(text[c.at.StartOffset:c.at.EndOffset])
		indent := c.itemIndent(text, s)
		lead := s.eol + indent
		if s.inline {
			lead = s.commaSpace()
		}
		trailing := *c.afterItem(n - 1) != nil
		c.appendItem(comments+lead, body(s, indent))
		*end = hujson.Extra(rest)
		if trailing {
			*c.afterItem(n) = hujson.Extra{}
		}
		return
	}
	// The container stood there, empty, before us. The space, or the blank line, tells
	// that to isPlain; and where we add a line for the bracket, to remove.
	if s.inline {
		c.appendItem(comments+" ", body(s, ""))
		*end = hujson.Extra(rest)
		return
	}
	base := lineIndent(text, c.at.StartOffset+1)
	indent := base + s.unit
	c.appendItem(comments+s.eol+s.eol+indent, body(s, indent))
	*end = hujson.Extra(s.eol + base + rest)
}

// itemIndent is that of the last item that begins a line, else one step more than the bracket's.
func (c container) itemIndent(text []byte, s style) string {
	for i := c.countItems() - 1; i >= 0; i-- {
		before := *c.beforeItem(i)
		if at := bytes.LastIndexByte(before, '\n') + 1; at > 0 && isBlank(before[at:]) {
			return leadingBlanks(before[at:])
		}
	}
	return lineIndent(text, c.at.StartOffset+1) + s.unit
}

// removeItem takes an item out, with the comma and the whitespace that insert wrote for it.
// Comments around it stay.
func (c container) removeItem(text []byte, i int) {
	before, after, last := *c.beforeItem(i), *c.afterItem(i), i == c.countItems()-1
	next := c.beforeEnd()
	if !last {
		next = c.beforeItem(i + 1)
	}
	var kept hujson.Extra
	switch at, isLine := lastComment(before); {
	case i == 0 && !last && isBlank(after) && isBlank(*next):
		// What stands before the item tells how it was inserted, and has to hold for the next.
		kept, *next = before, nil
	case i == 0 && !last:
		kept = slices.Concat(before, after)
	default:
		kept = bytes.Clone(before[:at])
		if after != nil && !isBlank(after) {
			kept = append(kept, after...)
		}
		if i == 0 && after == nil {
			*next = (*next)[c.fillerLength(text, before[at:]):]
		}
		follows := append(slices.Clone(kept[at:]), *next...)
		if isLine && lineEnd(bytes.TrimLeft(follows, "\r")) == "" { // or the comment would go on
			kept = append(kept[:at:at], append([]byte(lineEnd(bytes.TrimLeft(before[at:], "\r"))), kept[at:]...)...)
		}
		if last && after == nil && i > 0 { // the comma before it goes, what stood there stays
			kept = slices.Concat(*c.afterItem(i - 1), kept)
			*c.afterItem(i - 1) = nil
		} else if last && i > 0 {
			*c.afterItem(i - 1) = append(hujson.Extra{}, *c.afterItem(i - 1)...)
		}
	}
	*next = slices.Concat(kept, *next)
	c.deleteItem(i)
}

// fillerLength is the length of what insert wrote behind the only item, before which lead stands.
func (c container) fillerLength(text, lead []byte) int {
	if bytes.Count(lead, []byte("\n")) != 2 {
		return 0
	}
	behind := *c.beforeEnd()
	want := lineEnd(behind) + lineIndent(text, c.at.StartOffset+1)
	if !isOneLine([]byte(want)) && bytes.HasPrefix(behind, []byte(want)) {
		return len(want)
	}
	return 0
}

func isOneLine(b []byte) bool { return bytes.IndexByte(b, '\n') < 0 }

// lineEnd is the line end at the start of b, "" if there is none.
func lineEnd(b []byte) string {
	for _, eol := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(b, []byte(eol)) {
			return eol
		}
	}
	return ""
}

// lineIndent is the whitespace at the start of the line that an offset is in.
func lineIndent(text []byte, offset int) string {
	return leadingBlanks(text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset])
}

func leadingBlanks(b []byte) string { return string(b[:len(b)-len(bytes.TrimLeft(b, " \t"))]) }

// A style is how a file is laid out, as far as our text has to fit in.
type style struct {
	eol    string
	unit   string // one step of indentation
	colon  string // between a name and its value
	inline bool   // everything on one line
	format Format
}

// styleOf looks at the first members of the root, which a person sees as the file's style.
func styleOf(d document) style {
	s := style{eol: "\n", unit: "  ", colon: ": ", format: d.format}
	if i := bytes.IndexByte(d.text, '\n'); i > 0 && d.text[i-1] == '\r' {
		s.eol = "\r\n"
	}
	ms := members(d.root)
	if len(ms) == 0 {
		return s
	}
	s.inline = isOneLine(d.text[d.root.StartOffset:d.root.EndOffset])
	if len(ms[0].Value.BeforeExtra) == 0 {
		s.colon = ":"
	}
	base := lineIndent(d.text, d.root.StartOffset)
	for _, m := range ms {
		before := m.Name.BeforeExtra
		at := bytes.LastIndexByte(before, '\n') + 1
		step, ok := strings.CutPrefix(leadingBlanks(before[at:]), base)
		if ok && step != "" && at > 0 && isBlank(before[at:]) {
			s.unit = step
			break
		}
	}
	return s
}

// commaSpace is what follows a comma when everything is on one line.
func (s style) commaSpace() string { return strings.TrimPrefix(s.colon, ":") }

func (s style) renderRoot(e Entry) string {
	return s.renderBlock("{", []string{s.renderHooks(e, s.unit)}, "}", "")
}

func (s style) renderHooks(e Entry, indent string) string {
	return s.renderPair("hooks", s.renderBlock("{", []string{s.renderEvent(e, indent+s.unit)}, "}", indent))
}

func (s style) renderEvent(e Entry, indent string) string {
	return s.renderPair(e.Event, s.renderBlock("[", []string{s.renderGroup(e, indent+s.unit)}, "]", indent))
}

func (s style) renderGroup(e Entry, indent string) string {
	var parts []string
	if e.Matcher != "" {
		parts = append(parts, s.renderPair("matcher", quote(e.Matcher)))
	}
	handler := s.renderHandler(e, indent+s.unit+s.unit)
	parts = append(parts, s.renderPair("hooks", s.renderBlock("[", []string{handler}, "]", indent+s.unit)))
	return s.renderBlock("{", parts, "}", indent)
}

// renderHandler keeps the arguments on one line in every style: they read like a command line.
func (s style) renderHandler(e Entry, indent string) string {
	args := make([]string, len(e.Args))
	for i, a := range e.Args {
		args[i] = quote(a)
	}
	parts := []string{s.renderPair("type", quote("command"))}
	switch {
	case s.format.Shell:
		parts = append(parts, s.renderPair("command", quote(e.Line())))
	case e.Args == nil:
		parts = append(parts, s.renderPair("command", quote(e.Command)))
	default:
		parts = append(parts, s.renderPair("command", quote(e.Command)),
			s.renderPair("args", "["+strings.Join(args, ","+s.commaSpace())+"]"))
	}
	if e.Timeout > 0 {
		timeout := e.Timeout
		if s.format.Millis {
			timeout *= 1000
		}
		parts = append(parts, s.renderPair("timeout", strconv.Itoa(timeout)))
	}
	if e.OnFailureBlock {
		parts = append(parts, s.renderPair("onFailure", quote("block")))
	}
	return s.renderBlock("{", parts, "}", indent)
}

func (s style) renderPair(name, value string) string { return quote(name) + s.colon + value }

// renderBlock lays parts out between brackets that stand at indent. This is the plain layout by
// which Uninstall knows a container of ours: see isPlain.
func (s style) renderBlock(open string, parts []string, end, indent string) string {
	if s.inline {
		return open + strings.Join(parts, ","+s.commaSpace()) + end
	}
	line := s.eol + indent
	return open + line + s.unit + strings.Join(parts, ","+line+s.unit) + line + end
}

// quote escapes only what JSON makes us escape: a path stays readable.
func quote(s string) string { return string(hujson.String(s)) }
