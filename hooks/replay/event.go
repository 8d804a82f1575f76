// Package replay puts recorded events before a policy again: what would it have decided? It knows no disk: records and
// captured texts are given to it.
package replay

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// isEvent reports whether a record is of an event. A person's dispute, for example, is not.
func isEvent(r journal.Record) bool { return slices.Contains(fsm.Kinds(), r.Event.Kind) }

// eventOf is the event that a record was made of, as far as it is recorded.
func eventOf(r journal.Record, session string) fsm.Event {
	e := r.Event
	e.Session = session
	if e.Kind == fsm.Reset {
		e.Text = r.Reason
	}
	return e
}

// hidden stands in a record where a secret stood.
const hidden = "[secret]"

// isWhole reports whether a record has all of what was said.
func isWhole(r journal.Record) bool {
	return r.TextLength == 0 && !strings.Contains(r.Event.Text, hidden)
}

// said makes the text of an agent's end whole again: from the record, else from what was captured of it. It reports
// whether all that the policy asks of the text can be told.
func said(p *fsm.Policy, r journal.Record, e *fsm.Event, text func(hash string) (string, bool)) bool {
	if isWhole(r) || e.Kind != fsm.AgentStop {
		return true
	}
	for _, hash := range r.Texts {
		if t, ok := text(hash); ok && fits(t, r) {
			e.Text = t
			return true
		}
	}
	if strings.Contains(e.Text, hidden) || strings.TrimSpace(e.Text) == "" {
		return false
	}
	return !slices.ContainsFunc(asked(p, e.Agent.Type), func(pattern string) bool { return !decided(pattern, e.Text) })
}

// fits reports whether a captured text may be what a record has the beginning of: an agent's end may also complete
// others, whose texts it refers to as well.
func fits(text string, r journal.Record) bool {
	begins := strings.TrimSpace(r.Event.Text)
	if n := strings.Index(begins, hidden); n >= 0 {
		begins = strings.TrimRight(begins[:n], " ") // "password:x" is recorded as "password: [secret]"
	}
	return len(text) <= max(r.TextLength, len(r.Event.Text)) && strings.HasPrefix(text, begins)
}

// asked are the patterns that an agent's final message is put to.
func asked(p *fsm.Policy, agent string) []string {
	out := slices.Clone(p.Fails)
	for _, st := range p.States {
		for _, t := range st.Triggers {
			if t.Says != "" && fsm.MatchAgent(t.Agents, agent) {
				out = append(out, t.Says)
			}
		}
	}
	return out
}
