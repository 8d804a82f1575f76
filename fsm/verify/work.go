package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findUselessHolds finds holds that never hold, or that hold in vain. After hold.tries
// every turn ends.
func findUselessHolds(x *explored, report func(Finding)) {
	h := x.p.Hold
	if len(h.Until) == 0 && h.Gate == nil {
		return
	}
	if in := x.listHoldingStates(); len(h.States) > 0 && len(in) == 0 {
		report(Finding{Severity: Problem, Where: h.Place, Names: h.States,
			Hint: "name a state that can be reached, or leave hold.states out",
			Text: fmt.Sprintf("no turn is ever held: hold.states asks for %s, which cannot be reached",
				strings.Join(h.States, ", "))})
		return
	}
	for _, until := range h.Until {
		if why := x.whyNothingLeft(until); why != "" {
			report(Finding{Severity: Problem, Where: h.Place, Names: []string{until},
				Text: fmt.Sprintf("hold.until %s holds no turn: %s", until, why),
				Hint: "take it out of hold.until, or say where it is to come from"})
		}
	}
	x.findHeldInVain(report)
}

// listHoldingStates lists the reachable states in which turns are held.
func (x *explored) listHoldingStates() []string {
	return slices.DeleteFunc(slices.Clone(x.order), func(s string) bool {
		return len(x.p.Hold.States) > 0 && !slices.Contains(x.p.Hold.States, s)
	})
}

// whyNothingLeft is why nothing can ever be left of what a hold waits for.
func (x *explored) whyNothingLeft(until string) string {
	switch {
	case until == "graph" && x.p.Tasks.Graph == "" && len(x.p.Tasks.From) == 0:
		return "there is never a task graph, since neither tasks.graph nor tasks.from says where it comes from"
	case until == "checks" && !slices.ContainsFunc(x.p.Checks,
		func(c fsm.Check) bool { return slices.Contains(c.At, fsm.AtTurnEnd) && !isContradictory(c) }):
		return "no check is run at turn_end"
	}
	return ""
}

// findHeldInVain finds states in which turns are held for agents' work though no agent
// may start there. The hold gives up after its tries.
func (x *explored) findHeldInVain(report func(Finding)) {
	var awaited []string
	for _, u := range x.p.Hold.Until {
		if u == "plan" || u == "graph" && x.whyNothingLeft(u) == "" {
			awaited = append(awaited, u)
		}
	}
	if len(awaited) == 0 {
		return
	}
	for _, s := range x.listHoldingStates() {
		mayStart := func(a string) bool { return x.judgeStart(s, a) < fsm.Deny }
		if slices.ContainsFunc(x.listCandidates(s), mayStart) {
			continue
		}
		report(Finding{Severity: Note, Where: x.state(s).Place, Names: []string{s}, Trace: x.trace[s],
			Text: fmt.Sprintf("in state %s turns are held until %s is done, and no agent may start there: "+
				"%d times in vain", s, strings.Join(awaited, " and "), x.p.Hold.Tries),
			Hint: "hold.states: the states in which the work is done"})
	}
}

// findUnusedReturns finds agreed forms of final messages for agents that never start.
func findUnusedReturns(x *explored, report func(Finding)) {
	for _, a := range x.p.Agents {
		if a.Returns == "" {
			continue
		}
		f := Finding{Severity: Note, Where: a.Place, Names: []string{a.Name},
			Hint: "correct the name, or name the agent in a state"}
		switch {
		case isImpossible(a.Returns):
			f.Severity, f.Hint = Problem, "correct the regular expression"
			f.Text = fmt.Sprintf("agents.%s.returns: no text matches /%s/: the agent is always sent back", a.Name,
				a.Returns)
		case len(x.p.States) > 0 && !x.isEverAdmitted(a.Name):
			f.Text = fmt.Sprintf("agents.%s.returns has no effect: no reachable state admits such an agent",
				a.Name)
		case len(x.known) > 0 && !x.known.has(a.Name):
			f.Text = fmt.Sprintf("agents.%s.returns has no effect: there is no such agent", a.Name)
		default:
			continue
		}
		report(f)
	}
}

// isEverAdmitted reports whether a reachable state admits an agent that a pattern
// means. Either may have a plugin's prefix.
func (x *explored) isEverAdmitted(pattern string) bool {
	bare := pattern[strings.LastIndex(pattern, ":")+1:]
	return slices.ContainsFunc(x.order, func(s string) bool {
		return x.admits(s, pattern) || slices.ContainsFunc(x.listCandidates(s),
			func(a string) bool { return fsm.NamesAgent(bare, a) })
	})
}

// findStrayTaskAgents finds agents that task graphs are taken from, and that never
// start.
func findStrayTaskAgents(x *explored, report func(Finding)) {
	t := x.p.Tasks
	takesPlan := func(st fsm.State) bool { return st.OnPlan != "" }
	if slices.Contains(t.From, fsm.FromPlan) && len(x.p.States) > 0 && !slices.ContainsFunc(x.p.States, takesPlan) {
		report(Finding{Severity: Note, Where: t.Place, Names: []string{fsm.FromPlan}, Hint: "add on_plan to a state",
			Text: "tasks.from plan means nothing: an approved plan binds where it moves the state, " +
				"and no state has on_plan"})
	}
	if len(t.Agents) == 0 {
		return
	}
	if !slices.Contains(t.From, fsm.FromAgent) {
		report(Finding{Severity: Note, Where: t.Place, Names: t.Agents,
			Text: "tasks.agents means nothing: tasks.from does not say agent", Hint: "tasks: {from: [agent]}"})
		return
	}
	stray := slices.DeleteFunc(slices.Clone(t.Agents),
		func(a string) bool { return len(x.p.States) == 0 || x.isEverAdmitted(a) })
	if len(stray) == 0 {
		return
	}
	f := Finding{Severity: Note, Where: t.Place, Names: stray, Hint: "correct the names, or name the agents in a state",
		Text: fmt.Sprintf("tasks.agents names %s, which no reachable state admits", strings.Join(stray, ", "))}
	if len(stray) == len(t.Agents) {
		f.Severity = Problem
		f.Text += ": no task graph ever comes from an agent"
	}
	report(f)
}

// findDeadChecks finds checks with contradictory conditions.
func findDeadChecks(x *explored, report func(Finding)) {
	for _, c := range x.p.Checks {
		if isContradictory(c) {
			report(Finding{Severity: Problem, Where: c.Place, Names: []string{c.Name},
				Hint: "take one of them out",
				Text: fmt.Sprintf("check %s is never run: unless_env forbids what env asks for", c.Name)})
		}
	}
}

func isContradictory(c fsm.Check) bool {
	return slices.ContainsFunc(c.UnlessEnv, func(i fsm.Input) bool { return slices.Contains(c.Env, i) })
}

// findUnknownSkills finds skills and commands that are not on disk. The client's own
// are not known here.
func findUnknownSkills(x *explored, report func(Finding)) {
	if len(x.known) == 0 {
		return
	}
	for _, list := range []struct {
		key, place string
		names      []string
	}{
		{"activate.skills", x.p.Activate.Place, x.p.Activate.Skills},
		{"activate.commands", x.p.Activate.Place, x.p.Activate.Commands},
		{"hold.skills", x.p.Hold.Place, x.p.Hold.Skills},
	} {
		missing := slices.DeleteFunc(slices.Clone(list.names), x.known.hasSkill)
		if len(missing) > 0 {
			report(Finding{Severity: Note, Where: list.place, Names: missing,
				Hint: "correct the name, unless it is one of the client's own",
				Text: fmt.Sprintf("%s names %s, which is no skill or command of the project, the user or a plugin",
					list.key, strings.Join(missing, ", "))})
		}
	}
}

func (as agents) hasSkill(name string) bool {
	return slices.ContainsFunc(as, func(a Agent) bool { return a.Skill && fsm.NamesAgent(name, a.Name) })
}
