package fsm

import (
	"slices"

	loop "github.com/looplab/fsm"
)

// A Table answers who may start in a state, and what moves the machine there. It asks looplab's
// engine, and knows of the policy only what agents and conditions each transition has.
type Table struct {
	p           *Policy
	transitions []loop.EventDesc
	engine      *loop.FSM
}

// NewTable makes the table of the policy's states. The engine's events are our triggers: what the user wrote.
func (p *Policy) NewTable() *Table {
	var all []loop.EventDesc
	for _, st := range p.States {
		for _, t := range st.AllTriggers() {
			all = append(all, loop.EventDesc{Name: t.Name, Src: []string{st.Name}, Dst: t.To})
		}
	}
	return &Table{p, all, loop.NewFSM(p.Initial, all, nil)}
}

// List lists all that moves the machine in a state, in the order of the config.
func (t *Table) List(state string) (out []Trigger) {
	t.engine.SetState(state)
	open := t.engine.AvailableTransitions()
	for _, trigger := range t.p.FindState(state).AllTriggers() {
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

// Admits is the trigger by which an agent of this type may start in a state; nil where it may not.
func (t *Table) Admits(state, agent string) *Trigger {
	leads := t.Leads(state, agent)
	if len(leads) == 0 {
		return nil
	}
	return &leads[0]
}

// HasWorker reports whether agents of this type do the state's work, rather than help.
func (t *Table) HasWorker(state, agent string) bool {
	tr := t.Admits(state, agent)
	return tr != nil && !tr.Helper
}

// Next lists the agent types that may start in a state, in the words of the config: first those
// that lead on, then those that work here, lead back, and help.
func (t *Table) Next(state string) []string {
	index := func(name string) int { // the states are in the order in which they are reached
		return slices.IndexFunc(t.p.States, func(s State) bool { return s.Name == name })
	}
	at := index(state)
	var ranks [4][]string
	for _, tr := range t.List(state) {
		rank, to := 2, index(tr.To)
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

func unique(in []string) (out []string) {
	for _, s := range in {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}
