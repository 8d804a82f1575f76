package settings

import "bytes"

// remove takes item i out, with the comma and the whitespace that insert or fill
// wrote for it. Comments around it stay.
func (c container) remove(text []byte, i int) []byte {
	if i == 0 && len(c.items) > 1 {
		return c.removeFirst(text)
	}
	it := c.items[i]
	start, lineComment := c.lead(text, i)
	end := it.end
	var before, after []edit
	switch {
	case it.comma >= 0 && blank(text[it.end:it.comma]):
		end = it.comma + 1
	case it.comma >= 0:
		after = []edit{{it.comma, it.comma + 1, ""}}
	case i > 0:
		comma := c.items[i-1].comma
		before = []edit{{comma, comma + 1, ""}}
	default:
		end += c.filler(text, start)
	}
	cut := edit{start, end, ""}
	if lineComment && !endsLine(text[end:]) {
		cut.text = lineEnd(bytes.TrimLeft(text[start:], "\r")) // or the comment would go on
	}
	return splice(text, append(append(before, cut), after...)...)
}

// removeFirst leaves the whitespace before the item and takes that behind it: the
// sign of fill is there, and has to hold for what follows.
func (c container) removeFirst(text []byte) []byte {
	it, next := c.items[0], c.items[1].start
	if blank(text[it.end:it.comma]) && blank(text[it.comma+1:next]) {
		return splice(text, edit{it.start, next, ""})
	}
	return splice(text, edit{it.start, it.end, ""}, edit{it.comma, it.comma + 1, ""})
}

// filler is the length of what fill wrote behind the only item, whose leading
// whitespace begins at lead.
func (c container) filler(text []byte, lead int) int {
	it := c.items[0]
	if bytes.Count(text[lead:it.start], []byte("\n")) != 2 {
		return 0
	}
	behind := text[it.end:c.close]
	want := lineEnd(behind) + lineIndent(text, c.open)
	if !oneLine([]byte(want)) && bytes.HasPrefix(behind, []byte(want)) {
		return len(want)
	}
	return 0
}

// endsLine: the line ends at the start of b.
func endsLine(b []byte) bool {
	return lineEnd(bytes.TrimLeft(b, "\r")) != ""
}
