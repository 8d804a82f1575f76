package settings

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// SyntaxError says where a settings file is not what it has to be. Line and Col count
// from 1, Col in characters.
type SyntaxError struct {
	Line, Col int
	Msg       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Msg)
}

// maxDepth is far beyond any settings file, and far below where the parser's recursion
// would overflow the stack.
const maxDepth = 1000

// byteOrderMark is kept in place: the clients skip it, the parser does not.
const byteOrderMark = "\ufeff"

// A document is a parsed settings file. An edit changes the tree, which keeps every byte
// between two values; the offsets hold until reparse.
type document struct {
	format Format
	bom    []byte
	text   []byte        // behind the byte order mark; all offsets count in it
	root   *hujson.Value // an object; nil when text is blank
}

func parse(src []byte) (document, error) { return Format{}.parse(src) }

func (f Format) parse(src []byte) (document, error) {
	text := bytes.TrimPrefix(src, []byte(byteOrderMark))
	d := document{format: f, bom: src[:len(src)-len(text)], text: text}
	if isBlank(text) {
		return d, nil
	}
	if at := findDeeper(text, maxDepth); at >= 0 {
		return d, d.errorAt(at, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	v, err := hujson.Parse(text)
	if err != nil {
		return d, d.syntaxError(err)
	}
	if v.Value.Kind() != '{' {
		return d, d.errorAt(v.StartOffset, describeMismatch("the settings", v, "an object"))
	}
	d.root = &v
	return d, nil
}

// bytes is the file as the tree has it.
func (d document) bytes() []byte {
	if d.root == nil {
		return append(bytes.Clone(d.bom), d.text...)
	}
	return append(bytes.Clone(d.bom), d.root.Pack()...)
}

func (d document) reparse() (document, error) { return d.format.parse(d.bytes()) }

// syntaxError takes the position out of the parser's message, the only place that has it.
func (d document) syntaxError(err error) *SyntaxError {
	var line, col int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &col); scanErr != nil {
		return &SyntaxError{Line: 1, Col: 1, Msg: err.Error()}
	}
	at := 0
	for range line - 1 {
		at += bytes.IndexByte(d.text[at:], '\n') + 1
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner
	}
	return d.errorAt(min(at+col-1, len(d.text)), err.Error())
}

func (d document) errorAt(offset int, msg string) *SyntaxError {
	before := d.text[:offset]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &SyntaxError{Line: 1 + bytes.Count(before, []byte("\n")), Col: 1 + utf8.RuneCount(line), Msg: msg}
}

// checkWritable refuses a file in which it is in doubt what counts: a container of another
// type, or one that is there twice.
func (d document) checkWritable() error {
	var hooks *hujson.Value
	for _, m := range members(d.root) {
		if nameOf(m) != "hooks" {
			continue
		}
		if hooks != nil {
			return d.errorAt(m.Name.StartOffset, `"hooks" occurs twice`)
		}
		hooks = &m.Value
		if hooks.Value.Kind() != '{' {
			return d.errorAt(hooks.StartOffset, describeMismatch("hooks", *hooks, "an object"))
		}
	}
	seen := map[string]bool{}
	for _, m := range members(hooks) {
		event := nameOf(m)
		if seen[event] {
			return d.errorAt(m.Name.StartOffset, fmt.Sprintf("%q occurs twice", event))
		}
		seen[event] = true
		if m.Value.Value.Kind() != '[' {
			return d.errorAt(m.Value.StartOffset, describeMismatch("hooks."+event, m.Value, "an array"))
		}
	}
	return nil
}

func describeMismatch(what string, found hujson.Value, expected string) string {
	kind := "a boolean"
	switch found.Value.Kind() {
	case '{':
		kind = "an object"
	case '[':
		kind = "an array"
	case '"':
		kind = "a string"
	case '0':
		kind = "a number"
	case 'n':
		kind = "null"
	}
	return fmt.Sprintf("%s: found %s, expected %s", what, kind, expected)
}

// members are those of an object; anything else has none.
func members(v *hujson.Value) []hujson.ObjectMember {
	if v == nil {
		return nil
	}
	if o, ok := v.Value.(*hujson.Object); ok {
		return o.Members
	}
	return nil
}

// elements are those of an array; anything else has none.
func elements(v *hujson.Value) []hujson.Value {
	if v == nil {
		return nil
	}
	if a, ok := v.Value.(*hujson.Array); ok {
		return a.Elements
	}
	return nil
}

func nameOf(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// effective gives the index of each member by name. Of two with the same name the last
// counts.
func effective(v *hujson.Value) map[string]int {
	last := map[string]int{}
	for i, m := range members(v) {
		last[nameOf(m)] = i
	}
	return last
}

// countingMembers are the members of an object that count.
func countingMembers(v *hujson.Value) (out []hujson.ObjectMember) {
	last := effective(v)
	for i, m := range members(v) {
		if i == last[nameOf(m)] {
			out = append(out, m)
		}
	}
	return out
}

// value is what an object holds under a name, or nil.
func value(v *hujson.Value, name string) *hujson.Value {
	ms := members(v)
	for i := len(ms) - 1; i >= 0; i-- {
		if nameOf(ms[i]) == name {
			return &ms[i].Value
		}
	}
	return nil
}

// stringIn is the content of a string; false for anything else.
func stringIn(v *hujson.Value) (string, bool) {
	if v == nil || v.Value.Kind() != '"' {
		return "", false
	}
	return v.Value.(hujson.Literal).String(), true
}

// stringsIn is nil unless v is an array of strings.
func stringsIn(v *hujson.Value) []string {
	var all []string
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
	if v == nil || v.Value.Kind() != '0' {
		return 0, false
	}
	return v.Value.(hujson.Literal).Float(), true
}

func isBlank(b []byte) bool { return len(bytes.Trim(b, " \t\r\n")) == 0 }

// IsDeeper reports whether brackets nest deeper than a limit. A parser that recurses
// must not be given such a text.
func IsDeeper(text []byte, limit int) bool { return findDeeper(text, limit) >= 0 }

// findDeeper is where brackets nest deeper than a limit, or -1. The text may be broken:
// it is enough to skip strings and comments.
func findDeeper(text []byte, limit int) int {
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
			n, _ := commentAt(text[i:])
			i += max(n-1, 0)
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

// blankComments puts blanks in the place of comments.
func blankComments(text []byte) []byte {
	out := bytes.Clone(text)
	for i := 0; i < len(out); i++ {
		switch out[i] {
		case '"':
			for i++; i < len(out) && out[i] != '"'; i++ {
				if out[i] == '\\' {
					i++
				}
			}
		case '/':
			n, _ := commentAt(out[i:])
			copy(out[i:], bytes.Repeat([]byte(" "), n))
			i += max(n-1, 0)
		}
	}
	return out
}

// commentAt is the length of the comment at the start of b, 0 if there is none. The end of
// its line is not part of a line comment.
func commentAt(b []byte) (n int, isLine bool) {
	switch {
	case bytes.HasPrefix(b, []byte("//")):
		n = bytes.IndexByte(b, '\n')
		if n < 0 {
			n = len(b)
		}
		return len(bytes.TrimRight(b[:n], "\r")), true
	case bytes.HasPrefix(b, []byte("/*")):
		n = bytes.Index(b[2:], []byte("*/"))
		if n < 0 {
			return len(b), false
		}
		return n + 4, false
	}
	return 0, false
}

// lastComment is the end of the last comment between two values, and whether it is a line
// comment. We insert behind it, so that a comment stays with what it is about.
func lastComment(gap []byte) (end int, isLine bool) {
	for i := 0; i < len(gap); {
		n, line := commentAt(gap[i:])
		if n == 0 {
			i++
			continue
		}
		i += n
		end, isLine = i, line
	}
	return end, isLine
}
