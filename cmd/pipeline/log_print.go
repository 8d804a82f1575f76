package main

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// print writes a record: as it is, or as columns of fixed width, since who filters a month does not wait for its end.
func (l *logger) print(f found) {
	if l.asJSON {
		l.buf = append(append(l.buf, f.line.Raw...), '\n')
	} else {
		l.buf = append(l.columns(f), '\n')
	}
	if len(l.buf) > 32<<10 {
		l.flush()
	}
}

func (l *logger) columns(f found) []byte {
	r := &f.line
	verdict := r.Verdict
	if verdict == "" && r.StrictVerdict != "" {
		verdict = "pass"
	}
	b := fmt.Appendf(l.buf, "%s  %s  %s  %s  ", pad(l.name(f), 13), r.Time.Local().Format("01-02 15:04:05"), pad(agentOf(r), 20), pad(what(r), 13))
	b = fmt.Appendf(b, "%s  ", l.verdict(verdict, pad(verdict, 4)))
	tail := strings.TrimSpace(oneLineOf(shortOf(r)))
	if r.Rule != "" {
		tail = strings.TrimSpace(ruleOf(r) + "  " + tail)
	}
	return append(b, cut(tail, 200)...)
}

// name is how `pipeline dispute` is told of a record: the beginning of its session's id, and its number.
func (l *logger) name(f found) string {
	id := f.session
	if len(id) > 8 && l.many {
		id = id[:8]
	}
	return fmt.Sprintf("%s:%d", id, f.line.Seq)
}

func agentOf(r *journal.Line) string {
	switch {
	case r.AgentID == "":
		return "main"
	case r.Agent == "":
		return r.AgentID
	}
	return r.Agent
}

func what(r *journal.Line) string {
	if r.Kind == fsm.ToolRequest {
		return r.Tool
	}
	return r.Kind.String()
}

func ruleOf(r *journal.Line) string {
	if r.StrictVerdict != "" && r.StrictVerdict != r.Verdict {
		return r.Rule + " (strict: " + r.StrictVerdict + ")"
	}
	return r.Rule
}

// shortOf is what a record is about, in a few words.
func shortOf(r *journal.Line) string {
	var out []string
	r.Moves().ForEach(func(_, m gjson.Result) bool {
		out = append(out, m.Get("from").String()+" → "+m.Get("to").String())
		return true
	})
	r.EachPart(func(p gjson.Result) {
		words := []string{p.Get("path").String()}
		for _, w := range p.Get("words").Array() {
			words = append(words, w.String())
		}
		out = append(out, strings.TrimSpace(strings.Join(words, " ")))
	})
	if len(out) == 0 {
		out = append(out, cmp.Or(r.Starts().Get("type").Str, r.Event("text").Str, r.Reason, r.Event("source").Str))
	}
	return strings.Join(out, " · ")
}

// oneLineOf takes out what would break a line or drive a terminal: records hold what agents wrote.
func oneLineOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' {
			return ' '
		}
		if !unicode.IsPrint(r) {
			return '·'
		}
		return r
	}, s)
}

func (l *logger) verdict(v, text string) string {
	switch {
	case l.colour && v == "deny":
		return "\x1b[31m" + text + "\x1b[0m"
	case l.colour && (v == "ask" || v == "warn"):
		return "\x1b[33m" + text + "\x1b[0m"
	}
	return text
}

func pad(s string, width int) string {
	s = oneLineOf(s)
	if n := utf8.RuneCountInString(s); n < width {
		return s + strings.Repeat(" ", width-n)
	}
	return s
}
