package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findDeadRules finds rules that never decide anything.
func findDeadRules(x *explored, report func(Finding)) {
	for _, r := range x.rules {
		f := Finding{Severity: Problem, Where: r.Place, Names: []string{r.Name}}
		var by []string
		for _, j := range x.covering(r) {
			by = append(by, r.set.List[j].Name)
		}
		strays := x.findStrays(r)
		switch {
		case !r.IsOff() && len(x.statesOf(r.Rule)) == 0:
			f.Text = fmt.Sprintf("rule %s can never fire: it asks for %s, which cannot be reached", r.Name,
				strings.Join(r.States, ", "))
			f.Hint = "remove it, or lead to the state"
		case len(by) > 0:
			f.Text = fmt.Sprintf("rule %s can never fire: whatever it fits, %s decides before it", r.Name,
				strings.Join(by, ", "))
			f.Hint = "put the narrower rule first"
		case !r.IsOff() && len(strays) > 0:
			f.Severity, f.Hint = Note, "correct the names, or remove the rule"
			f.Text = fmt.Sprintf("rule %s will hardly ever fire: of %s no state admits any, or they do not exist",
				r.Name, strings.Join(strays, ", "))
		default:
			continue
		}
		report(f)
	}
}

// covering lists the earlier rules that decide everything that a rule fits.
func (x *explored) covering(r listed) []int {
	if r.i == isDefault {
		return nil
	}
	return r.set.Covered(r.i, x.order)
}

// statesOf lists the reachable states in which a rule can fire. A policy without states
// has one: "".
func (x *explored) statesOf(r *fsm.Rule) []string {
	if len(x.p.States) == 0 {
		return []string{""}
	}
	return slices.DeleteFunc(slices.Clone(x.order), func(s string) bool { return !r.FitsState(s) })
}

// findStrays finds the callers of a rule, or the agents whose start it is about, if no state admits
// any of them or none exists. A person may start such an agent all the same.
func (x *explored) findStrays(r listed) []string {
	mayBe := func(a string) bool {
		return fsm.IsGlob(a) || a == "fork" || (len(x.p.States) == 0 || x.isAdmittedAnywhere(a)) &&
			(len(x.known) == 0 || x.known.has(a))
	}
	for _, agents := range [][]string{r.Agents, r.Starts} {
		if !slices.ContainsFunc(agents, mayBe) && len(agents) > 0 {
			return agents
		}
	}
	return nil
}

// findLostBudgets finds budgets that nothing gives back, once they are used up.
func findLostBudgets(x *explored, report func(Finding)) {
	for _, r := range x.rules {
		whose := agentID
		if r.set == &x.p.Main {
			whose = ""
		}
		states := x.statesOf(r.Rule)
		if r.Budgeted && r.Budget > 0 && !slices.Contains(r.ResetOn, "never") && !r.IsOff() && len(states) > 0 &&
			!slices.ContainsFunc(states, func(s string) bool { return x.isGivenBack(s, r.Rule, whose) }) {
			report(x.describeLostBudget(r.Rule, whose, states[0]))
		}
	}
}

// describeLostBudget describes a budget that stays used up. Each run of a subagent has
// a budget of its own.
func (x *explored) describeLostBudget(r *fsm.Rule, whose, state string) Finding {
	f := Finding{Severity: Note, Where: r.Place, Names: []string{r.Name}, Trace: x.trace[state]}
	on := strings.Join(r.ResetOn, ", ")
	switch {
	case on == "":
		f.Text = fmt.Sprintf("the budget of rule %s is never given back", r.Name)
		f.Hint = "reset_on: [delegate, prompt, state], or reset_on: [never] if that is what is meant"
	case whose != "":
		f.Text = fmt.Sprintf("the budget of rule %s counts within one run of an agent: %s never gives it back", r.Name,
			on)
		f.Hint = "leave reset_on out"
	default:
		f.Severity = Problem
		f.Text = fmt.Sprintf("the budget of rule %s can never be given back: where it fires, %s never happens",
			r.Name, on)
		f.Hint = "reset_on: [prompt]"
	}
	return f
}

// isGivenBack reports whether an event that may follow in a state gives a used-up
// budget back.
func (x *explored) isGivenBack(state string, r *fsm.Rule, whose string) bool {
	s := x.newSession(state)
	s.Budgets.Uses = []fsm.Budget{{Rule: r.Name, Agent: whose, Used: r.Budget}}
	back := func(e fsm.Event) bool {
		e.Session = s.ID
		after, _ := x.p.Step(s, e)
		return !isCharged(after, r)
	}
	if back(fsm.Event{Kind: fsm.Prompt}) {
		return true
	}
	for _, agent := range x.listCandidates(state) {
		let, d := x.p.Step(s, requestAgent(fsm.Agent{}, agent))
		if after, _ := x.p.Step(let, fsm.Event{Kind: fsm.AgentStart, Session: s.ID,
			Agent: fsm.Agent{ID: "b", Type: agent}}); d.Verdict < fsm.Deny && !isCharged(after, r) {
			return true
		}
	}
	return slices.ContainsFunc(x.ways[state], func(w edge) bool {
		// it enters the state, as any way there does
		return w.to != state && back(fsm.Event{Kind: fsm.Reset, Source: w.to})
	})
}

func isCharged(s fsm.Session, r *fsm.Rule) bool {
	return slices.ContainsFunc(s.Budgets.Uses, func(b fsm.Budget) bool { return b.Rule == r.Name && b.Used > 0 })
}
