package settings

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxDepth is far beyond any settings file, and far below where the parser's recursion
// would overflow the stack.
const maxDepth = 1000

// byteOrderMark is kept in place: the clients skip it, the parser does not.
const byteOrderMark = "\ufeff"

// A document is a parsed settings file.
type document struct {
	bom  []byte
	text []byte        // as it was read, behind the byte order mark; all offsets count in it
	root *hujson.Value // an object; nil when text is blank
	// How the file is laid out, as far as our text has to fit in.
	eol  string
	unit string // one step of indentation
	gap  string // between a name and its value, and after a comma on a line
}

// parse refuses a file that has one of some names twice at the top.
func parse(src []byte, unique ...string) (document, error) {
	text := bytes.TrimPrefix(src, []byte(byteOrderMark))
	d := document{bom: src[:len(src)-len(text)], text: text, eol: "\n", unit: "  ", gap: " "}
	if isBlank(text) {
		return d, nil
	}
	if at := FindDeeper(text, maxDepth); at >= 0 {
		return d, d.errorAt(at, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	v, err := hujson.Parse(text)
	if err != nil { // whose message alone has the position
		var line, col int
		if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &col); scanErr != nil {
			return d, err
		}
		at := 0
		for range line - 1 {
			at += bytes.IndexByte(text[at:], '\n') + 1
		}
		return d, d.errorAt(min(at+col-1, len(text)), cmp.Or(errors.Unwrap(err), err).Error())
	}
	d.root = &v
	if bytes.Contains(text, []byte("\r\n")) {
		d.eol = "\r\n"
	}
	if ms := members(d.root); len(ms) > 0 {
		if len(ms[0].Value.BeforeExtra) == 0 {
			d.gap = ""
		}
		d.unit = cmp.Or(lineIndent(text, ms[0].Name.StartOffset), d.unit)
	}
	err = d.checkKind("the settings", &v, '{')
	if err == nil && len(unique) > 0 {
		err = d.checkUnique(d.root, unique...)
	}
	return d, err
}

func (d document) bytes() []byte {
	if d.root == nil {
		return slices.Concat(d.bom, d.text)
	}
	return slices.Concat(d.bom, d.root.Pack())
}

// errorAt says where the file is not what it has to be: line and column count from 1, the
// column in characters.
func (d document) errorAt(offset int, msg string) error {
	before := d.text[:offset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return fmt.Errorf("line %d, column %d: %s", 1+bytes.Count(before, []byte("\n")), 1+utf8.RuneCount(line), msg)
}

// checkUnique refuses an object that has one of some names twice, or any where none are given.
func (d document) checkUnique(v *hujson.Value, names ...string) error {
	seen := map[string]bool{}
	for _, m := range members(v) {
		name := nameOf(m)
		if seen[name] && (len(names) == 0 || slices.Contains(names, name)) {
			return d.errorAt(m.Name.StartOffset, fmt.Sprintf("%q occurs twice", name))
		}
		seen[name] = true
	}
	return nil
}

// checkKind refuses a value that is there and of another kind.
func (d document) checkKind(what string, v *hujson.Value, kind hujson.Kind) error {
	if v == nil || v.Value.Kind() == kind {
		return nil
	}
	kinds := map[hujson.Kind]string{'{': "an object", '[': "an array", '"': "a string", '0': "a number", 'n': "null",
		't': "a boolean", 'f': "a boolean"}
	return d.errorAt(v.StartOffset, fmt.Sprintf("%s: found %s, expected %s", what, kinds[v.Value.Kind()], kinds[kind]))
}

// members are those of an object; anything else has none.
func members(v *hujson.Value) []hujson.ObjectMember {
	if kindOf(v) != '{' {
		return nil
	}
	return v.Value.(*hujson.Object).Members
}

// elements are those of an array; anything else has none.
func elements(v *hujson.Value) []hujson.Value {
	if kindOf(v) != '[' {
		return nil
	}
	return v.Value.(*hujson.Array).Elements
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// countingMembers are the members of an object that count: of two with the same name the last.
func countingMembers(v *hujson.Value) (out []hujson.ObjectMember) {
	last := map[string]int{}
	for i, m := range members(v) {
		last[nameOf(m)] = i
	}
	for i, m := range members(v) {
		if i == last[nameOf(m)] {
			out = append(out, m)
		}
	}
	return out
}

// value is what stands at a path of names, or nil.
func value(v *hujson.Value, names ...string) *hujson.Value {
	for _, name := range names {
		ms := members(v)
		v = nil
		for i := range ms { // the last counts
			if nameOf(ms[i]) == name {
				v = &ms[i].Value
			}
		}
	}
	return v
}

// kindOf is 0 for nothing.
func kindOf(v *hujson.Value) hujson.Kind {
	if v == nil {
		return 0
	}
	return v.Value.Kind()
}

func (d document) isTrue(name string) bool { return kindOf(value(d.root, name)) == 't' }

// stringIn is the content of a string; false for anything else.
func stringIn(v *hujson.Value) (string, bool) {
	if kindOf(v) != '"' {
		return "", false
	}
	return v.Value.(hujson.Literal).String(), true
}

// stringsIn is nil unless v is an array of strings.
func stringsIn(v *hujson.Value) (all []string) {
	for _, e := range elements(v) {
		s, ok := stringIn(&e)
		if !ok {
			return nil
		}
		all = append(all, s)
	}
	return all
}

// numberIn is the value of a number; false for anything else.
func numberIn(v *hujson.Value) (float64, bool) {
	if kindOf(v) != '0' {
		return 0, false
	}
	return v.Value.(hujson.Literal).Float(), true
}

func isBlank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }

// FindDeeper is where brackets nest deeper than a limit, or -1. A parser that recurses must not
// be given such a text. It may be broken: it is enough to skip strings and comments.
func FindDeeper(text []byte, limit int) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			i += max(commentAt(text[i:])-1, 0)
		case '{', '[':
			if depth++; depth > limit {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// commentAt is the length of the comment at the start of b, 0 if there is none. The end of
// its line is not part of a line comment.
func commentAt(b []byte) int {
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		line, _, _ := bytes.Cut(b, []byte("\n"))
		return len(bytes.TrimRight(line, "\r"))
	case bytes.HasPrefix(b, []byte("/*")):
		inside, _, isClosed := bytes.Cut(b[2:], []byte("*/"))
		if !isClosed {
			return len(b)
		}
		return len(inside) + 4
	}
	return 0
}

// lastComment is the end of the last comment between two values, 0 if there is none.
func lastComment(gap []byte) (end int) {
	for i := 0; i < len(gap); i++ {
		if n := commentAt(gap[i:]); n > 0 {
			i += n
			end = i
		}
	}
	return end
}

// isOneLine reports whether a container holds something, and all of it on one line.
func isOneLine(v *hujson.Value) bool {
	last, _, _ := lastOf(v)
	return last != nil && !bytes.Contains(hujson.Value{Value: v.Value}.Pack(), []byte("\n"))
}

// lineIndent is the whitespace at the start of the line that an offset is in.
func lineIndent(text []byte, offset int) string {
	line := text[bytes.LastIndexByte(text[:offset], '\n')+1 : offset]
	return string(line[:len(line)-len(bytes.TrimLeft(line, " \t"))])
}
