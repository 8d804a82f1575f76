package settings

import "bytes"

// blank: nothing but whitespace.
func blank(b []byte) bool {
	return len(bytes.Trim(b, " \t\r\n")) == 0
}

// comment is how long the comment at the start of b is, 0 if there is none. The
// line end that closes a line comment is not part of it.
func comment(b []byte) (n int, line bool) {
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

// comments is the end of the last comment in gap, the text between two tokens,
// and whether that is a line comment. What follows is whitespace; what we put in
// goes there, so that a comment stays with what it is about.
func comments(gap []byte) (end int, line bool) {
	for i := 0; i < len(gap); {
		n, isLine := comment(gap[i:])
		if n == 0 {
			i++
			continue
		}
		i += n
		end, line = i, isLine
	}
	return end, line
}

// tooDeep is where brackets nest deeper than limit, or -1. It reads text that may
// be broken, so it only has to know what a bracket is not: in a string, in a
// comment.
func tooDeep(text []byte, limit int) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '"':
			i += stringEnd(text[i:])
		case '/':
			n, _ := comment(text[i:])
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

// stringEnd is the offset of the quote that ends the string at the start of b.
func stringEnd(b []byte) int {
	for i := 1; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i
		}
	}
	return len(b)
}

// lineIndent is the whitespace at the start of the line that offset is in.
func lineIndent(text []byte, offset int) string {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	end := start
	for end < offset && (text[end] == ' ' || text[end] == '\t') {
		end++
	}
	return string(text[start:end])
}

// ownsLine: nothing but indentation stands before offset on its line, and a line
// does end before it.
func ownsLine(text []byte, offset int) bool {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	return start > 0 && blank(text[start:offset])
}

// lineEnd is the line end at the start of b, "" if there is none.
func lineEnd(b []byte) string {
	for _, eol := range []string{"\r\n", "\n"} {
		if bytes.HasPrefix(b, []byte(eol)) {
			return eol
		}
	}
	return ""
}
