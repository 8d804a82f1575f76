package settings

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/tailscale/hujson"
)

// A settings file has one status line: a command that the client gives to a shell. Ours is known by that command, so
// that one which a person wrote stays theirs, even where it runs us among other things.

const statusKey = "statusLine"

// StatusCommand is the shell line that prints our status line. It is written in one way only, by which it is known again.
func StatusCommand(binary string) string { return shellWord(binary) + " statusline" }

// shellWord quotes a word for sh(1) where it has to be quoted.
func shellWord(s string) string {
	const safe = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./+:@%"
	if s != "" && strings.Trim(s, safe) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ourStatus reports whether a command is one that StatusCommand wrote.
func ourStatus(command string) bool {
	word, ok := strings.CutSuffix(command, " statusline")
	if !ok {
		return false
	}
	binary := word
	if strings.HasPrefix(word, "'") {
		binary = strings.ReplaceAll(strings.TrimSuffix(word[1:], "'"), `'\''`, "'")
	}
	name := binary[strings.LastIndexAny(binary, `/\`)+1:]
	return (name == "pipeline" || name == "pipeline.exe") && StatusCommand(binary) == command
}

// StatusLine is the status line that a settings file has: the command, or what else stands there, and whether it is ours.
// Both are empty where there is none. Of a key that is written twice the last counts, as for the client.
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
		return text, ourStatus(text), nil
	}
	return string(v.Pack()), false, nil
}

// statusCommand is where the command of a status line stands; nil where it has none.
func statusCommand(v *hujson.Value) *hujson.Value {
	kind, _ := stringIn(value(v, "type"))
	command := value(v, "command")
	if _, ok := stringIn(command); !ok || kind != "command" {
		return nil
	}
	return command
}

// InstallStatusLine returns src with our status line, and says which stood there before and is no more. One that is ours
// is brought up to date in its command, and keeps what a person has set beside it. One that is not ours stays, unless
// replace says otherwise; kept is then what it is. A src of no bytes is a file that does not exist.
func InstallStatusLine(src []byte, binary string, replace bool) (out []byte, kept string, err error) {
	command := StatusCommand(binary)
	if !ourStatus(command) {
		return nil, "", fmt.Errorf("status line: %q would not be known as ours", command)
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
	if counts := d.statusLines(); len(counts) > 1 {
		return nil, "", d.errorAt(members(d.root)[counts[1]].Name.StartOffset, `"statusLine" is here for the second time`)
	}
	d.text = d.putStatus(command, ours)
	return d.bytes(), "", nil
}

// putStatus writes the status line where it stands, or behind all else.
func (d document) putStatus(command string, ours bool) []byte {
	s := styleOf(d)
	there := value(d.root, statusKey)
	switch {
	case d.root == nil:
		return append(bytes.Clone(d.text), s.wrap("{", []string{s.status(command, s.unit)}, "}", "")+s.eol...)
	case there == nil:
		return containerOf(d.root).insert(d.text, s, func(s style, indent string) string { return s.status(command, indent) })
	case ours:
		c := statusCommand(there)
		return splice(d.text, edit{c.StartOffset, c.EndOffset, quote(command)})
	}
	s.inline = oneLine(d.text[there.StartOffset:there.EndOffset])
	return splice(d.text, edit{there.StartOffset, there.EndOffset, s.statusBody(command, lineIndent(d.text, there.StartOffset))})
}

func (s style) status(command, indent string) string {
	return s.pair(statusKey, s.statusBody(command, indent))
}

func (s style) statusBody(command, indent string) string {
	return s.wrap("{", []string{s.pair("type", quote("command")), s.pair("command", quote(command)), s.pair("padding", "0")}, "}", indent)
}

// statusLines are the places of the members of that name.
func (d document) statusLines() (out []int) {
	for i, m := range members(d.root) {
		if nameOf(m) == statusKey {
			out = append(out, i)
		}
	}
	return out
}

// ourStatusLine is the last of the members that are a status line of ours, -1 for none.
func (d document) ourStatusLine() int {
	last := -1
	for _, i := range d.statusLines() {
		if c := statusCommand(&members(d.root)[i].Value); c != nil {
			if text, _ := stringIn(c); ourStatus(text) {
				last = i
			}
		}
	}
	return last
}

// removeMember takes a member of the root out, and with it the file where Install made it.
func (d document) removeMember(i int) []byte {
	root := containerOf(d.root)
	if d.made(root) {
		return bytes.Clone(d.text[:d.root.StartOffset])
	}
	return root.remove(d.text, i)
}
