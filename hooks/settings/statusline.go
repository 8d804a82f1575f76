package settings

import (
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// A settings file has one status line: a command that the client gives to a shell. Ours is
// recognized by that command. One that a person wrote stays theirs, even if it runs us.

const statusKey = "statusLine"

// StatusCommand is the shell line that prints our status line. It is written in one way
// only, by which it is recognized.
func StatusCommand(binary string) string { return quoteWord(binary) + " statusline" }

// isOurStatus reports whether StatusCommand wrote a command.
func isOurStatus(command string) bool {
	binary, ok := strings.CutSuffix(command, " statusline")
	if !ok {
		return false
	}
	if strings.HasPrefix(binary, "'") {
		binary = strings.ReplaceAll(strings.TrimSuffix(binary[1:], "'"), `'\''`, "'")
	}
	name := binary[strings.LastIndexAny(binary, `/\`)+1:]
	return (name == "pipeline" || name == "pipeline.exe") && StatusCommand(binary) == command
}

// StatusLine is the status line of a settings file: the command, or what else stands there,
// and whether it is ours. Both are empty where there is none. Of a key that is written
// twice the last counts, as for the client.
func StatusLine(src []byte) (what string, ours bool, err error) {
	d, err := parse(src)
	if err != nil {
		return "", false, err
	}
	v := value(d.root, statusKey)
	if v == nil {
		return "", false, nil
	}
	if c := statusCommand(v); c != nil {
		text, _ := stringIn(c)
		return text, isOurStatus(text), nil
	}
	return string(v.Pack()), false, nil
}

// statusCommand is where the command of a status line stands, nil if it has none.
func statusCommand(v *hujson.Value) *hujson.Value {
	kind, _ := stringIn(value(v, "type"))
	command := value(v, "command")
	if _, ok := stringIn(command); !ok || kind != "command" {
		return nil
	}
	return command
}

// InstallStatusLine returns src with our status line. One that is ours gets the new
// command, and keeps what a person has set beside it. One that is not ours stays, unless
// replace is set; kept is then what it is. A src of no bytes is a file that does not exist.
func InstallStatusLine(src []byte, binary string, replace bool) (out []byte, kept string, err error) {
	command := StatusCommand(binary)
	if !isOurStatus(command) {
		return nil, "", fmt.Errorf("status line: %q would not be recognized as ours", command)
	}
	what, ours, err := StatusLine(src)
	if err != nil {
		return nil, "", err
	}
	if what != "" && !ours && !replace {
		return src, what, nil
	}
	d, err := parse(src)
	if err != nil {
		return nil, "", err
	}
	if all := d.statusLines(); len(all) > 1 {
		return nil, "", d.errorAt(members(d.root)[all[1]].Name.StartOffset, `"statusLine" occurs twice`)
	}
	s, there := styleOf(d), value(d.root, statusKey)
	switch {
	case d.root == nil:
		d, err = d.withText(s.renderBlock("{", []string{s.renderStatusMember(command, s.unit)}, "}", "") + s.eol)
	case there == nil:
		containerOf(d.root).insertItem(d.text, s, func(s style, indent string) string {
			return s.renderStatusMember(command,
				indent)
		})
	case ours:
		statusCommand(there).Value = hujson.String(command)
	default:
		s.inline = isOneLine(d.text[there.StartOffset:there.EndOffset])
		there.Value = mustParse(s.renderStatus(command, lineIndent(d.text, there.StartOffset))).Value
	}
	return d.bytes(), "", err
}

func (s style) renderStatusMember(command, indent string) string {
	return s.renderPair(statusKey, s.renderStatus(command, indent))
}

func (s style) renderStatus(command, indent string) string {
	return s.renderBlock("{", []string{s.renderPair("type", quote("command")), s.renderPair("command", quote(command)),
		s.renderPair("padding", "0"), s.renderPair("refreshInterval", refreshSeconds)}, "}", indent)
}

// refreshSeconds is how often the client draws the line without a message (2.1.197 and
// 2.1.329 take whole seconds). A person's command answers without a message, and changes it.
const refreshSeconds = "2"

// statusLines are the indices of the members of that name.
func (d document) statusLines() (out []int) {
	for i, m := range members(d.root) {
		if nameOf(m) == statusKey {
			out = append(out, i)
		}
	}
	return out
}

// findStatusLine is the last of the members that are a status line of ours, -1 for none.
func (d document) findStatusLine() int {
	last := -1
	for _, i := range d.statusLines() {
		if c := statusCommand(&members(d.root)[i].Value); c != nil {
			if text, _ := stringIn(c); isOurStatus(text) {
				last = i
			}
		}
	}
	return last
}
