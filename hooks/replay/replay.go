package replay

import (
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A Player puts the records of a session before a policy, one after the other.
type Player struct {
	Policy     *fsm.Policy
	Texts      func(fsm.Session) map[string]string           // what a session has captured
	Text       func(hash string) (string, bool)              // a captured text
	Older      func(fingerprint string) (*fsm.Policy, error) // a policy that was in force before
	NoOrders   bool                                          // what persons had ordered about the level is left out
	Sequential bool                                          // the session follows this policy, not what really happened

	prev   journal.Record    // the record before, good or not
	now    fsm.Session       // as it is under this policy
	kept   map[string]string // texts that this policy has captured, by hash
	unsure string            // Sequential: why what follows is not certain
}

// An Outcome is a record put before the policy again.
type Outcome struct {
	Record   journal.Record
	Event    fsm.Event
	Before   fsm.Session
	After    fsm.Session
	Decision fsm.Decision
	Skipped  string // why it cannot be decided again; then nothing above but the record counts
	Unsure   string // it rests on a record that could not be decided again
}

// Was is what was decided then.
func (o Outcome) Was() (verdict, would, rule string) {
	verdict = orPass(o.Record.Verdict)
	would = o.Record.StrictVerdict
	if would == "" {
		would = verdict
	}
	return verdict, would, o.Record.Rule
}

func orPass(v string) string {
	if v == "" {
		return fsm.Pass.String()
	}
	return v
}

// Same reports whether the answer is the recorded one.
func (o Outcome) Same() bool {
	verdict, would, rule := o.Was()
	return verdict == o.Decision.Verdict.String() && would == o.Decision.StrictVerdict.String() && rule == o.Decision.Rule
}

// SameMoves reports whether the machine fired as it did then.
func (o Outcome) SameMoves() bool { return slices.Equal(o.Record.Moves, o.Decision.Moves) }

// Next puts one record before the policy. False: it is no event.
func (p *Player) Next(r journal.Record) (Outcome, bool) {
	prev := p.prev
	p.prev = r
	if !isEvent(r) {
		return Outcome{}, false
	}
	o := Outcome{Record: r, Before: p.readmitted(prev.State, r), Unsure: p.unsure}
	if p.Sequential {
		o.Before = p.now
	}
	o.Event = eventOf(r, r.State.ID)
	if p.NoOrders {
		o.Event.Facts.Overrides = fsm.Overrides{}
	}
	if o.Skipped = p.cannot(prev, &o); o.Skipped == "" {
		p.decide(&o)
	}
	p.follow(o)
	return o, true
}

// readmitted is the recorded session, in which agents that another policy kept out are let in where this one admits them.
func (p *Player) readmitted(s fsm.Session, r journal.Record) fsm.Session {
	if r.Policy == p.Policy.Fingerprint {
		return s
	}
	s.Agents.Runs = slices.Clone(s.Agents.Runs)
	for i := range s.Agents.Runs {
		run := &s.Agents.Runs[i]
		st, _ := p.Policy.FindState(run.Quarantined)
		if _, ok := st.Admits(run.Type); ok || len(p.Policy.States) == 0 {
			run.Quarantined = ""
		}
	}
	return s
}

// decide takes the step, as the hooks do.
func (p *Player) decide(o *Outcome) {
	needs := p.Policy.Needs(o.Before, o.Event)
	if slices.Contains(needs, fsm.NeedCaptured) {
		o.Event.Facts.Captured = p.captured(o.Before)
	}
	o.After, o.Decision = p.Policy.Step(o.Before, o.Event)
	if o.Decision.Inject != "" && o.Event.Agent.IsMain() && o.Event.Late {
		o.After.Talk.AnnouncedVisit, o.After.Talk.PendingNotice = 0, o.Before.Talk.PendingNotice
	}
}

// captured are the texts of a session: what was kept then, and what this policy alone has kept.
func (p *Player) captured(s fsm.Session) map[string]string {
	out := p.Texts(s)
	if out == nil {
		out = map[string]string{}
	}
	refs := maps.Clone(s.Machine.Captures)
	if refs == nil {
		refs = map[string]fsm.Ref{}
	}
	for _, r := range s.Agents.Runs {
		if r.Final != nil {
			refs[r.ID] = *r.Final
		}
	}
	for name, ref := range refs {
		if text, ok := p.kept[ref.Hash]; ok {
			out[name] = text
		}
	}
	return out
}

// follow goes on to the next record: the session as this policy leaves it.
func (p *Player) follow(o Outcome) {
	if !p.Sequential {
		return
	}
	if o.Skipped != "" {
		p.unsure = o.Skipped
		if o.Event.Kind == fsm.SessionStart { // what was inherited is a fact, not this policy's doing
			p.now = o.Record.State
		}
		return
	}
	p.now = o.After
	if p.kept == nil {
		p.kept = map[string]string{}
	}
	for _, t := range o.Decision.Texts {
		p.kept[t.Ref.Hash] = t.Text
	}
}

// barred reports whether the call is of an agent that this policy would not have let start, and that did start: then the
// call would not have been made at all.
func (o Outcome) barred() bool {
	return out(o.After, o.Event.Agent.ID) && !out(o.Record.State, o.Event.Agent.ID)
}

func out(s fsm.Session, agent string) bool {
	return agent != "" && slices.ContainsFunc(s.Agents.Runs, func(r fsm.Run) bool { return r.ID == agent && r.Quarantined != "" })
}
