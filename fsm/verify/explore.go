package verify

import (
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// An edge is a way from one state to another, or back into the same.
type edge struct {
	from, to string
	trigger  string
	verdict  fsm.Verdict // on the start of the agent
}

// explored is a policy with all the ways through it.
type explored struct {
	p     *fsm.Policy // as if strict
	known []Agent
	ways  map[string][]edge   // by state, of those that can be reached
	trace map[string][]string // the shortest way to each state that can be reached
	open  map[string][]string // by state: who stands for all that may start there
	order []string            // the states that can be reached, the nearest first
}

// explore follows every way from the initial state.
func explore(p *fsm.Policy, known []Agent) *explored {
	strict := *p
	strict.Level = fsm.Strict
	x := &explored{p: &strict, known: known, ways: map[string][]edge{}, trace: map[string][]string{}, open: map[string][]string{}}
	if _, ok := p.FindState(p.Initial); !ok {
		return x
	}
	x.reach(p.Initial, []string{p.Initial})
	for i := 0; i < len(x.order); i++ {
		from := x.order[i]
		x.ways[from] = x.leave(from)
		for _, w := range x.ways[from] {
			x.reach(w.to, x.step(w))
		}
	}
	return x
}

func (x *explored) reach(state string, trace []string) {
	if !x.reached(state) {
		x.order, x.trace[state] = append(x.order, state), trace
	}
}

func (x *explored) reached(state string) bool { return x.trace[state] != nil }

// step is the trace to where an edge leads.
func (x *explored) step(w edge) []string {
	before := x.trace[w.from]
	if len(before) == 1 && before[0] == x.p.Initial {
		before = nil
	}
	return append(slices.Clone(before), w.from+" –"+w.trigger+"→ "+w.to)
}

// leave lists the ways that go on from a state: those of the agents that may start there, and the end of the turn, if
// an agent that the state is there for can complete in it.
func (x *explored) leave(from string) []edge {
	var out []edge
	works, least := false, fsm.Deny
	for _, agent := range x.candidates(from) {
		v := x.easiest(x.fresh(from), agent)
		if v == fsm.Deny {
			continue
		}
		for _, l := range x.p.FindLeads(from, agent) {
			out = append(out, edge{from, l.To, l.Trigger.Name, v})
			if l.To == from && !l.Trigger.Helper {
				works, least = true, min(least, v)
			}
		}
	}
	if in := x.state(from); works && in.OnStop != "" {
		out = append(out, edge{from, in.OnStop, fsm.TurnEnds, least})
	}
	return out
}

func (x *explored) state(name string) fsm.State {
	s, _ := x.p.FindState(name)
	return s
}

// fresh is a session that has just come to a state.
func (x *explored) fresh(state string) fsm.Session {
	return fsm.Session{ID: "verify", Machine: fsm.Machine{State: state, Visit: 1}, Policy: x.p.Fingerprint}
}
