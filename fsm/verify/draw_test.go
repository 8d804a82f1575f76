package verify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// everybody are the agents that random sessions start. Each pattern that is drawn has one of them to itself, as far
// as no other takes it.
func everybody() []string { return []string{"a", "b", "bash-1", "bash-2", "zz"} }

// drawn is a random pipeline of one to four states, as a config could compile to: no trigger twice in a state.
func drawn(r *rand.Rand) *fsm.Policy {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "Q0", Fails: []string{"^API Error"}, Fingerprint: "x"}
	n := 1 + r.IntN(4)
	for i := range n {
		st := fsm.State{Name: fmt.Sprint("Q", i), Place: fmt.Sprint("p.yaml:", i)}
		for range r.IntN(4) {
			st.Triggers = add(st.Triggers, trigger(r, st.Name, n))
		}
		if r.IntN(3) == 0 {
			st.OnStop = fmt.Sprint("Q", r.IntN(n))
		}
		p.States = append(p.States, st)
	}
	return p
}

func trigger(r *rand.Rand, in string, states int) fsm.Trigger {
	agent := []string{"a", "b", "bash-1", "bash-*", "*"}[r.IntN(5)]
	t := fsm.Trigger{Name: agent, Agents: []string{agent}, To: fmt.Sprint("Q", r.IntN(states))}
	switch r.IntN(4) {
	case 0:
		t.Says = []string{"^yes", "no$"}[r.IntN(2)]
		t.Name += " says /" + t.Says + "/"
	case 1:
		t.Helper, t.To = true, in
	}
	return t
}

func add(all []fsm.Trigger, t fsm.Trigger) []fsm.Trigger {
	if slices.ContainsFunc(all, func(u fsm.Trigger) bool { return u.Name == t.Name }) {
		return all
	}
	return append(all, t)
}

// restricted gives the main agent random rules about starting agents. Those that count calls depend on the way that a
// session took.
func restricted(r *rand.Rand, p *fsm.Policy, counting bool) {
	p.Main.Default = fsm.Rule{Name: "default", Verdict: []fsm.Verdict{fsm.Pass, fsm.Pass, fsm.Pass, fsm.Warn, fsm.Ask,
		fsm.Deny}[r.IntN(6)]}
	for i := range r.IntN(3) {
		rule := fsm.Rule{Name: fmt.Sprint("r", i), Verdict: fsm.Verdict(r.IntN(4)),
			Tools: []string{[]string{"Agent", "Task", "*", "Read"}[r.IntN(4)]}}
		for _, st := range p.States {
			if r.IntN(4) == 0 {
				rule.States = append(rule.States, st.Name)
			}
		}
		if r.IntN(2) == 0 {
			agent := []string{"a", "b*", "*"}[r.IntN(3)]
			if rule.Starts = []string{agent}; i == 1 {
				rule.Inputs, rule.Starts = []fsm.Input{{Name: "subagent_type", Value: agent}}, nil
			}
		}
		if counting && rule.Verdict > fsm.Pass && r.IntN(2) == 0 {
			rule.Budgeted, rule.Budget = true, r.IntN(3)
			for _, on := range []string{"delegate", "prompt", "state"} {
				if r.IntN(3) == 0 {
					rule.ResetOn = append(rule.ResetOn, on)
				}
			}
		}
		if counting && r.IntN(6) == 0 {
			rule.Within = 1 + r.IntN(2)
		}
		p.Main.List = append(p.Main.List, rule)
	}
}
