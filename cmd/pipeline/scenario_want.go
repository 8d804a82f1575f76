package main

import (
	"fmt"
	"strings"
)

// expected are the things that may be expected, for messages.
const expected = `expected pass, warn, ask, deny, a state, STATE -> STATE, told "…" or says "…"`

// wants reads what is expected, up to the end of the line.
func (r *lineReader) wants() ([]want, *misread) {
	if !r.apart() {
		return nil, &misread{r.at, fmt.Sprintf("found %s, expected two blanks before what is expected", r.found()), ""}
	}
	var out []want
	for !r.over() {
		w, bad := r.want()
		if bad != nil {
			return nil, bad
		}
		out = append(out, w)
		if r.over() {
			break
		}
		if r.rest()[0] != ',' {
			return nil, &misread{r.at, fmt.Sprintf("found %s, expected a comma or the end of the line", r.found()), ""}
		}
		r.at++
		if r.over() {
			return nil, &misread{r.at, "found the end of the line, " + expected, ""}
		}
	}
	return out, nil
}

func (r *lineReader) want() (want, *misread) {
	r.blanks()
	from := r.at
	w := want{col: r.col(from)}
	var bad *misread
	switch first := r.word(); first {
	case "pass", "warn", "ask", "deny":
		w.kind, w.verdict = wantVerdict, first
		if !r.over() && r.rest()[0] != ',' {
			w.rule = r.word()
		}
	case "told", "says":
		w.kind = map[string]wantKind{"told": wantTold, "says": wantSays}[first]
		w.part, bad = r.quoted(first)
	default:
		bad = r.states(first, from, &w)
	}
	w.text = strings.TrimSpace(r.text[from:r.at])
	return w, bad
}

// states reads STATE or STATE -> STATE, of which the first word is read.
func (r *lineReader) states(first string, from int, w *want) *misread {
	w.kind, w.state = wantState, first
	if !stateName(first) {
		return &misread{from, fmt.Sprintf("found %s, %s", quote(first), expected), ""}
	}
	if r.over() || !strings.HasPrefix(r.rest(), "->") {
		return nil
	}
	r.at += len("->")
	at := r.at
	w.moves, w.from, w.state = true, first, r.word()
	if !stateName(w.state) {
		return &misread{at, fmt.Sprintf("found %s, expected the state it leads to", quote(w.state)), ""}
	}
	return nil
}

// stateName tells a word that may be a state's name. Whether it is one, the config says.
func stateName(s string) bool { return s != "" && !strings.ContainsAny(s, `"'()<>=:;`) }
