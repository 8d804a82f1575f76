package rehearse

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

func (r *lineReader) skipBlanks() { r.at = len(r.text) - len(strings.TrimLeft(r.rest(), " \t")) }

// endsColumn reports whether a column ends here: at two blanks, a tab, a comment after
// a blank, or the end of the line.
func (r *lineReader) endsColumn() bool {
	rest := r.rest()
	return strings.TrimSpace(rest) == "" || strings.HasPrefix(rest, "  ") || rest[0] == '\t' ||
		strings.HasPrefix(rest, " #")
}

// isOver reports whether nothing but a comment is left.
func (r *lineReader) isOver() bool {
	r.skipBlanks()
	return r.rest() == "" || r.rest()[0] == '#'
}

// readWord reads up to the next blank or comma.
func (r *lineReader) readWord() string {
	r.skipBlanks()
	n := strings.IndexAny(r.rest(), " \t,")
	if n < 0 {
		n = len(r.rest())
	}
	r.at += n
	return r.text[r.at-n : r.at]
}

// readColumn reads up to where a column ends.
func (r *lineReader) readColumn() string {
	r.skipBlanks()
	from := r.at
	for !r.endsColumn() {
		_, n := utf8.DecodeRuneInString(r.rest())
		r.at += n
	}
	return strings.TrimSpace(r.text[from:r.at])
}

// readQuoted reads a text in double quotes, written as in Go and JSON.
func (r *lineReader) readQuoted(after string) (string, *misread) {
	r.skipBlanks()
	q, err := strconv.QuotedPrefix(r.rest())
	if err != nil || q[0] != '"' {
		return "", &misread{r.at, fmt.Sprintf("found %s, expected a text in double quotes after %s", r.found(), after),
			""}
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
	if w := word.readWord(); w != "" {
		return strconv.Quote(w)
	}
	return strconv.Quote(r.rest()[:1])
}

// readCall reads a call. A shell line can hold anything, so where the call ends is not
// certain: at the first ) before two blanks that closes what was opened and is followed
// by what can be expected, else at the last.
func (r *lineReader) readCall() (Call, []want, *misread) {
	name := toolName().FindString(r.rest())
	if !strings.HasPrefix(r.rest()[len(name):], "(") {
		r.at += len(name)
		wants, bad := r.readWants()
		return Call{Tool: name}, wants, bad
	}
	ends := r.findEnds(r.at + len(name))
	if len(ends) == 0 {
		return Call{}, nil, &misread{r.at + len(name),
			"found no end of this, expected ) before two blanks or the end of the line", ""}
	}
	var first *misread
	for _, end := range ends {
		try := lineReader{r.text, end + 1}
		wants, bad := try.readWants()
		if bad == nil {
			return Call{name, r.text[r.at+len(name)+1 : end]}, wants, nil
		}
		if first == nil {
			first = bad
		}
	}
	return Call{}, nil, first
}

// findEnds finds where a call may end that was opened at a place, the likeliest first.
func (r *lineReader) findEnds(open int) []int {
	var balanced, others []int
	depth := 0
	for i := open; i < len(r.text); i++ {
		switch r.text[i] {
		case '(':
			depth++
		case ')':
			depth--
			next := lineReader{r.text, i + 1}
			if next.endsColumn() && depth == 0 {
				balanced = append(balanced, i)
			} else if next.endsColumn() {
				others = append([]int{i}, others...)
			}
		}
	}
	return append(balanced, others...)
}

// expected lists what may be expected, for messages.
const expected = `expected pass, warn, confine, ask, deny, a state, STATE -> STATE, told "…" or says "…"`

// readWants reads what is expected, up to the end of the line.
func (r *lineReader) readWants() ([]want, *misread) {
	if !r.endsColumn() {
		return nil, &misread{r.at, fmt.Sprintf("found %s, expected two blanks before what is expected", r.found()), ""}
	}
	var out []want
	for !r.isOver() {
		w, bad := r.readWant()
		if bad != nil {
			return nil, bad
		}
		out = append(out, w)
		if r.isOver() {
			break
		}
		if r.rest()[0] != ',' {
			return nil, &misread{r.at, fmt.Sprintf("found %s, expected a comma or the end of the line", r.found()), ""}
		}
		r.at++
		if r.isOver() {
			return nil, &misread{r.at, "found the end of the line, " + expected, ""}
		}
	}
	return out, nil
}

func (r *lineReader) readWant() (want, *misread) {
	r.skipBlanks()
	from := r.at
	w := want{col: r.col(from)}
	var bad *misread
	switch first := r.readWord(); first {
	case "pass", "warn", "confine", "ask", "deny":
		w.kind, w.verdict = wantVerdict, first
		if !r.isOver() && r.rest()[0] != ',' {
			w.rule = r.readWord()
		}
	case "told", "says":
		w.kind = map[string]wantKind{"told": wantTold, "says": wantSays}[first]
		w.part, bad = r.readQuoted(first)
	default:
		bad = r.readStates(first, from, &w)
	}
	w.text = strings.TrimSpace(r.text[from:r.at])
	return w, bad
}

// readStates reads STATE or STATE -> STATE, of which the first word is read.
func (r *lineReader) readStates(first string, from int, w *want) *misread {
	w.kind, w.state = wantState, first
	if !canBeState(first) {
		return &misread{from, fmt.Sprintf("found %q, %s", first, expected), ""}
	}
	if r.isOver() || !strings.HasPrefix(r.rest(), "->") {
		return nil
	}
	r.at += len("->")
	at := r.at
	w.moves, w.from, w.state = true, first, r.readWord()
	if !canBeState(w.state) {
		return &misread{at, fmt.Sprintf("found %q, expected the state it leads to", w.state), ""}
	}
	return nil
}

// canBeState reports whether a word can be a state's name. The config says whether it
// is.
func canBeState(s string) bool { return s != "" && !strings.ContainsAny(s, `"'()<>=:;`) }
