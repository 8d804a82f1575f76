package verify

import (
	"fmt"
	"math"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findNoLegalMove finds states in which the main agent may start no agent: the rules
// refuse each of the state's agents, at once or when a budget is used up, or none of
// them exists. In a state that names no agent, ending the turn is the legal move.
func findNoLegalMove(x *explored, report reporter) {
	if len(x.p.States) == 0 && x.judgeStart("", anyWorker) == fsm.Deny { // it may be intended
		d := x.answer(situation{session: x.newSession("")}, x.listStarts(anyWorker)...)
		report(at(Note, d.Where, d.Rule), "add a rule above it, allow: [Agent], unless that is intended",
			"the main agent may start no agent: %s", describeRefusal(d))
	}
	for _, name := range x.order {
		x.findStuck(name, report)
	}
}

// findStuck finds why no agent may start in a state, if so.
func (x *explored) findStuck(state string, report reporter) bool {
	all := x.listCandidates(state)
	if len(x.state(state).Triggers) == 0 {
		return false
	}
	fresh, kept, used := x.newSession(state), x.useUpBudgets(state, false), x.useUpBudgets(state, true)
	const except = "add a rule above it that allows the starts: allow: [Agent]"
	for _, c := range []struct {
		in       []situation
		any      bool // refused in any of these situations, rather than in all
		severity Severity
		when     string
		hint     string
	}{
		{x.listSituations(fresh), false, Problem, "", "add a rule above it: allow: [Agent]"},
		{x.listSituations(kept), false, Problem, " once the budget is used up",
			"give the budget back: reset_on: [delegate, prompt]"},
		{[]situation{{session: used}}, true, Note, " once the budget is used up, until it is given back", except},
		{x.listSituations(used), true, Note, ", depending on the calls before or on the environment", except},
	} {
		var last fsm.Decision
		isRefused := func(in situation) bool { // each agent is refused
			return !slices.ContainsFunc(all, func(a string) bool {
				last = x.answer(in, x.listStarts(a)...)
				return last.Verdict < fsm.Deny
			})
		}
		mayStart := func(in situation) bool { return !isRefused(in) }
		if c.any && slices.ContainsFunc(c.in, isRefused) || !c.any && !slices.ContainsFunc(c.in, mayStart) {
			report(x.atState(c.severity, state), c.hint, "in state %s the main agent may start no agent%s: %s", state,
				c.when, describeRefusal(last))
			return true
		}
	}
	if len(x.known) == 0 || slices.ContainsFunc(all, x.known.has) {
		return false
	}
	report(x.atState(Problem, state), "pipeline init writes the agents that the presets name, where they are missing",
		"in state %s no agent that exists may start", state)
	return true
}

// useUpBudgets is a session in which the main agent's budgets are used up: all, or only
// those that neither a prompt nor the next start gives back.
func (x *explored) useUpBudgets(state string, all bool) fsm.Session {
	s := x.newSession(state)
	for _, r := range x.p.Main.List {
		back := slices.Contains(r.ResetOn, "prompt") || slices.Contains(r.ResetOn, "task") ||
			slices.Contains(r.ResetOn, "delegate") && r.Budget > 0
		if r.Budgeted && (all || !back) {
			s.Budgets.Uses = append(s.Budgets.Uses, fsm.Budget{Rule: r.Name, Used: math.MaxInt32})
		}
	}
	return s
}

func describeRefusal(d fsm.Decision) string {
	switch d.Rule {
	case fsm.RulePipeline:
		return "the state admits none"
	case fsm.RuleLimits:
		return "limits.depth or limits.running does not allow it"
	}
	return fmt.Sprintf("rule %s refuses the Agent tool%s", d.Rule, parenthesize(d.Where))
}

func parenthesize(where string) string {
	if where == "" {
		return ""
	}
	return " (" + where + ")"
}
