// Package watch draws a session for a person who looks on from a second terminal: the
// machine, the agents at work, the budgets and the last decisions.
package watch

import (
	"cmp"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/report"
)

// A History is what a session's journal tells beside its last record.
type History struct {
	Calls, Denied int
	Damaged       int // lines that are no records

	at      journal.Place
	entries []entry              // the newest last
	started map[string]time.Time // when agents started, by id
}

// kept is how many entries a history keeps. No screen shows more.
const kept = 200

// An entry is one decision, or one event that a person wants to know of.
type entry struct {
	at           time.Time
	verdict      string // of a call; "" for an event
	who, what    string
	tool         string
	rule, reason string
	times        int // calls of one agent with one tool that all passed are one entry
}

// machine is who moves the state.
const machine = "machine"

// Follow reads what has come to a session's journal, and reports whether something has.
func (h *History) Follow(dir string) (bool, error) {
	before := h.at
	to, err := journal.From(dir, h.at, &journal.Want{}, h.add, func(journal.Fault) { h.Damaged++ })
	h.at = to
	return to != before, err
}

// add takes a record. Its strings are cloned: they are part of a buffer that is used
// again.
func (h *History) add(l *journal.Line) bool {
	e := entry{at: l.Time, who: strings.Clone(nameAgent(l)), times: 1}
	switch l.Kind {
	case fsm.ToolRequest:
		h.addCall(l, e)
	case fsm.AgentStart:
		if h.started == nil {
			h.started = map[string]time.Time{}
		}
		h.started[strings.Clone(l.AgentID)] = l.Time
		h.addEvent(e, "starts")
	case fsm.AgentStop:
		h.addEvent(e, "ends")
	case fsm.Prompt:
		if l.Event("origin").Str == "" {
			e.who = "person"
			h.addEvent(e, "writes")
		}
	case fsm.SessionStart, fsm.SessionEnd:
		e.who = "session"
		h.addEvent(e, strings.TrimPrefix(l.Kind.String(), "session-"))
	case journal.Order:
		e.who = "person"
		h.addEvent(e, strings.Clone(cmp.Or(l.Event("text").Str, l.Reason)))
	}
	l.Moves().ForEach(func(_, m gjson.Result) bool {
		if from, to := m.Get("from").Str, m.Get("to").Str; from != to {
			h.addEvent(entry{at: l.Time, who: machine}, from+" → "+to)
		}
		return true
	})
	return true
}

func nameAgent(l *journal.Line) string {
	if l.AgentID == "" {
		return "main"
	}
	return cmp.Or(l.Agent, l.AgentID)
}

func (h *History) addCall(l *journal.Line, e entry) {
	if l.Repeated {
		return // a second registration of the hooks reports the same call
	}
	h.Calls++
	e.verdict = cmp.Or(strings.Clone(l.Verdict), fsm.Pass.String())
	e.tool, e.what = strings.Clone(l.Tool), strings.Clone(report.DescribeCall(l))
	if e.verdict == fsm.Pass.String() {
		if last := h.last(); last != nil && last.verdict == e.verdict && last.who == e.who && last.tool == e.tool {
			e.times += last.times
			*last = e
			return
		}
		h.append(e)
		return
	}
	if e.verdict == fsm.Deny.String() {
		h.Denied++
	}
	e.rule, e.reason = strings.Clone(l.Rule), strings.Clone(l.Reason)
	h.append(e)
}

func (h *History) addEvent(e entry, what string) {
	e.what = what
	h.append(e)
}

func (h *History) last() *entry {
	if len(h.entries) == 0 {
		return nil
	}
	return &h.entries[len(h.entries)-1]
}

func (h *History) append(e entry) {
	if h.entries = append(h.entries, e); len(h.entries) > 2*kept {
		h.entries = append([]entry{}, h.entries[kept:]...)
	}
}
