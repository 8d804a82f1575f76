package settings

import (
	"bytes"
	"errors"
	"fmt"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// SyntaxError says where a settings file is not what it has to be. Line and Col
// count from 1, Col in characters.
type SyntaxError struct {
	Line, Col int
	Msg       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Msg)
}

// maxDepth is far beyond any settings file, and far below where the parser's
// recursion would overflow the stack and take the process with it.
const maxDepth = 1000

// byteOrderMark is kept where it is; the clients skip it, the parser does not.
const byteOrderMark = "\ufeff"

// A document is a settings file, read. Its text is never changed: an edit makes
// a new text, and with reads that.
type document struct {
	bom  []byte
	text []byte        // behind the byte order mark; all offsets count in it
	root *hujson.Value // an object; nil when text is blank
}

func parse(src []byte) (document, error) {
	text := bytes.TrimPrefix(src, []byte(byteOrderMark))
	d := document{bom: src[:len(src)-len(text)], text: text}
	if blank(text) {
		return d, nil
	}
	if at := tooDeep(text, maxDepth); at >= 0 {
		return d, d.errorAt(at, fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	v, err := hujson.Parse(text)
	if err != nil {
		return d, d.syntaxError(err)
	}
	if v.Value.Kind() != '{' {
		return d, d.errorAt(v.StartOffset, mismatch("the settings", v, "an object"))
	}
	d.root = &v
	return d, nil
}

// with reads the text that an edit of d gave.
func (d document) with(text []byte) (document, error) {
	return parse(append(bytes.Clone(d.bom), text...))
}

func (d document) bytes() []byte {
	return append(bytes.Clone(d.bom), d.text...)
}

// syntaxError takes the position out of the parser's message, which is the only
// place where it tells it.
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

// refuseDoubt says what keeps us from writing: a container that is none, or one
// that is there twice.
func (d document) refuseDoubt() error {
	var hooks *hujson.Value
	for _, m := range members(d.root) {
		if nameOf(m) != "hooks" {
			continue
		}
		if hooks != nil {
			return d.errorAt(m.Name.StartOffset, `"hooks" is here for the second time`)
		}
		hooks = &m.Value
		if hooks.Value.Kind() != '{' {
			return d.errorAt(hooks.StartOffset, mismatch("hooks", *hooks, "an object"))
		}
	}
	return d.refuseEvents(hooks)
}

func (d document) refuseEvents(hooks *hujson.Value) error {
	seen := map[string]bool{}
	for _, m := range members(hooks) {
		event := nameOf(m)
		if seen[event] {
			return d.errorAt(m.Name.StartOffset, fmt.Sprintf("%q is here for the second time", event))
		}
		seen[event] = true
		if m.Value.Value.Kind() != '[' {
			return d.errorAt(m.Value.StartOffset, mismatch("hooks."+event, m.Value, "an array"))
		}
	}
	return nil
}

func mismatch(what string, found hujson.Value, expected string) string {
	return fmt.Sprintf("%s: found %s, expected %s", what, kindName(found), expected)
}

func kindName(v hujson.Value) string {
	switch v.Value.Kind() {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case '0':
		return "a number"
	case 'n':
		return "null"
	}
	return "a boolean"
}
