package main

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A lineReader goes through one line of a script.
type lineReader struct {
	text string
	at   int // in bytes
}

// A misread is what is wrong with a line, and where.
type misread struct {
	at      int
	message string
	hint    string
}

func (r *lineReader) col(at int) int { return utf8.RuneCountInString(r.text[:at]) + 1 }

func (r *lineReader) rest() string { return r.text[r.at:] }

func (r *lineReader) blanks() { r.at = len(r.text) - len(strings.TrimLeft(r.rest(), " \t")) }

// apart reports whether a column ends here: at two blanks, a tab, a comment after a blank, or the end of the line.
func (r *lineReader) apart() bool {
	rest := r.rest()
	return strings.TrimSpace(rest) == "" || strings.HasPrefix(rest, "  ") || rest[0] == '\t' || strings.HasPrefix(rest, " #")
}

// over reports whether nothing but a comment is left.
func (r *lineReader) over() bool {
	r.blanks()
	return r.rest() == "" || r.rest()[0] == '#'
}

// word reads up to the next blank or comma.
func (r *lineReader) word() string {
	r.blanks()
	n := strings.IndexAny(r.rest(), " \t,")
	if n < 0 {
		n = len(r.rest())
	}
	r.at += n
	return r.text[r.at-n : r.at]
}

// column reads up to where a column ends.
func (r *lineReader) column() string {
	r.blanks()
	from := r.at
	for !r.apart() {
		_, n := utf8.DecodeRuneInString(r.rest())
		r.at += n
	}
	return strings.TrimSpace(r.text[from:r.at])
}

// quoted reads a text in double quotes, written as in Go and JSON.
func (r *lineReader) quoted(after string) (string, *misread) {
	r.blanks()
	q, err := strconv.QuotedPrefix(r.rest())
	if err != nil || q[0] != '"' {
		return "", &misread{r.at, fmt.Sprintf("found %s, expected a text in double quotes after %s", r.found(), after), ""}
	}
	r.at += len(q)
	text, _ := strconv.Unquote(q) // it is what QuotedPrefix has found
	return text, nil
}

// found names what stands at this place.
func (r *lineReader) found() string {
	if strings.TrimSpace(r.rest()) == "" {
		return "the end of the line"
	}
	word := *r
	if w := word.word(); w != "" {
		return quote(w)
	}
	return quote(r.rest()[:1])
}

// call reads a call. Where it ends is not certain, since a shell line may hold anything: at the first ) before two
// blanks that closes what was opened and is followed by what can be expected, else at the last.
func (r *lineReader) call() (toolCall, []want, *misread) {
	name := toolName().FindString(r.rest())
	if !strings.HasPrefix(r.rest()[len(name):], "(") {
		r.at += len(name)
		wants, bad := r.wants()
		return toolCall{tool: name}, wants, bad
	}
	ends := r.closings(r.at + len(name))
	if len(ends) == 0 {
		return toolCall{}, nil, &misread{r.at + len(name), "found no end of this, expected ) before two blanks or the end of the line", ""}
	}
	var worst *misread
	for _, end := range ends {
		try := lineReader{r.text, end + 1}
		wants, bad := try.wants()
		if bad == nil {
			return toolCall{name, r.text[r.at+len(name)+1 : end]}, wants, nil
		}
		if worst == nil {
			worst = bad
		}
	}
	return toolCall{}, nil, worst
}

// closings are the places where a call may end that was opened at a place, the likeliest first.
func (r *lineReader) closings(open int) []int {
	var balanced, others []int
	depth := 0
	for i := open; i < len(r.text); i++ {
		switch r.text[i] {
		case '(':
			depth++
		case ')':
			depth--
			next := lineReader{r.text, i + 1}
			if next.apart() && depth == 0 {
				balanced = append(balanced, i)
			} else if next.apart() {
				others = append([]int{i}, others...)
			}
		}
	}
	return append(balanced, others...)
}
