package rehearse

import (
	"cmp"
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A Replay puts the records of a session before a policy, one after the other.
type Replay struct {
	Policy      *fsm.Policy
	Base        *session.Store                                // has the texts that were captured; nil for none
	Older       func(fingerprint string) (*fsm.Policy, error) // a policy that was in force before
	NoOverrides bool                                          // leaves out what persons had ordered about the level

	rehearsal *Rehearsal
	prev      journal.Record // the record before, good or not
}

// An Outcome is a record put before the policy again.
type Outcome struct {
	Record   journal.Record
	Event    fsm.Event
	Before   fsm.Session
	After    fsm.Session
	Decision fsm.Decision
	Skipped  string // why it cannot be decided again; then only the record counts
}

// recorded is the verdict of then.
func (o Outcome) recorded() string { return cmp.Or(o.Record.Verdict, fsm.Pass.String()) }

// IsSame reports whether the answer is the recorded one.
func (o Outcome) IsSame() bool {
	return o.recorded() == o.Decision.Verdict.String() && o.Record.Rule == o.Decision.Rule &&
		cmp.Or(o.Record.StrictVerdict, o.recorded()) == o.Decision.StrictVerdict.String()
}

// HasSameMoves reports whether the machine fired as it did then.
func (o Outcome) HasSameMoves() bool { return slices.Equal(o.Record.Moves, o.Decision.Moves) }

// isOfQuarantined reports whether the call is of an agent that this policy would not
// have admitted, and that did start: then the call would not have been made at all.
func (o Outcome) isOfQuarantined() bool {
	is := func(s fsm.Session) bool {
		return slices.ContainsFunc(s.Agents.Runs, func(r fsm.Run) bool {
			return r.ID == o.Event.Agent.ID && r.Quarantined != ""
		})
	}
	return !o.Event.Agent.IsMain() && is(o.After) && !is(o.Record.State)
}

// recordedSessions is a memory whose texts may also be those that were captured then.
// What has become of the sessions since does not count.
type recordedSessions struct {
	*session.Memory
	base *session.Store
}

// Texts are what was kept then, and what this policy alone has kept.
func (r recordedSessions) Texts(s fsm.Session) map[string]string {
	out := map[string]string{}
	if r.base != nil {
		out = r.base.Texts(s)
	}
	maps.Copy(out, r.Memory.Texts(s))
	return out
}

// isRecorded reports whether a record says all that was known then of a fact.
func isRecorded(n fsm.Need) bool { return n != fsm.NeedCaptured }

// Follow makes the next record follow this one.
func (p *Replay) Follow(r journal.Record) { p.prev = r }

// Next puts one record before the policy. False: it is no event.
func (p *Replay) Next(r journal.Record) (Outcome, bool) {
	prev := p.prev
	p.prev = r
	if !slices.Contains(fsm.Kinds(), r.Event.Kind) { // a person's dispute, for example
		return Outcome{}, false
	}
	if p.rehearsal == nil {
		p.rehearsal = New(Stage{Handler: hooks.Handler{Policy: p.Policy, Given: isRecorded}})
	}
	p.rehearsal.id = r.State.ID
	p.rehearsal.Memory = &session.Memory{}
	if s := p.readmit(prev.State, r); s.ID != "" {
		p.rehearsal.Memory.Put(s)
	}
	p.rehearsal.handler.Sessions = recordedSessions{p.rehearsal.Memory, p.Base}
	o := Outcome{Record: r, Event: r.Event, Before: p.rehearsal.Session()}
	o.Event.Session = r.State.ID
	if k := r.Event.Kind; k == fsm.Reset || k == fsm.Reject {
		o.Event.Text = r.Reason
	}
	if p.NoOverrides {
		o.Event.Facts.Overrides = fsm.Overrides{}
	}
	o.Skipped = p.cannot(prev, &o)
	if o.Skipped == "" {
		a, err := p.rehearsal.answer(hooks.NoCall{}, o.Event)
		if o.After, o.Decision = p.rehearsal.Session(), a.Decision; err != nil {
			o.Skipped = err.Error()
		}
	}
	return o, true
}

// readmit is the recorded session with the agents admitted that another policy kept out
// and this one admits.
func (p *Replay) readmit(s fsm.Session, r journal.Record) fsm.Session {
	if r.Policy == p.Policy.Fingerprint {
		return s
	}
	s.Agents.Runs = slices.Clone(s.Agents.Runs)
	for i := range s.Agents.Runs {
		run := &s.Agents.Runs[i]
		if _, ok := p.Policy.NewTable().Admits(run.Quarantined, run.Type); ok || len(p.Policy.States) == 0 {
			run.Quarantined = ""
		}
	}
	return s
}

// texts are what a session has captured.
func (p *Replay) texts(s fsm.Session) map[string]string { return p.rehearsal.handler.Sessions.Texts(s) }
