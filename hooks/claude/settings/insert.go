package settings

// render prints an item of ours that begins at an indentation.
type render func(s style, indent string) string

// insert puts an item behind the others. A trailing comma stays one: it is
// written behind ours exactly if it was there before.
func (c container) insert(text []byte, s style, body render) []byte {
	if len(c.items) == 0 {
		return c.fill(text, s, body)
	}
	s.inline = oneLine(text[c.open:c.close])
	indent := c.indent(text, s)
	lead := s.eol + indent
	if s.inline {
		lead = s.space()
	}
	last := c.items[len(c.items)-1]
	if last.comma >= 0 {
		n, _ := comments(text[last.comma+1 : c.close])
		return splice(text, put(last.comma+1+n, lead+body(s, indent)+","))
	}
	n, _ := comments(text[last.end:c.close])
	return splice(text, put(last.end, ","), put(last.end+n, lead+body(s, indent)))
}

// fill puts the first item into a container that stood there, empty, before us.
// The blank line, or the space, tells that to plain; and where we add a line
// for the closing bracket, the blank line tells that to filler.
func (c container) fill(text []byte, s style, body render) []byte {
	n, _ := comments(text[c.open:c.close])
	if s.inline {
		return splice(text, put(c.open+n, " "+body(s, "")))
	}
	base := lineIndent(text, c.open)
	indent := base + s.unit
	return splice(text, put(c.open+n, s.eol+s.eol+indent+body(s, indent)+s.eol+base))
}
