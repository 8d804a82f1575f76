package rehearse

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A Call is a tool call as people write it: Bash(git push), Write(src/main.go),
// Agent(bash-developer), mcp__github__list.
type Call struct{ Tool, Argument string }

// ParseCall reads a call.
func ParseCall(text string) (Call, error) {
	r := lineReader{text: strings.TrimSpace(text)}
	name := r.readName()
	argument, isOpen := strings.CutPrefix(r.rest(), "(")
	argument, isClosed := strings.CutSuffix(argument, ")")
	if name == "" || isOpen != isClosed || !isOpen && argument != "" {
		return Call{}, fmt.Errorf("found %q, expected a call such as 'Bash(git push)' or 'Write(main.go)'", r.text)
	}
	return Call{name, argument}, nil
}

// String is the call as it was written.
func (c Call) String() string {
	if c.Argument == "" {
		return c.Tool
	}
	return c.Tool + "(" + c.Argument + ")"
}

// Input is what the client would give the tool. An argument that is a JSON object is
// the whole input.
func (c Call) Input() (whole map[string]any) {
	if strings.HasPrefix(c.Argument, "{") && json.Unmarshal([]byte(c.Argument), &whole) == nil {
		return whole
	}
	if c.Argument == "" {
		return map[string]any{}
	}
	keys := map[string]string{
		"Bash": "command", "PowerShell": "command",
		"Read": "file_path", "Write": "file_path", "Edit": "file_path", "MultiEdit": "file_path",
		"NotebookEdit": "notebook_path", "NotebookRead": "notebook_path",
		"Agent": "subagent_type", "Skill": "skill", "SendMessage": "to", "TaskStop": "task_id",
		"WebFetch": "url", "WebSearch": "query",
	}
	// path: Grep, Glob, and most tools of others
	return map[string]any{cmp.Or(keys[fsm.CanonicalTool(c.Tool)], "path"): c.Argument}
}

// payload is what the client sends before the call is made.
func (c Call) payload(use string) map[string]any {
	return map[string]any{"tool_name": c.Tool, "tool_use_id": use, "tool_input": c.Input()}
}

// A lineReader goes through one line of a script.
type lineReader struct {
	text  string
	at    int    // in bytes
	bad   string // what is wrong with the line; empty for nothing
	badAt int    // where that stands, in bytes
}

// fail notes what is wrong with the line; the first of it counts.
func (r *lineReader) fail(at int, format string, a ...any) {
	if r.bad == "" {
		r.bad, r.badAt = fmt.Sprintf(format, a...), at
	}
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

// take reads what an expression fits, behind blanks. It is compiled here: every hook call would pay for a pattern that
// is compiled at the start.
func (r *lineReader) take(expr string) string {
	r.skipBlanks()
	text := regexp.MustCompile("^(?:" + expr + ")").FindString(r.rest())
	r.at += len(text)
	return text
}

// readName reads a tool's name.
func (r *lineReader) readName() string { return r.take(`[A-Za-z_][\w.:-]*`) }

// readWord reads up to the next blank or comma.
func (r *lineReader) readWord() string { return r.take("[^ \t,]*") }

// readColumn reads up to where a column ends.
func (r *lineReader) readColumn() string { return r.take("([^ \t]| [^ \t#])*") }

// readQuoted reads a text in double quotes, written as in Go and JSON.
func (r *lineReader) readQuoted(after string) string {
	r.skipBlanks()
	q, err := strconv.QuotedPrefix(r.rest())
	if err != nil || q[0] != '"' {
		r.fail(r.at, "found %s, expected a text in double quotes after %s", r.found(), after)
		return ""
	}
	r.at += len(q)
	text, _ := strconv.Unquote(q) // it is what QuotedPrefix has found
	return text
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

// readCall reads a call of a tool, behind its name. A shell line can hold anything, so where the call ends is not
// certain: at the first ) before two blanks that closes what was opened and is followed
// by what can be expected, else at the last.
func (r *lineReader) readCall(name string) (Call, []want) {
	open := r.at
	if !strings.HasPrefix(r.rest(), "(") {
		return Call{Tool: name}, r.readWants()
	}
	for _, end := range r.findEnds(open) {
		try := lineReader{text: r.text, at: end + 1}
		wants := try.readWants()
		if try.bad == "" {
			return Call{name, r.text[open+1 : end]}, wants
		}
		r.fail(try.badAt, "%s", try.bad)
	}
	r.fail(open, "found no end of this, expected ) before two blanks or the end of the line")
	return Call{}, nil
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
			next := lineReader{text: r.text, at: i + 1}
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
func (r *lineReader) readWants() (out []want) {
	if !r.endsColumn() {
		r.fail(r.at, "found %s, expected two blanks before what is expected", r.found())
	}
	for r.bad == "" && !r.isOver() {
		out = append(out, r.readWant())
		if r.isOver() {
			break
		}
		if r.rest()[0] != ',' {
			r.fail(r.at, "found %s, expected a comma or the end of the line", r.found())
		}
		if r.at++; r.isOver() {
			r.fail(r.at, "found the end of the line, "+expected)
		}
	}
	return out
}

func (r *lineReader) readWant() want {
	r.skipBlanks()
	from := r.at
	w := want{col: r.col(from)}
	switch first := r.readWord(); first {
	case "pass", "warn", "confine", "ask", "deny":
		w.kind, w.arg = "verdict", first
		if !r.isOver() && r.rest()[0] != ',' {
			w.rule = r.readWord()
		}
	case "told", "says":
		w.kind, w.arg = first, r.readQuoted(first)
	default: // STATE or STATE -> STATE
		w.kind, w.arg = "state", first
		if !canBeState(first) {
			r.fail(from, "found %q, %s", first, expected)
		}
		if r.isOver() || !strings.HasPrefix(r.rest(), "->") {
			break
		}
		r.at += len("->")
		at := r.at
		if w.from, w.arg = first, r.readWord(); !canBeState(w.arg) {
			r.fail(at, "found %q, expected the state it leads to", w.arg)
		}
	}
	w.text = strings.TrimSpace(r.text[from:r.at])
	return w
}

// canBeState reports whether a word can be a state's name. The config says whether it
// is.
func canBeState(s string) bool { return s != "" && !strings.ContainsAny(s, `"'()<>=:;`) }
