package fsm

import (
	"context"
	"errors"
	"slices"

	loop "github.com/looplab/fsm"
)

// A machine is looplab's engine, built from the policy and put into a session's state. Its events are our triggers:
// what the user wrote. Whether a name matches a trigger is ours to say; whether the trigger leads anywhere from here,
// and going there, is looplab's.
type machine struct {
	engine *loop.FSM
	guard  func(Trigger) error       // before: may it fire?
	enter  func(state string)        // the state has changed
	record func(t Trigger, m Move)   // after: also when the state stays
	find   func(name string) Trigger // the trigger of the state we are in
}

// machine builds the engine for one state of the policy.
func (p *Policy) machine(state string, m machine) *machine {
	m.engine = loop.NewFSM(state, p.transitions(), loop.Callbacks{
		"before_event": m.before,
		"enter_state":  func(_ context.Context, e *loop.Event) { m.enter(e.Dst) },
		"after_event":  m.after,
	})
	return &m
}

func (p *Policy) transitions() []loop.EventDesc {
	var out []loop.EventDesc
	for _, st := range p.States {
		for _, t := range st.Triggers {
			out = append(out, loop.EventDesc{Name: t.Name, Src: []string{st.Name}, Dst: t.To})
		}
		if st.OnStop != "" {
			out = append(out, loop.EventDesc{Name: TurnEnds, Src: []string{st.Name}, Dst: st.OnStop})
		}
	}
	return out
}

func (m *machine) before(_ context.Context, e *loop.Event) {
	if err := m.guard(m.find(e.Event)); err != nil {
		e.Cancel(err)
	}
}

func (m *machine) after(_ context.Context, e *loop.Event) {
	m.record(m.find(e.Event), Move{Trigger: e.Event, From: e.Src, To: e.Dst})
}

// fire asks looplab to follow a trigger. It returns what kept it from firing; staying in the state is not an error.
func (m *machine) fire(trigger string) error {
	err := m.engine.Event(context.Background(), trigger)
	var stays loop.NoTransitionError
	var held loop.CanceledError
	switch {
	case errors.As(err, &stays):
		return nil
	case errors.As(err, &held):
		return held.Err
	}
	return err
}

// NextAgents lists the agent types that may start in a state, in the words of the config: first who leads on, then who works
// here, who leads back, who helps.
func (p *Policy) NextAgents(state string) []string {
	at := p.index(state)
	if at < 0 {
		return nil
	}
	open := p.machine(state, machine{}).engine.AvailableTransitions()
	var ranks [4][]string
	for _, t := range p.States[at].Triggers {
		if slices.Contains(open, t.Name) {
			r := p.rank(t, at)
			ranks[r] = append(ranks[r], t.Agents...)
		}
	}
	return unique(slices.Concat(ranks[:]...))
}

// rank tells forward from back: the states are in the order in which they are reached.
func (p *Policy) rank(t Trigger, at int) int {
	to := p.index(t.To)
	switch {
	case t.Helper:
		return 3
	case to > at:
		return 0
	case to == at:
		return 1
	}
	return 2
}

func (p *Policy) index(state string) int {
	return slices.IndexFunc(p.States, func(s State) bool { return s.Name == state })
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
