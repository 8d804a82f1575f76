package fsm

import (
	"context"
	"errors"
	"slices"

	loop "github.com/looplab/fsm"
)

// A machine is looplab's engine, built from the policy and put into a session's state.
// Its events are our triggers: what the user wrote. We match agents to triggers;
// looplab says whether a trigger leads anywhere from here, and moves.
type machine struct {
	engine *loop.FSM
	guard  func(Trigger) error     // before: may it fire? nil: it may
	enter  func(state string)      // the state has changed
	record func(t Trigger, m Move) // after: also when the state stays
	at     State                   // where it stands
}

// newMachine builds the engine, put into one state of the policy.
func (t *Table) newMachine(m machine) *machine {
	m.engine = loop.NewFSM(m.at.Name, t.transitions, loop.Callbacks{
		"before_event": func(_ context.Context, e *loop.Event) {
			if m.guard == nil {
				return
			}
			if err := m.guard(m.at.findTrigger(e.Event)); err != nil {
				e.Cancel(err)
			}
		},
		"enter_state": func(_ context.Context, e *loop.Event) { m.enter(e.Dst) },
		"after_event": func(_ context.Context, e *loop.Event) {
			m.record(m.at.findTrigger(e.Event), Move{Trigger: e.Event, From: e.Src, To: e.Dst})
		},
	})
	return &m
}

func (p *Policy) listTransitions() []loop.EventDesc {
	var out []loop.EventDesc
	for _, st := range p.States {
		for _, t := range st.Triggers {
			out = append(out, loop.EventDesc{Name: t.Name, Src: []string{st.Name}, Dst: t.To})
		}
		if st.OnStop != "" {
			out = append(out, loop.EventDesc{Name: TurnEnds, Src: []string{st.Name}, Dst: st.OnStop})
		}
		if st.OnPlan != "" {
			out = append(out, loop.EventDesc{Name: PlanApproved, Src: []string{st.Name}, Dst: st.OnPlan})
		}
	}
	return out
}

// An engineError is an error of looplab itself: the state machine did not do what the
// policy says.
type engineError struct{ err error }

func (e engineError) Error() string { return "the state machine failed: " + e.err.Error() }

// fire asks looplab to follow a trigger. It returns what kept it from firing; staying
// in the state is not an error.
func (m *machine) fire(trigger string) error {
	err := m.engine.Event(context.Background(), trigger)
	var stays loop.NoTransitionError
	var held loop.CanceledError
	switch {
	case err == nil, errors.As(err, &stays):
		return nil
	case errors.As(err, &held):
		return held.Err
	}
	return engineError{err}
}

// A Table answers who may start in a state, and what moves the machine there. It asks looplab's
// engine, and knows of the policy only what agents and conditions each transition has.
type Table struct {
	p           *Policy
	transitions []loop.EventDesc
	engine      *loop.FSM
}

// NewTable makes the table of the policy's states.
func (p *Policy) NewTable() *Table {
	transitions := p.listTransitions()
	return &Table{p, transitions, loop.NewFSM(p.Initial, transitions, nil)}
}

// List lists the triggers of a state that lead anywhere, in the order of the config.
func (t *Table) List(state string) (out []Trigger) {
	t.engine.SetState(state)
	open := t.engine.AvailableTransitions()
	in, _ := t.p.FindState(state)
	for _, trigger := range in.Triggers {
		if slices.Contains(open, trigger.Name) {
			out = append(out, trigger)
		}
	}
	return out
}

// Leads lists those that agents of a type fire, in the order in which they are tried.
func (t *Table) Leads(state, agent string) []Trigger {
	return slices.DeleteFunc(t.List(state), func(tr Trigger) bool { return !MatchAgent(tr.Agents, agent) })
}

// Admits reports whether an agent of this type may start in a state, and by which trigger.
func (t *Table) Admits(state, agent string) (Trigger, bool) {
	leads := t.Leads(state, agent)
	if len(leads) == 0 {
		return Trigger{}, false
	}
	return leads[0], true
}

// HasWorker reports whether agents of this type do the state's work, rather than help.
func (t *Table) HasWorker(state, agent string) bool {
	tr, ok := t.Admits(state, agent)
	return ok && !tr.Helper
}

// Next lists the agent types that may start in a state, in the words of the config: first those
// that lead on, then those that work here, lead back, and help.
func (t *Table) Next(state string) []string {
	at := t.p.stateIndex(state)
	var ranks [4][]string
	for _, tr := range t.List(state) {
		rank, to := 2, t.p.stateIndex(tr.To) // the states are in the order in which they are reached
		switch {
		case tr.Helper:
			rank = 3
		case to > at:
			rank = 0
		case to == at:
			rank = 1
		}
		ranks[rank] = append(ranks[rank], tr.Agents...)
	}
	return unique(slices.Concat(ranks[:]...))
}

// FindLeads lists the triggers that the completion of an agent of this type may fire in a state, if
// the main agent started it there: one for each final message that is asked for, and last the one
// that asks for nothing. Without that last one it may be none.
func (t *Table) FindLeads(state, agent string) (out []Trigger) {
	for _, tr := range t.Leads(state, agent) {
		if slices.ContainsFunc(out, func(o Trigger) bool { return o.Says == tr.Says }) {
			continue // of those that ask for the same the first counts
		}
		if out = append(out, tr); tr.Says == "" {
			break
		}
	}
	return out
}

func unique(in []string) []string {
	var out []string
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
