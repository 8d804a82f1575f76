package rehearse

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Why a record cannot be decided again. What is missing is never guessed.
const (
	WhyNone    = "what was asked was not recorded (audit.input: none)"
	WhyCut     = "what was asked was cut or had a secret taken out"
	WhyText    = "what the agent said is not kept in full, and the policy asks for it"
	WhyCapture = "a captured text is gone"
	WhyFork    = "the session that it was forked from is not in this journal"
	WhyGap     = "the record before it is missing or damaged"
	WhyState   = "the policy does not have the state that the session was in"
	WhyAsked   = "the policy asks for inputs or variables that were not recorded"
)

// cannot says why the event cannot be decided again; empty if it can. It makes the
// event's text whole.
func (p *Replay) cannot(prev journal.Record, o *Outcome) string {
	r, before := o.Record, o.Before.Machine
	_, isKnownState := p.Policy.FindState(before.State)
	switch {
	case r.Prev != prev.Hash || r.Recovered: // the recorded session is not what the event met
		return WhyGap
	case o.Before.ID != "" && !before.Off && !isKnownState && len(p.Policy.States) > 0:
		return WhyState
	case r.ForkedFrom != "":
		return WhyFork
	case r.Event.Kind == fsm.ToolRequest && len(r.Event.Tool.Parts) == 0:
		return WhyNone
	case r.Cut:
		return WhyCut
	case !p.completeText(r, o.Before, &o.Event):
		return WhyText
	case p.hasLostText(o.Before):
		return WhyCapture
	case o.Event.Kind == fsm.ToolRequest && p.asksUnrecorded(*o):
		return WhyAsked
	}
	return ""
}

// hasLostText reports whether a text is gone by which a waiting agent would be
// completed.
func (p *Replay) hasLostText(s fsm.Session) bool {
	return slices.ContainsFunc(s.Agents.Runs, func(r fsm.Run) bool {
		if r.Status != fsm.Waiting {
			return false
		}
		_, ok := p.texts(s)[r.ID]
		return !ok
	})
}

// asksUnrecorded reports whether the answer would be another if what was not recorded
// were otherwise: tried for each rule that asks for such a thing, once as if it held
// and once as if it did not.
func (p *Replay) asksUnrecorded(o Outcome) bool {
	known := p.isKnown(o)
	var base *fsm.Decision
	for r := range p.Policy.EveryRule {
		if known(*r) {
			continue
		}
		if base == nil {
			_, d := p.Policy.Step(o.Before, o.Event)
			base = &d
		}
		was := *r
		r.Inputs, r.Env, r.UnlessEnv = nil, nil, nil
		_, holds := p.Policy.Step(o.Before, o.Event)
		r.Tools = nil
		_, not := p.Policy.Step(o.Before, o.Event)
		*r = was
		for _, d := range []fsm.Decision{holds, not} {
			if d.Verdict != base.Verdict || d.StrictVerdict != base.StrictVerdict || d.Rule != base.Rule {
				return true
			}
		}
	}
	return false
}

// isKnown reports of a rule whether all that its conditions are about was recorded with
// the event.
func (p *Replay) isKnown(o Outcome) func(fsm.Rule) bool {
	then := p.Policy
	if o.Record.Policy != then.Fingerprint {
		then = &fsm.Policy{}
		if p.Older != nil {
			if old, err := p.Older(o.Record.Policy); err == nil {
				then = old
			}
		}
	}
	names, inputs := then.ListEnvNames(), then.CanNeed(fsm.NeedInput, o.Event)
	return func(r fsm.Rule) bool {
		for _, c := range slices.Concat(r.Env, r.UnlessEnv) {
			if _, set := o.Event.Facts.Env[c.Name]; !set && !slices.Contains(names, c.Name) {
				return false
			}
		}
		return len(r.Inputs) == 0 || inputs
	}
}

// hidden stands in a record where a secret stood.
const hidden = "[secret]"

// completeText makes the text of an agent's end whole again: from the record, else from
// what was captured of it. It reports whether all that the policy asks of the text can
// be told.
func (p *Replay) completeText(r journal.Record, before fsm.Session, e *fsm.Event) bool {
	isWhole := r.TextLength == 0 && !strings.Contains(r.Event.Text, hidden)
	if isWhole || e.Kind != fsm.AgentStop {
		return true
	}
	for _, hash := range r.Texts {
		refs := map[string]fsm.Ref{"": {Hash: filepath.Base(hash)}}
		t, ok := p.texts(fsm.Session{ID: r.State.ID, Machine: fsm.Machine{Captures: refs}})[""]
		if ok && isBeginningOf(r, t) {
			e.Text = t
			return true
		}
	}
	if strings.Contains(e.Text, hidden) || strings.TrimSpace(e.Text) == "" {
		return false
	}
	isAgent := func(globs []string) bool { // the session may know the agent by another type
		return fsm.MatchAgent(globs, e.Agent.Type) || slices.ContainsFunc(before.Agents.Runs, func(run fsm.Run) bool {
			return run.ID == e.Agent.ID && fsm.MatchAgent(globs, run.Type)
		})
	}
	asks := func(t fsm.Trigger) bool { return t.Says != "" && isAgent(t.Agents) }
	return len(p.Policy.Fails) == 0 && !slices.ContainsFunc(p.Policy.States, func(st fsm.State) bool {
		return slices.ContainsFunc(st.Triggers, asks)
	})
}

// isBeginningOf reports whether a captured text may be what a record has the beginning
// of: an agent's end may also complete others, whose texts it refers to as well.
func isBeginningOf(r journal.Record, text string) bool {
	begins := strings.TrimSpace(r.Event.Text)
	if n := strings.Index(begins, hidden); n >= 0 {
		begins = strings.TrimRight(begins[:n], " ") // "password:x" is recorded as "password: [secret]"
	}
	return len(text) <= max(r.TextLength, len(r.Event.Text)) && strings.HasPrefix(text, begins)
}
