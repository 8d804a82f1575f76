package settings

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// A container is an object or an array as text: where it opens and closes, and
// the items between.
type container struct {
	open  int // behind the opening bracket
	close int // at the closing one
	items []item
}

// An item is a member, name and value, or an element.
type item struct {
	start, end int
	comma      int // where the comma behind it is, -1 if there is none
}

func containerOf(v *hujson.Value) container {
	c := container{open: v.StartOffset + 1, close: v.EndOffset - 1}
	ms, es := members(v), elements(v)
	for i, m := range ms {
		c.items = append(c.items, itemOf(m.Name.StartOffset, m.Value, i == len(ms)-1))
	}
	for i, e := range es {
		c.items = append(c.items, itemOf(e.StartOffset, e, i == len(es)-1))
	}
	return c
}

// itemOf: of a last item the parser tells that a comma is behind it by an
// AfterExtra that is not nil.
func itemOf(start int, v hujson.Value, last bool) item {
	it := item{start: start, end: v.EndOffset, comma: v.EndOffset + len(v.AfterExtra)}
	if last && v.AfterExtra == nil {
		it.comma = -1
	}
	return it
}

// plain: the container holds one item, laid out as style.wrap does it, and
// nothing of a person's: Install made it.
func (c container) plain(text []byte) bool {
	if len(c.items) != 1 {
		return false
	}
	it := c.items[0]
	before, after := text[c.open:it.start], text[max(it.end, it.comma+1):c.close]
	if !blank(before) || !blank(after) {
		return false
	}
	if oneLine(before) {
		return len(before) == 0 && len(after) == 0
	}
	return bytes.Count(before, []byte("\n")) == 1 && bytes.Count(after, []byte("\n")) == 1
}

// indent is that of the last item that begins a line, else one step in.
func (c container) indent(text []byte, s style) string {
	for i := len(c.items) - 1; i >= 0; i-- {
		if start := c.items[i].start; ownsLine(text, start) {
			return lineIndent(text, start)
		}
	}
	return lineIndent(text, c.open) + s.unit
}

// lead is where the whitespace before item i begins: behind the bracket or comma
// before it and any comments there, of which the last may be a line comment.
func (c container) lead(text []byte, i int) (at int, lineComment bool) {
	gap := c.open
	if i > 0 {
		gap = c.items[i-1].comma + 1
	}
	n, line := comments(text[gap:c.items[i].start])
	return gap + n, line
}
