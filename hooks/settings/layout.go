package settings

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// add puts a member into an object at a path of names, or an element into an array, with
// what is missing on the way there.
func (d document) add(item any, at ...string) (document, error) {
	v, depth := d.root, 0
	for ; depth < len(at) && value(v, at[depth]) != nil; depth++ {
		v = value(v, at[depth])
	}
	for _, name := range slices.Backward(at[depth:]) {
		item = member{name, wrap(item)}
	}
	s, container := styleOf(d), wrap(item)
	if v == nil {
		return d.splice(len(d.text), len(d.text), s.render(container, "")+s.eol)
	}
	kind := hujson.Kind('[')
	if _, isObject := container.(object); isObject {
		kind = '{'
	}
	if err := d.checkKind(strings.Join(at[:depth], "."), v, kind); err != nil {
		return d, err
	}
	return d.insert(v, s, item)
}

// replace writes another value in place of one, on one line if that was.
func (d document) replace(v *hujson.Value, with any) (document, error) {
	s := styleOf(d)
	s.inline = isOneLine(d.text[v.StartOffset:v.EndOffset])
	return d.splice(v.StartOffset, v.EndOffset, s.render(with, lineIndent(d.text, v.StartOffset)))
}

// splice writes other text in place of some.
func (d document) splice(from, to int, with string) (document, error) {
	return parse(slices.Concat(d.bom, d.text[:from], []byte(with), d.text[to:]))
}

// An item is a member of an object or an element of an array, and where the text around it is.
type item struct {
	from       int // where the text before it begins: behind a bracket or a comma
	start, end int
	next       int // behind its comma; end if it has none, as only the last one can
	to         int // where the next item, or the closing bracket, begins
}

func itemsOf(v *hujson.Value) (items []item) {
	from := v.StartOffset + 1
	add := func(start int, value hujson.Value, isLast bool) {
		it := item{from: from, start: start, end: value.EndOffset, next: value.EndOffset, to: v.EndOffset - 1}
		if !isLast || value.AfterExtra != nil {
			it.next += len(value.AfterExtra) + 1
		}
		if n := len(items); n > 0 {
			items[n-1].to = start
		}
		items, from = append(items, it), it.next
	}
	for i, m := range members(v) {
		add(m.Name.StartOffset, m.Value, i == len(members(v))-1)
	}
	for i, e := range elements(v) {
		add(e.StartOffset, e, i == len(elements(v))-1)
	}
	return items
}

// isPlain reports whether a container holds one item in the layout of style.render, and
// nothing of a person's: we made it.
func (d document) isPlain(v *hujson.Value) bool {
	items := itemsOf(v)
	if len(items) != 1 {
		return false
	}
	before, after := d.text[items[0].from:items[0].start], d.text[items[0].next:items[0].to]
	if !isBlank(before) || !isBlank(after) {
		return false
	}
	if isOneLine(before) {
		return len(before) == 0 && len(after) == 0
	}
	return bytes.Count(before, []byte("\n")) == 1 && bytes.Count(after, []byte("\n")) == 1
}

// insert puts an item behind the others of a container. A trailing comma stays one, and a
// comment stays with what it is about.
func (d document) insert(v *hujson.Value, s style, item any) (document, error) {
	items, from, closing := itemsOf(v), v.StartOffset+1, v.EndOffset-1
	if len(items) == 0 {
		at, _ := lastComment(d.text[from:closing])
		// The container stood there, empty, before us. The space, or the blank line, tells
		// that to isPlain; and where we add a line for the bracket, to remove.
		if s.inline {
			return d.splice(from+at, from+at, " "+s.render(item, ""))
		}
		line := s.eol + lineIndent(d.text, from)
		return d.splice(from+at, from+at, s.eol+line+s.unit+s.render(item, line[len(s.eol):]+s.unit)+line)
	}
	last := items[len(items)-1]
	at, _ := lastComment(d.text[last.next:closing])
	s.inline = isOneLine(d.text[v.StartOffset:v.EndOffset])
	indent := d.itemIndent(v, items, s)
	text := s.eol + indent + s.render(item, indent)
	if s.inline {
		text = s.commaSpace() + s.render(item, indent)
	}
	text = string(d.text[last.next:last.next+at]) + text
	if last.next == last.end {
		text = "," + text
	} else {
		text += ","
	}
	return d.splice(last.next, last.next+at, text)
}

// itemIndent is that of the last item that begins a line, else one step more than the bracket's.
func (d document) itemIndent(v *hujson.Value, items []item, s style) string {
	for _, it := range slices.Backward(items) {
		before := d.text[it.from:it.start]
		if at := bytes.LastIndexByte(before, '\n') + 1; at > 0 && isBlank(before[at:]) {
			return leadingBlanks(before[at:])
		}
	}
	return lineIndent(d.text, v.StartOffset+1) + s.unit
}

// A place is an item of a container.
type place struct {
	in    *hujson.Value
	index int
}

// remove takes out what is at the end of a path, and with it each container on the way that
// we made and that then holds nothing; the file too, where it was nothing or whitespace.
func (d document) remove(path []place) (document, error) {
	for len(path) > 1 && d.isPlain(path[len(path)-1].in) {
		path = path[:len(path)-1]
	}
	p := path[len(path)-1]
	if p.in == d.root && d.isPlain(d.root) && isBlank(d.root.BeforeExtra) {
		if after := d.root.AfterExtra; len(after) == 0 || lineEnd(after) == string(after) {
			return d.splice(d.root.StartOffset, len(d.text), "")
		}
	}
	return d.removeItem(p)
}

// removeItem takes an item out, with the comma and the whitespace that insert wrote for it.
// Comments around it stay.
func (d document) removeItem(p place) (document, error) {
	items := itemsOf(p.in)
	it, first, last := items[p.index], p.index == 0, p.index == len(items)-1
	before, next := d.text[it.from:it.start], d.text[it.next:it.to]
	after := d.text[it.end:max(it.end, it.next-1)]
	switch {
	case first && !last && isBlank(after) && isBlank(next):
		// What stands before the item tells how it was inserted, and has to hold for the next.
		return d.splice(it.start, it.to, "")
	case first && !last:
		return d.splice(it.start, it.next, string(after))
	}
	at, isLine := lastComment(before)
	if isBlank(after) {
		after = nil
	}
	if first && it.next == it.end {
		next = next[d.fillerLength(p.in, before[at:], next):]
	}
	rest := string(after) + string(next)
	if isLine && lineEnd([]byte(strings.TrimLeft(rest, "\r"))) == "" { // or the comment would go on
		rest = lineEnd(bytes.TrimLeft(before[at:], "\r")) + rest
	}
	kept := string(before[:at]) + rest
	if last && !first && it.next == it.end { // the comma before it goes, what stood there stays
		return d.splice(it.from-1, it.to, kept)
	}
	return d.splice(it.from, it.to, kept)
}

// fillerLength is the length of what insert wrote behind the only item, before which lead stands.
func (d document) fillerLength(v *hujson.Value, lead, behind []byte) int {
	eol := lineEnd(behind)
	want := eol + lineIndent(d.text, v.StartOffset+1)
	if bytes.Count(lead, []byte("\n")) != 2 || eol == "" || !bytes.HasPrefix(behind, []byte(want)) {
		return 0
	}
	return len(want)
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
}

// styleOf looks at the first members of the root, which a person sees as the file's style.
func styleOf(d document) style {
	s := style{eol: "\n", unit: "  ", colon: ": "}
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

// What we write: objects, lists, strings, words (strings on one line, which read like a
// command line), numbers and truths.
type (
	object []member
	list   []any
	words  []string
)

// A member of an object.
type member struct {
	name  string
	value any
}

// wrap is the container of an item.
func wrap(item any) any {
	if m, ok := item.(member); ok {
		return object{m}
	}
	return list{item}
}

// render lays a value out that begins at an indentation. It is the plain layout by which
// remove knows a container of ours: see isPlain.
func (s style) render(value any, indent string) string {
	var parts []string
	brackets := "[]"
	switch v := value.(type) {
	case string: // escaped only where JSON makes us: a path stays readable
		return string(hujson.String(v))
	case member:
		return s.render(v.name, "") + s.colon + s.render(v.value, indent)
	case words:
		s.inline = true
		for _, word := range v {
			parts = append(parts, s.render(word, ""))
		}
	case list:
		for _, e := range v {
			parts = append(parts, s.render(e, indent+s.unit))
		}
	case object:
		brackets = "{}"
		for _, m := range v {
			parts = append(parts, s.render(m, indent+s.unit))
		}
	default:
		return fmt.Sprint(v)
	}
	if s.inline || len(parts) == 0 {
		return brackets[:1] + strings.Join(parts, ","+s.commaSpace()) + brackets[1:]
	}
	line := s.eol + indent
	return brackets[:1] + line + s.unit + strings.Join(parts, ","+line+s.unit) + line + brackets[1:]
}
