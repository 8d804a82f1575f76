package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// lostBudgets finds budgets that nothing gives back, once they are used up.
func lostBudgets(x *explored) []Finding {
	var out []Finding
	for i, set := range []*fsm.Rules{&x.p.Main, &x.p.Subagents} {
		whose := [...]string{"", "a"}[i]
		for j := range set.List {
			r := &set.List[j]
			states := x.scope(r)
			if !r.Budgeted || r.Budget == 0 || off(r) || slices.ContainsFunc(states, func(s string) bool { return x.givesBack(s, r, whose) }) {
				continue
			}
			if len(states) > 0 {
				out = append(out, x.lost(r, whose, states[0]))
			}
		}
	}
	return out
}

// lost is what is to be said of a budget that stays used up. Each run of a subagent has one of its own.
func (x *explored) lost(r *fsm.Rule, whose, state string) Finding {
	f := Finding{Severity: Note, Where: r.Place, Names: []string{r.Name}, Trace: x.trace[state]}
	on := strings.Join(r.ResetOn, ", ")
	switch {
	case on == "":
		f.Text = fmt.Sprintf("the budget of rule %s is never given back", r.Name)
		f.Hint = "reset_on: [delegate, prompt, state], unless that is what is meant"
	case whose != "":
		f.Text = fmt.Sprintf("the budget of rule %s is that of one run of an agent: %s gives it back to none", r.Name, on)
		f.Hint = "leave reset_on out"
	default:
		f.Severity = Problem
		f.Text = fmt.Sprintf("the budget of rule %s can never be given back: where it fires, nothing comes of %s", r.Name, on)
		f.Hint = "reset_on: [prompt]"
	}
	return f
}

// givesBack plays what may happen from a state on to a session in which somebody's budget is used up.
func (x *explored) givesBack(state string, r *fsm.Rule, whose string) bool {
	s := x.fresh(state)
	s.Budgets.Uses = []fsm.Budget{{Rule: r.Name, Agent: whose, Used: r.Budget}}
	back := func(e fsm.Event) bool {
		e.Session = s.ID
		after, _ := x.p.Step(s, e)
		return !charged(after, r)
	}
	if back(fsm.Event{Kind: fsm.Prompt}) {
		return true
	}
	for _, agent := range x.starters(state) {
		let, d := x.p.Step(s, request(fsm.Agent{}, agent))
		if after, _ := x.p.Step(let, fsm.Event{Kind: fsm.AgentStart, Session: s.ID, Agent: fsm.Agent{ID: "b", Type: agent}}); d.Verdict < fsm.Deny && !charged(after, r) {
			return true
		}
	}
	return slices.ContainsFunc(x.ways[state], func(w edge) bool {
		return w.to != state && back(fsm.Event{Kind: fsm.Reset, Source: w.to}) // it enters the state, as any way there does
	})
}

func charged(s fsm.Session, r *fsm.Rule) bool {
	return slices.ContainsFunc(s.Budgets.Uses, func(b fsm.Budget) bool { return b.Rule == r.Name && b.Used > 0 })
}

// starters are who may start in a state; without states, anybody.
func (x *explored) starters(state string) []string {
	if len(x.p.States) == 0 {
		return []string{"general-purpose"}
	}
	return x.candidates(state)
}
