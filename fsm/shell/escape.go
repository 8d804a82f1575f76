package shell

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxAlternatives bounds the words that one word with braces becomes.
const maxAlternatives = 64

// expandBraces expands the first brace expression and those that follow; false
// if there are too many ways.
func expandBraces(parts []syntax.WordPart) ([][]syntax.WordPart, bool) {
	for i, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok {
			continue
		}
		return expandChoices(parts[:i], b, parts[i+1:])
	}
	return [][]syntax.WordPart{parts}, true
}

func expandChoices(before []syntax.WordPart, b *syntax.BraceExp, after []syntax.WordPart) ([][]syntax.WordPart, bool) {
	elems := b.Elems
	if b.Sequence {
		var ok bool
		if elems, ok = listSequence(b); !ok {
			return nil, false
		}
	}
	var out [][]syntax.WordPart
	for _, elem := range elems {
		way := append(append(append([]syntax.WordPart(nil), before...), elem.Parts...), after...)
		more, ok := expandBraces(way)
		if out = append(out, more...); !ok || len(out) > maxAlternatives {
			return nil, false
		}
	}
	return out, true
}

// listSequence lists {1..5} or {a..e}; a step or a padding is not followed.
func listSequence(b *syntax.BraceExp) ([]*syntax.Word, bool) {
	if len(b.Elems) != 2 {
		return nil, false
	}
	lo, hi := b.Elems[0].Lit(), b.Elems[1].Lit()
	from, err1 := strconv.Atoi(lo)
	to, err2 := strconv.Atoi(hi)
	if err1 != nil || err2 != nil || to < from || to-from >= maxAlternatives || isPadded(lo) || isPadded(hi) {
		return nil, false
	}
	var out []*syntax.Word
	for n := from; n <= to; n++ {
		out = append(out, &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: strconv.Itoa(n)}}})
	}
	return out, true
}

func isPadded(n string) bool { return len(n) > 1 && strings.HasPrefix(n, "0") }

// unescapeQuoted resolves the backslashes of double quotes and heredocs.
func unescapeQuoted(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) && strings.IndexByte("$`\"\\\n", s[i+1]) >= 0 {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// unescapeANSI resolves the escapes of $'…'.
func unescapeANSI(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		text, used := readEscape(s[i:])
		if text == "\x00" {
			return b.String() // the shell ends the string at a NUL
		}
		b.WriteString(text)
		i += used - 1
	}
	return b.String()
}

// readEscape reads what follows a backslash in $'…': its text, and how many bytes
// it took.
func readEscape(s string) (string, int) {
	const from, to = "abeEfnrtv\\'\"?", "\a\b\x1b\x1b\f\n\r\t\v\\'\"?"
	if i := strings.IndexByte(from, s[0]); i >= 0 {
		return to[i : i+1], 1
	}
	switch c := s[0]; {
	case c == 'x':
		return readNumber(s, 1, 2, 16, false)
	case c == 'u':
		return readNumber(s, 1, 4, 16, true)
	case c == 'U':
		return readNumber(s, 1, 8, 16, true)
	case c >= '0' && c <= '7':
		return readNumber(s, 0, 3, 8, false)
	case c == 'c' && len(s) > 1:
		return string([]byte{s[1] & 0x1f}), 2
	}
	return `\` + s[:1], 1
}

// readNumber reads up to max digits of s after skip bytes, as a byte or a rune.
func readNumber(s string, skip, max, base int, wide bool) (string, int) {
	end := skip
	for end < len(s) && end < skip+max {
		if _, err := strconv.ParseUint(s[end:end+1], base, 8); err != nil {
			break
		}
		end++
	}
	n, err := strconv.ParseUint(s[skip:end], base, 32)
	switch {
	case err != nil:
		return `\` + s[:1], 1
	case wide:
		return string(rune(n)), end
	}
	return string([]byte{byte(n)}), end
}
