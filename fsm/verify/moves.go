package verify

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// noLegalMove finds states in which the main agent may start nobody: because the rules refuse each of the state's
// agents, from the beginning or once a budget is used up, or because none of them exists. A state that names no agent
// is none of these: ending the turn is its legal move.
func noLegalMove(x *explored) []Finding {
	if len(x.p.States) == 0 {
		return x.noDelegation()
	}
	var out []Finding
	for _, name := range x.order {
		if f, found := x.stuck(name); found {
			f.Where, f.Names, f.Trace = x.state(name).Place, []string{name}, x.trace[name]
			out = append(out, f)
		}
	}
	return out
}

// noDelegation is the same for a policy without states, where it may be what was meant.
func (x *explored) noDelegation() []Finding {
	d := x.start(situation{session: x.fresh("")}, "general-purpose")
	if x.easiest(x.fresh(""), "general-purpose") < fsm.Deny {
		return nil
	}
	return []Finding{{Severity: Note, Where: d.Where, Names: []string{d.Rule}, Text: "the main agent may start no agent: " + by(d),
		Hint: "allow: [Agent] in a rule above, unless that is what is meant"}}
}

func (x *explored) stuck(state string) (Finding, bool) {
	all := x.candidates(state)
	if len(x.state(state).Triggers) == 0 {
		return Finding{}, false
	}
	for _, w := range x.worsts(state) {
		if d, none := x.refusesAll(w, all); none {
			return Finding{Severity: w.severity, Hint: w.hint,
				Text: fmt.Sprintf("in state %s the main agent may start no agent%s: %s", state, w.when, by(d))}, true
		}
	}
	if exist := slices.DeleteFunc(slices.Clone(all), func(a string) bool { return !x.exists(a) }); len(x.known) > 0 && len(exist) == 0 {
		return Finding{Severity: Problem, Hint: "pipeline init writes the agents that the presets name, where they are missing",
			Text: fmt.Sprintf("in state %s no agent that exists may start", state)}, true
	}
	return Finding{}, false
}

// A worst is what a state may be met with, and what is to be said if nobody may start then.
type worst struct {
	in       []situation
	any      bool // in any of these, rather than in all
	severity Severity
	when     string
	hint     string
}

// worsts lists what a state may be met with, the best first.
func (x *explored) worsts(state string) []worst {
	except := "except the agents' starts from the rule, in one above: allow: [Agent]"
	return []worst{
		{x.situations(x.fresh(state)), false, Problem, "", "a rule above that one: allow: [Agent]"},
		{x.situations(x.worn(state, false)), false, Problem, " once the budget is used up", "give the budget back: reset_on: [delegate, prompt]"},
		{[]situation{{session: x.worn(state, true)}}, true, Note, " once the budget is used up, until it is given back", except},
		{x.situations(x.worn(state, true)), true, Note, ", depending on the calls before or on the environment", except},
	}
}

// refusesAll reports whether every agent is refused, and how.
func (x *explored) refusesAll(w worst, agents []string) (last fsm.Decision, all bool) {
	stuck := 0
	for _, s := range w.in {
		if !slices.ContainsFunc(agents, func(a string) bool { last = x.start(s, a); return last.Verdict < fsm.Deny }) {
			if stuck++; w.any {
				return last, true
			}
		}
	}
	return last, stuck == len(w.in)
}

// worn is a session in which the main agent's budgets are used up: all, or only those that a person or the next start
// does not give back.
func (x *explored) worn(state string, all bool) fsm.Session {
	s := x.fresh(state)
	for _, r := range x.p.Main.List {
		back := slices.Contains(r.ResetOn, "prompt") || slices.Contains(r.ResetOn, "delegate") && r.Budget > 0
		if r.Budgeted && (all || !back) {
			s.Budgets.Uses = append(s.Budgets.Uses, fsm.Budget{Rule: r.Name, Used: math.MaxInt32})
		}
	}
	return s
}

// by names what refuses.
func by(d fsm.Decision) string {
	switch d.Rule {
	case fsm.RulePipeline:
		return "the state admits none"
	case fsm.RuleLimits:
		return "limits.depth or limits.running does not allow it"
	}
	return strings.TrimSpace(fmt.Sprintf("rule %s refuses the Agent tool %s", d.Rule, paren(d.Where)))
}

func paren(where string) string {
	if where == "" {
		return ""
	}
	return "(" + where + ")"
}
