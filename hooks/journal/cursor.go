package journal

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"strings"
	"unsafe"

	"github.com/tidwall/gjson"
)

// A cursor goes once through a text and checks what it passes. Where that is no JSON, it
// stops: it finds nothing more. What it returns shares the bytes of the text.
type cursor struct {
	text    string
	at      int
	depth   int
	stopped bool
}

// maxDepth is how deep objects and lists may be nested: no record of ours comes near it.
const maxDepth = 10_000

// isWhole reports whether the text is one JSON value, which the cursor has passed.
func (c *cursor) isWhole() bool {
	c.next()
	return !c.stopped && c.at == len(c.text)
}

// next is the byte at the cursor, behind blanks; 0 at the end.
func (c *cursor) next() byte {
	for ; c.at < len(c.text); c.at++ {
		if b := c.text[c.at]; b != ' ' && b != '\t' && b != '\n' && b != '\r' {
			return b
		}
	}
	return 0
}

// stop ends all objects and lists that the cursor is in.
func (c *cursor) stop() { c.at, c.stopped = len(c.text), true }

// members gives the names of an object's members to visit, which takes the value or
// leaves it. Of any other value there are none.
func (c *cursor) members(visit func(name string)) {
	for more := c.enter('{', '}'); more; more = c.goOn('}') {
		if c.next() != '"' {
			c.stop()
			return
		}
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
	}
}

// items calls visit at each item of a list, which must take it.
func (c *cursor) items(visit func()) {
	for more := c.enter('[', ']'); more; more = c.goOn(']') {
		visit()
	}
}

// enter goes into an object or list, and passes over any other value. It reports
// whether there is something in it.
func (c *cursor) enter(open, end byte) bool {
	if c.next() != open {
		c.skip()
		return false
	}
	if c.depth++; c.depth > maxDepth {
		c.stop()
		return false
	}
	if c.at++; c.next() == end {
		c.leave()
		return false
	}
	return true
}

func (c *cursor) leave() {
	c.at++
	c.depth--
}

// goOn passes over what stands behind an item. It reports whether another one follows.
func (c *cursor) goOn(end byte) bool {
	switch c.next() {
	case ',':
		c.at++
		return true
	case end:
		c.leave()
	default:
		c.stop()
	}
	return false
}

// takeString is the string at the cursor; "" for any other value.
func (c *cursor) takeString() string {
	if c.next() != '"' {
		c.skip()
		return ""
	}
	from := c.at
	hasEscapes := c.skipString()
	switch raw := c.text[from:c.at]; {
	case c.stopped:
		return ""
	case hasEscapes:
		return gjson.Parse(raw).Str
	default:
		return raw[1 : len(raw)-1]
	}
}

// takeInt is the number at the cursor; 0 for any other value.
func (c *cursor) takeInt() int64 {
	raw := c.take()
	if n, err := strconv.ParseInt(raw, 10, 64); err == nil {
		return n
	}
	return gjson.Parse(raw).Int()
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
	switch c.next() {
	case '"':
		c.skipString()
	case '{':
		for more := c.enter('{', '}'); more; more = c.goOn('}') {
			if c.skipString(); c.next() != ':' {
				c.stop()
				return
			}
			c.at++
			c.skip()
		}
	case '[':
		for more := c.enter('[', ']'); more; more = c.goOn(']') {
			c.skip()
		}
	default:
		c.skipScalar()
	}
}

// skipScalar passes over a number or a word.
func (c *cursor) skipScalar() {
	from, isDecimal := c.at, true
	for c.at < len(c.text) && strings.IndexByte(",]} \t\r\n", c.text[c.at]) < 0 {
		isDecimal = isDecimal && '0' <= c.text[c.at] && c.text[c.at] <= '9'
		c.at++
	}
	s := c.text[from:c.at]
	if len(s) > 1 && s[0] == '0' || !isDecimal || s == "" {
		if !gjson.Valid(s) {
			c.stop()
		}
	}
}

// skipString passes over a string. It reports whether something is escaped in it.
func (c *cursor) skipString() (hasEscapes bool) {
	if c.next() != '"' {
		c.stop()
		return false
	}
	for i := c.at + 1; i < len(c.text); {
		if i+8 <= len(c.text) {
			n := plainBytes(c.text[i : i+8])
			if i += n; n == 8 {
				continue
			}
		}
		switch b := c.text[i]; {
		case b == '"':
			c.at = i + 1
			return hasEscapes
		case b == '\\':
			n := escapeLen(c.text[i:])
			if n == 0 {
				c.stop()
				return false
			}
			i += n
			hasEscapes = true
		case b < ' ':
			c.stop()
			return false
		default:
			i++
		}
	}
	c.stop()
	return false
}

// plainBytes is how many of eight bytes stand before the first that ends a string, begins
// an escape or is a control character.
func plainBytes(eight string) int {
	const ones, tops = 0x0101010101010101, 0x8080808080808080
	x := binary.LittleEndian.Uint64(unsafe.Slice(unsafe.StringData(eight), 8))
	quote, escape := x^ones*'"', x^ones*'\\'
	found := (quote-ones)&^quote | (escape-ones)&^escape | (x-ones*' ')&^x
	return bits.TrailingZeros64(found&tops) / 8
}

// escapeLen is the length of the escape that a text begins with; 0 where it is none.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	if s[1] != 'u' {
		if strings.IndexByte(`"\/bfnrt`, s[1]) < 0 {
			return 0
		}
		return 2
	}
	if len(s) < 6 || strings.Trim(s[2:6], "0123456789abcdefABCDEF") != "" {
		return 0
	}
	return 6
}
