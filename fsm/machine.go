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
	guard  func(Trigger) error       // before: may it fire? nil: it may
	enter  func(state string)        // the state has changed
	record func(t Trigger, m Move)   // after: also when the state stays
	find   func(name string) Trigger // the trigger of the state we are in
}

// newEngine makes looplab's engine; a test breaks it.
var newEngine = loop.NewFSM

// newMachine builds the engine, put into one state of the policy.
func (p *Policy) newMachine(state string, m machine) *machine {
	m.engine = newEngine(state, p.listTransitions(), loop.Callbacks{
		"before_event": func(_ context.Context, e *loop.Event) {
			if m.guard == nil {
				return
			}
			if err := m.guard(m.find(e.Event)); err != nil {
				e.Cancel(err)
			}
		},
		"enter_state": func(_ context.Context, e *loop.Event) { m.enter(e.Dst) },
		"after_event": func(_ context.Context, e *loop.Event) {
			m.record(m.find(e.Event), Move{Trigger: e.Event, From: e.Src, To: e.Dst})
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

// NextAgents lists the agent types that may start in a state, in the words of the
// config: first those that lead on, then those that work here, lead back, and help.
func (p *Policy) NextAgents(state string) []string {
	at := p.stateIndex(state)
	if at < 0 {
		return nil
	}
	open := p.newMachine(state, machine{}).engine.AvailableTransitions()
	var ranks [4][]string
	for _, t := range p.States[at].Triggers {
		if !slices.Contains(open, t.Name) {
			continue
		}
		rank, to := 2, p.stateIndex(t.To) // the states are in the order in which they are reached
		switch {
		case t.Helper:
			rank = 3
		case to > at:
			rank = 0
		case to == at:
			rank = 1
		}
		ranks[rank] = append(ranks[rank], t.Agents...)
	}
	return unique(slices.Concat(ranks[:]...))
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

// A Lead is one thing that the completion of an agent may come to.
type Lead struct {
	Trigger Trigger // as it was written
	To      string  // the state it leads to; its own state to stay
}

// FindLeads lists what the completion of an agent of this type may come to in a state,
// if the main agent started it there. There is one lead for each trigger that asks for
// a certain final message, and last the one that asks for nothing. The message decides
// which of them it is; without the last one it may be none. Of triggers that ask for
// the same the first counts.
func (p *Policy) FindLeads(state, agent string) []Lead {
	in, _ := p.FindState(state)
	var out []Lead
	m := machine{find: in.findTrigger, enter: func(string) {},
		record: func(t Trigger, m Move) { out = append(out, Lead{t, m.To}) }}
	for _, t := range in.Triggers {
		taken := slices.ContainsFunc(out, func(l Lead) bool { return l.Trigger.Says == t.Says })
		if taken || !MatchAgent(t.Agents, agent) {
			continue
		}
		if err := p.newMachine(state, m).fire(t.Name); err != nil {
			panic(err) // nothing guards a trigger here: the table of transitions is wrong
		}
		if out[len(out)-1].Trigger.Says == "" {
			return out
		}
	}
	return out
}
