package rehearse

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
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
	Prev        journal.Record                                // the record before the next, good or not

	rehearsal *Rehearsal
	older     *fsm.Policy // what Older has found last
	asked     string      // for which fingerprint
}

// An Outcome is a record put before the policy again.
type Outcome struct {
	Answer
	Record  journal.Record
	After   fsm.Session
	Skipped string // why it cannot be decided again; then only the record counts
}

// recorded is the verdict of then.
func (o Outcome) recorded() string { return cmp.Or(o.Record.Verdict, fsm.Pass.String()) }

// IsSame reports whether the answer is the recorded one.
func (o Outcome) IsSame() bool {
	return o.recorded() == o.Decision.Verdict.String() && o.Record.Rule == o.Decision.Rule &&
		cmp.Or(o.Record.StrictVerdict, o.recorded()) == o.Decision.StrictVerdict.String()
}

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

// Next puts one record before the policy. False: it is no event.
func (p *Replay) Next(r journal.Record) (Outcome, bool) {
	prev := p.Prev
	p.Prev = r
	if !slices.Contains(fsm.Kinds(), r.Event.Kind) { // a person's dispute, for example
		return Outcome{}, false
	}
	if p.rehearsal == nil {
		isRecorded := func(n fsm.Need) bool { return n != fsm.NeedCaptured } // the record says all that was known then
		p.rehearsal = New(Stage{Handler: hooks.Handler{Policy: p.Policy, Given: isRecorded}})
	}
	p.rehearsal.id = r.State.ID
	p.rehearsal.Memory = &session.Memory{Past: p.Base} // what has become of the sessions since does not count
	if s := prev.State; s.ID != "" {
		if r.Policy != p.Policy.Fingerprint { // another policy may have kept agents out that this one admits
			s.Agents.Runs = slices.Clone(s.Agents.Runs)
			table := p.Policy.NewTable()
			for i := range s.Agents.Runs {
				run := &s.Agents.Runs[i]
				if len(p.Policy.States) == 0 || table.Admits(run.Quarantined, run.Type) != nil {
					run.Quarantined = ""
				}
			}
		}
		p.rehearsal.Memory.Put(s)
	}
	p.rehearsal.handler.Sessions = p.rehearsal.Memory
	o := Outcome{Record: r, Answer: Answer{Event: r.Event, Before: p.rehearsal.Session()}}
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
	isLost := func(run fsm.Run) bool { // the text by which a waiting agent would be completed
		ok := run.Status != fsm.Waiting
		if !ok {
			_, ok = p.rehearsal.Memory.Texts(o.Before)[run.ID]
		}
		return !ok
	}
	switch {
	case r.Prev != prev.Hash || r.Recovered: // the recorded session is not what the event met
		return WhyGap
	case o.Before.ID != "" && !before.Off && p.Policy.FindState(before.State).Name == "" && len(p.Policy.States) > 0:
		return WhyState
	case r.ForkedFrom != "":
		return WhyFork
	case r.Event.Kind == fsm.ToolRequest && len(r.Event.Tool.Parts) == 0:
		return WhyNone
	case r.Cut:
		return WhyCut
	case !p.completeText(r, o.Before, &o.Event):
		return WhyText
	case slices.ContainsFunc(o.Before.Agents.Runs, isLost):
		return WhyCapture
	case o.Event.Kind == fsm.ToolRequest && p.asksUnrecorded(*o):
		return WhyAsked
	}
	return ""
}

// asksUnrecorded reports whether the answer would be another if what was not recorded
// were otherwise: tried for each rule that asks for such a thing, once as if it held
// and once as if it did not.
func (p *Replay) asksUnrecorded(o Outcome) bool {
	then := p.Policy
	if asked := o.Record.Policy; asked != then.Fingerprint {
		if p.older == nil || p.asked != asked {
			p.asked = asked
			if p.older, _ = p.Older(asked); p.older == nil { // it is gone
				p.older = &fsm.Policy{}
			}
		}
		then = p.older
	}
	names, hasInputs := then.ListEnvNames(), then.CanNeed(fsm.NeedInput, o.Event)
	isUnknown := func(c fsm.Input) bool { // what of a rule's conditions was not recorded with the event
		_, set := o.Event.Facts.Env[c.Name]
		return !set && !slices.Contains(names, c.Name)
	}
	var base *fsm.Decision
	for _, r := range p.Policy.AllRules() {
		if (len(r.Inputs) == 0 || hasInputs) && !slices.ContainsFunc(slices.Concat(r.Env, r.UnlessEnv), isUnknown) {
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

// completeText makes the text of an agent's end whole again: from the record, else from
// what was captured of it. It reports whether all that the policy asks of the text can
// be told.
func (p *Replay) completeText(r journal.Record, before fsm.Session, e *fsm.Event) bool {
	isWhole := r.TextLength == 0 && !strings.Contains(r.Event.Text, redact.Hidden)
	if isWhole || e.Kind != fsm.AgentStop {
		return true
	}
	begins := strings.TrimSpace(r.Event.Text)
	if n := strings.Index(begins, redact.Hidden); n >= 0 {
		begins = strings.TrimRight(begins[:n], " ") // "password:x" is recorded as "password: [secret]"
	}
	for _, hash := range r.Texts {
		refs := map[string]fsm.Ref{"": {Hash: filepath.Base(hash)}}
		t, ok := p.rehearsal.Memory.Texts(fsm.Session{ID: r.State.ID, Machine: fsm.Machine{Captures: refs}})[""]
		// An agent's end may also complete others, whose texts it refers to as well.
		if ok && len(t) <= max(r.TextLength, len(r.Event.Text)) && strings.HasPrefix(t, begins) {
			e.Text = t
			return true
		}
	}
	if strings.Contains(e.Text, redact.Hidden) || strings.TrimSpace(e.Text) == "" {
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
