package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findUnreachable finds states that the initial one does not lead to.
func findUnreachable(x *explored, report reporter) {
	for _, to := range x.States {
		if x.isReached(to.Name) {
			continue
		}
		var from, cannot []string
		for _, st := range x.States {
			leads := func(t fsm.Trigger) bool { return t.To == to.Name }
			switch {
			case st.Name == to.Name || !slices.ContainsFunc(st.AllTriggers(), leads):
			case x.isReached(st.Name):
				cannot = append(cannot, st.Name)
			default:
				from = append(from, st.Name)
			}
		}
		why := "no state leads to it"
		switch {
		case len(cannot) > 0:
			why = "the ways that lead to it from " + strings.Join(cannot, ", ") + " can never be taken"
		case len(from) > 0:
			why = "only unreachable states lead to it: " + strings.Join(from, ", ")
		}
		report(x.atState(Problem, to.Name),
			"lead there by on_complete, moves, on_stop or on_plan of a state that can be reached, or remove it",
			"state %s cannot be reached: %s", to.Name, why)
	}
}

// findNoEnd finds states from which no way leads to an end: a state in which the pipeline may rest, because the end
// of a turn leads there, or no agent can move anything. What leads on from there is a new beginning. A
// policy may have no end: then it circles forever, or stays, on purpose.
func findNoEnd(x *explored, report reporter) {
	var ends []string
	for _, st := range x.States {
		moves := slices.ContainsFunc(st.Triggers, func(t fsm.Trigger) bool { return !t.Helper })
		stops := slices.ContainsFunc(x.States, func(from fsm.State) bool { return from.OnStop == st.Name })
		if stops || !moves {
			ends = append(ends, st.Name)
		}
	}
	lost := without(x.order, func(s string) bool {
		_, ways := x.walk(s)
		return slices.ContainsFunc(ends, func(end string) bool { return ways[end] != nil })
	})
	if len(ends) == 0 || len(lost) == 0 {
		return
	}
	f := x.atState(Problem, lost[0])
	f.Names = lost
	report(f, "a turn's end leads on only from a state where an agent that it is there for can start, and stays",
		"from %s there is no way to an end of the pipeline (%s)", lost, ends)
}

// findPersonOnly finds states that only a person leads out of: no way leads out, or
// each asks the user first.
func findPersonOnly(x *explored, report reporter) {
	for _, name := range x.order {
		least, leads := fsm.Deny, false
		for _, w := range x.ways[name] {
			if w.to != name {
				least, leads = min(least, w.verdict), true
			}
		}
		switch f := x.atState(Note, name); {
		case !leads:
			report(f, "pipeline reset leads back to "+x.Initial+", pipeline reset --to STATE to any other",
				"only a person leads out of state %s", name)
		case least == fsm.Ask:
			report(f, "pipeline reset --to STATE leads out as well",
				"state %s is left only if the user agrees: a rule asks about each agent that leads on", name)
		}
	}
}

// findNoLegalMove finds states in which the main agent may start no agent: the rules
// refuse each of the state's agents, at once or when a budget is used up, or none of
// them exists. In a state that names no agent, ending the turn is the legal move.
func findNoLegalMove(x *explored, report reporter) {
	if len(x.States) == 0 && x.judgeStart("", anyWorker) == fsm.Deny { // it may be intended
		d := x.answer(situation{session: x.newSession("")}, anyWorker)
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
	if len(x.FindState(state).Triggers) == 0 {
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
				last = x.answer(in, a)
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
	if slices.ContainsFunc(all, x.known.has) {
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
	for _, r := range x.Main.List {
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

// findDeadMoves finds what a state says of an agent that is never tried: something above it takes
// each of its agents.
func findDeadMoves(x *explored, report reporter) {
	names := x.listNames()
	for _, state := range x.order {
		for _, t := range x.FindState(state).Triggers {
			isTriedBy := func(agent string) bool {
				return slices.ContainsFunc(x.FindLeads(state, agent),
					func(l fsm.Trigger) bool { return l.Name == t.Name })
			}
			if !slices.ContainsFunc(names, isTriedBy) {
				f := at(Problem, t.Place, t.Name)
				f.Trace = x.trace[state]
				report(f, "put it first, or remove it",
					"state %s: %s leads nowhere: what is above it takes each of its agents", state, t.Name)
			}
		}
	}
}
