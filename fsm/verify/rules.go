package verify

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findDeadRules finds rules that never decide anything.
func findDeadRules(x *explored, report reporter) {
	for _, r := range x.rules {
		var by []string
		for _, j := range x.covering(r) {
			by = append(by, r.set.List[j].Name)
		}
		strays := x.findStrays(r)
		switch {
		case !r.IsOff() && len(x.statesOf(r.Rule)) == 0:
			report(at(Problem, r.Place, r.Name), "remove it, or lead to the state",
				"rule %s can never fire: it asks for %s, which cannot be reached", r.Name, r.States)
		case len(by) > 0:
			report(at(Problem, r.Place, r.Name), "put the narrower rule first",
				"rule %s can never fire: whatever it fits, %s decides before it", r.Name, by)
		case !r.IsOff() && len(strays) > 0:
			report(at(Note, r.Place, r.Name), "correct the names, or remove the rule",
				"rule %s will hardly ever fire: of %s no state admits any, or they do not exist", r.Name, strays)
		}
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
	if len(x.States) == 0 {
		return []string{""}
	}
	return without(x.order, func(s string) bool { return !r.FitsState(s) })
}

// findStrays finds the callers of a rule, or the agents whose start it is about, if no state admits
// any of them or none exists. A person may start such an agent all the same.
func (x *explored) findStrays(r listed) []string {
	mayBe := func(a string) bool {
		return fsm.IsGlob(a) || a == "fork" || x.isAdmittedAnywhere(a) && x.known.has(a)
	}
	for _, agents := range [][]string{r.Agents, r.Starts} {
		if !slices.ContainsFunc(agents, mayBe) && len(agents) > 0 {
			return agents
		}
	}
	return nil
}

// findLostBudgets finds budgets that nothing gives back, once they are used up. Each run of a subagent
// has a budget of its own.
func findLostBudgets(x *explored, report reporter) {
	for _, r := range x.rules {
		whose := agentID
		if r.set == &x.Main {
			whose = ""
		}
		states := x.statesOf(r.Rule)
		if !r.Budgeted || r.Budget == 0 || slices.Contains(r.ResetOn, "never") || r.IsOff() || len(states) == 0 ||
			slices.ContainsFunc(states, func(s string) bool { return x.isGivenBack(s, r.Rule, whose) }) {
			continue
		}
		f, on := at(Note, r.Place, r.Name), strings.Join(r.ResetOn, ", ")
		f.Trace = x.trace[states[0]]
		switch {
		case on == "":
			report(f, "reset_on: [delegate, prompt, state], or reset_on: [never] if that is what is meant",
				"the budget of rule %s is never given back", r.Name)
		case whose != "":
			report(f, "leave reset_on out",
				"the budget of rule %s counts within one run of an agent: %s never gives it back", r.Name, on)
		default:
			f.Severity = Problem
			report(f, "reset_on: [prompt]",
				"the budget of rule %s can never be given back: where it fires, %s never happens", r.Name, on)
		}
	}
}

// isGivenBack reports whether an event that may follow in a state gives a used-up
// budget back.
func (x *explored) isGivenBack(state string, r *fsm.Rule, whose string) bool {
	s := x.newSession(state)
	s.Budgets.Uses = []fsm.Budget{{Rule: r.Name, Agent: whose, Used: r.Budget}}
	givesBack := func(in fsm.Session, e fsm.Event) bool {
		e.Session = s.ID
		after, _ := x.Step(in, e)
		return !slices.ContainsFunc(after.Budgets.Uses,
			func(b fsm.Budget) bool { return b.Rule == r.Name && b.Used > 0 })
	}
	for _, agent := range x.listCandidates(state) {
		asked, d := x.Step(s, requestAgent(fsm.Agent{}, agent))
		start := fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "b", Type: agent}}
		if d.Verdict < fsm.Deny && givesBack(asked, start) {
			return true
		}
	}
	return givesBack(s, fsm.Event{Kind: fsm.Prompt}) || slices.ContainsFunc(x.ways[state], func(w edge) bool {
		// it enters the state, as any way there does
		return w.to != state && givesBack(s, fsm.Event{Kind: fsm.Reset, Source: w.to})
	})
}

// findOverruled finds objections of which an exception above leaves little. It may be meant so,
// but hardly by the one who wrote the objection.
func findOverruled(x *explored, report reporter) {
	for _, r := range x.rules {
		if r.Verdict <= fsm.Warn || len(x.covering(r)) > 0 || len(x.statesOf(r.Rule)) == 0 {
			continue
		}
		var tools, commands []fsm.Rule
		var lines []string
		for _, tool := range r.Tools {
			one := *r.Rule
			one.Tools = []string{tool}
			tools = append(tools, one)
		}
		for _, command := range r.Commands {
			one := *r.Rule // as an exception: is the bare command decided before?
			one.Commands, one.Verdict = [][]string{command}, fsm.Pass
			commands, lines = append(commands, one), append(lines, "`"+strings.Join(command, " ")+"`")
		}
		x.reportOverruled(r, tools, r.Tools, "rule %s does not decide about %s: %s allows it before", report)
		x.reportOverruled(r, commands, lines,
			"rule %s decides about %s only inside of other commands, such as sudo: %s allows it before", report)
	}
}

// reportOverruled reports the parts of a rule that exceptions above it decide, and these.
func (x *explored) reportOverruled(r listed, parts []fsm.Rule, names []string, text string, report reporter) {
	var out, by []string
	for k, one := range parts {
		above := fsm.Rules{List: append(slices.Clone(r.set.List[:r.i]), one)}
		covering := above.Covered(r.i, x.order)
		// who names the very same commands twice means what is inside of others
		isNamed := func(c []string) bool {
			return slices.ContainsFunc(one.Commands, func(o []string) bool { return slices.Equal(c, o) })
		}
		if len(covering) == 0 || slices.ContainsFunc(covering, func(j int) bool {
			return above.List[j].Verdict != fsm.Pass || slices.ContainsFunc(above.List[j].Commands, isNamed)
		}) {
			continue
		}
		out = append(out, names[k])
		for _, j := range covering {
			by = addMissing(by, above.List[j].Name)
		}
	}
	if len(out) > 0 {
		report(at(Note, r.Place, r.Name), "put the narrower rule first, or leave out what has no effect", text, r.Name,
			out, by)
	}
}
