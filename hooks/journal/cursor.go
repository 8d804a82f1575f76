package journal

import (
	"strings"

	"github.com/tidwall/gjson"
)

// A cursor goes once through JSON that is known or hoped to be valid: in what is not it
// finds less, and comes to an end. What it returns shares the bytes of the text.
type cursor struct {
	text string
	at   int
}

// next is the byte at the cursor, behind blanks; 0 at the end.
func (c *cursor) next() byte {
	for ; c.at < len(c.text); c.at++ {
		if b := c.text[c.at]; b > ' ' {
			return b
		}
	}
	return 0
}

// stop ends all objects and lists that the cursor is in.
func (c *cursor) stop() { c.at = len(c.text) }

// members gives the names of an object's members to visit, which takes the value or
// leaves it. Of any other value there are none.
func (c *cursor) members(visit func(name string)) {
	c.each('{', '}', func() {
		name := c.takeString()
		if c.next() != ':' {
			c.stop()
			return
		}
		c.at++
		c.next()
		from := c.at
		if visit(name); c.at == from {
			c.skip()
		}
	})
}

// each calls visit at each item of a list or object, which must take it.
func (c *cursor) each(open, end byte, visit func()) {
	if c.next() != open {
		c.skip()
		return
	}
	c.at++
	for c.next() != end {
		from := c.at
		if visit(); c.next() == ',' {
			c.at++
		} else if c.next() != end || c.at == from {
			c.stop()
			return
		}
	}
	c.at++
}

// takeString is the string at the cursor; "" for any other value.
func (c *cursor) takeString() string {
	if c.next() != '"' {
		c.skip()
		return ""
	}
	raw := c.take()
	if strings.IndexByte(raw, '\\') >= 0 || len(raw) < 2 {
		return gjson.Parse(raw).Str
	}
	return raw[1 : len(raw)-1]
}

// take is the value at the cursor, as it is written.
func (c *cursor) take() string {
	c.next()
	from := c.at
	c.skip()
	return c.text[from:c.at]
}

// skip passes over a value.
func (c *cursor) skip() {
	for depth := 0; c.at < len(c.text); c.at++ {
		switch c.text[c.at] {
		case '"':
			c.skipString()
		case '{', '[':
			depth++
			continue
		case '}', ']':
			if depth--; depth < 0 {
				return
			}
		case ',':
			if depth == 0 {
				return
			}
			continue
		default:
			continue
		}
		if depth == 0 && c.at < len(c.text) {
			c.at++
			return
		}
	}
	c.stop()
}

// skipString passes over a string, to its last quote.
func (c *cursor) skipString() {
	for from := c.at + 1; ; from = c.at + 1 {
		i := strings.IndexByte(c.text[from:], '"')
		if i < 0 {
			c.at = len(c.text)
			return
		}
		c.at = from + i
		escapes := 0
		for c.text[c.at-1-escapes] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return
		}
	}
}
