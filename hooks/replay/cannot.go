package replay

import (
	"slices"

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

// cannot says why the event cannot be decided again; empty if it can. It makes the event's text whole.
func (p *Player) cannot(prev journal.Record, o *Outcome) string {
	r := o.Record
	if !p.Sequential {
		if why := p.unlike(prev, r, o.Before); why != "" {
			return why
		}
	}
	switch {
	case r.ForkedFrom != "":
		return WhyFork
	case r.Event.Kind == fsm.ToolRequest && len(r.Event.Tool.Parts) == 0:
		return WhyNone
	case r.Cut:
		return WhyCut
	case !said(p.Policy, r, &o.Event, p.Text):
		return WhyText
	case p.lost(o.Before):
		return WhyCapture
	case o.Event.Kind == fsm.ToolRequest && p.unasked(*o):
		return WhyAsked
	}
	return ""
}

// unlike says why the recorded session before an event is not what the event met, or is none that the policy knows.
func (p *Player) unlike(prev, r journal.Record, before fsm.Session) string {
	if r.Prev != prev.Hash || r.Recovered {
		return WhyGap
	}
	if before.ID == "" || before.Machine.Off {
		return ""
	}
	if _, known := p.Policy.FindState(before.Machine.State); !known && len(p.Policy.States) > 0 {
		return WhyState
	}
	return ""
}

// lost reports whether a text is gone by which a waiting agent would be completed.
func (p *Player) lost(s fsm.Session) bool {
	var have map[string]string
	for _, r := range s.Agents.Runs {
		if r.Status != fsm.Waiting {
			continue
		}
		if have == nil {
			have = p.captured(s)
		}
		if _, ok := have[r.ID]; !ok {
			return true
		}
	}
	return false
}

// unasked reports whether the answer would be another if what was not recorded were otherwise: tried for each rule that asks
// for such a thing, once as if it held and once as if it did not.
func (p *Player) unasked(o Outcome) bool {
	known := p.known(o)
	var base *fsm.Decision
	for r := range rules(p.Policy) {
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
		if !alike(*base, holds) || !alike(*base, not) {
			return true
		}
	}
	return false
}

func alike(a, b fsm.Decision) bool {
	return a.Verdict == b.Verdict && a.StrictVerdict == b.StrictVerdict && a.Rule == b.Rule
}

// known tells of a rule whether all that its conditions are about was recorded with the event.
func (p *Player) known(o Outcome) func(fsm.Rule) bool {
	then := p.Policy
	if o.Record.Policy != then.Fingerprint {
		then = &fsm.Policy{}
		if p.Older != nil {
			if old, err := p.Older(o.Record.Policy); err == nil {
				then = old
			}
		}
	}
	names, inputs := then.ListEnvNames(), false
	for _, n := range then.Needs(fsm.Session{}, o.Event) {
		inputs = inputs || n == fsm.NeedInput
	}
	return func(r fsm.Rule) bool {
		for _, c := range slices.Concat(r.Env, r.UnlessEnv) {
			if _, set := o.Event.Facts.Env[c.Name]; !set && !slices.Contains(names, c.Name) {
				return false
			}
		}
		return len(r.Inputs) == 0 || inputs
	}
}

// rules yields every rule of a policy, to be changed and put back.
func rules(p *fsm.Policy) func(func(*fsm.Rule) bool) {
	return func(yield func(*fsm.Rule) bool) {
		for _, set := range []*fsm.Rules{&p.Main, &p.Subagents} {
			for i := range set.List {
				if !yield(&set.List[i]) {
					return
				}
			}
		}
	}
}
