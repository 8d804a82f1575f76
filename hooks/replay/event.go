// Package replay puts recorded events before a policy again: what would it have decided? It knows no disk: records and
// captured texts are given to it.
package replay

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// kindOf is the event's kind by the word that the journal has for it. Records that are no events (a person's dispute)
// have none.
func kindOf(word string) fsm.Kind {
	for k := fsm.SessionStart; k <= fsm.Reset; k++ {
		if k.String() == word {
			return k
		}
	}
	return fsm.Unknown
}

// eventOf is the event that a record was made of, as far as the record tells. Its text is still what was recorded: see
// said.
func eventOf(r journal.Record, session string) fsm.Event {
	in := r.Input
	if in == nil {
		in = &journal.Input{}
	}
	e := fsm.Event{Kind: kindOf(r.Kind), Session: session, Time: r.Time, Dir: in.Dir, Source: in.Source, Tasks: in.Tasks, Held: in.Held, Text: in.Text,
		Agent: fsm.Agent{ID: r.Agent, Type: r.Type, Basis: r.Basis},
		Tool:  fsm.Tool{Name: r.Tool, UseID: r.UseID, Starts: r.Starts, Parts: in.Parts, Input: in.Args},
		Facts: fsm.Facts{Env: in.Env, Spawn: in.Spawn, Present: in.Present, Gate: in.Gate, Checks: in.Checks, Absent: in.Absent}}
	e.Tool.Skill = in.Skill
	if in.Orders != nil {
		e.Facts.Overrides = *in.Orders
	}
	if in.Result != nil {
		e.Tool.Result = *in.Result
	}
	if in.Origin != "" {
		e.Origin = fsm.Notification
	}
	if in.Notice != nil {
		e.Notice = *in.Notice
	}
	switch e.Kind {
	case fsm.Reset:
		e.Text = r.Reason
	case fsm.ConfigChange: // the fact was the answer's reason
		if r.Rule == fsm.RuleProtect {
			e.Facts.Tampered = r.Reason
		}
	}
	return e
}

// hidden stands in a record where a secret stood.
const hidden = "[secret]"

// whole reports whether a record has all of what was said.
func whole(in *journal.Input) bool {
	return in == nil || len(in.Text) == in.Length && !strings.Contains(in.Text, hidden)
}

// said makes the text of an agent's end whole again: from the record, else from what was captured of it. It reports
// whether all that the policy asks of the text can be told.
func said(p *fsm.Policy, r journal.Record, e *fsm.Event, text func(hash string) (string, bool)) bool {
	if whole(r.Input) || e.Kind != fsm.AgentStop {
		return true
	}
	for _, hash := range r.Texts {
		if t, ok := text(hash); ok && fits(t, r.Input) {
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
func fits(text string, in *journal.Input) bool {
	begins := strings.TrimSpace(in.Text)
	if n := strings.Index(begins, hidden); n >= 0 {
		begins = strings.TrimRight(begins[:n], " ") // "password:x" is recorded as "password: [secret]"
	}
	return len(text) <= in.Length && strings.HasPrefix(text, begins)
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
