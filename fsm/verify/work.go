package verify

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findUselessHolds finds holds that never hold.
func findUselessHolds(x *explored, report reporter) {
	h := x.Hold
	if len(h.Until) == 0 && h.Gate == nil {
		return
	}
	if len(h.States) > 0 && !slices.ContainsFunc(h.States, x.isReached) {
		report(at(Problem, h.Place, h.States...), "name a state that can be reached, or leave hold.states out",
			"no turn is ever held: hold.states asks for %s, which cannot be reached", h.States)
		return
	}
	for _, until := range h.Until {
		why := ""
		switch {
		case until == "graph" && x.Tasks.Graph == "" && len(x.Tasks.From) == 0:
			why = "there is never a task graph, since neither tasks.graph nor tasks.from says where it comes from"
		case until == "checks" && !slices.ContainsFunc(x.Checks,
			func(c fsm.Check) bool { return slices.Contains(c.At, fsm.AtTurnEnd) }):
			why = "no check is run at turn_end"
		}
		if why != "" {
			report(at(Problem, h.Place, until), "take it out of hold.until, or say where it is to come from",
				"hold.until %s holds no turn: %s", until, why)
		}
	}
}

// findUnusedReturns finds agreed forms of final messages for agents that never start.
func findUnusedReturns(x *explored, report reporter) {
	for _, a := range x.Agents {
		const hint = "correct the name, or name the agent in a state"
		switch {
		case a.Returns == "":
		case !x.isEverAdmitted(a.Name):
			report(at(Note, a.Place, a.Name), hint,
				"agents.%s.returns has no effect: no reachable state admits such an agent", a.Name)
		case !x.known.has(a.Name):
			report(at(Note, a.Place, a.Name), hint, "agents.%s.returns has no effect: there is no such agent", a.Name)
		}
	}
}

// isEverAdmitted reports whether a reachable state admits an agent that a pattern
// means. Either may have a plugin's prefix.
func (x *explored) isEverAdmitted(pattern string) bool {
	bare := pattern[strings.LastIndex(pattern, ":")+1:]
	return len(x.States) == 0 || slices.ContainsFunc(x.order, func(s string) bool {
		return x.admits(s, pattern) || slices.ContainsFunc(x.listCandidates(s),
			func(a string) bool { return fsm.NamesAgent(bare, a) })
	})
}

// findStrayTaskAgents finds agents that task graphs are taken from, and that never
// start.
func findStrayTaskAgents(x *explored, report reporter) {
	t := x.Tasks
	takesPlan := func(st fsm.State) bool { return st.OnPlan != "" }
	if slices.Contains(t.From, fsm.FromPlan) && len(x.States) > 0 && !slices.ContainsFunc(x.States, takesPlan) {
		report(at(Note, t.Place, fsm.FromPlan), "add on_plan to a state", "tasks.from plan means nothing: "+
			"an approved plan binds where it moves the state, and no state has on_plan")
	}
	if len(t.Agents) == 0 {
		return
	}
	if !slices.Contains(t.From, fsm.FromAgent) {
		report(at(Note, t.Place, t.Agents...), "tasks: {from: [agent]}",
			"tasks.agents means nothing: tasks.from does not say agent")
		return
	}
	stray := without(t.Agents, x.isEverAdmitted)
	if len(stray) == 0 {
		return
	}
	severity, so := Note, ""
	if len(stray) == len(t.Agents) {
		severity, so = Problem, ": no task graph ever comes from an agent"
	}
	report(at(severity, t.Place, stray...), "correct the names, or name the agents in a state",
		"tasks.agents names %s, which no reachable state admits%s", stray, so)
}

// findUnknownSkills finds skills and commands that are not on disk. The client's own
// are not known here.
func findUnknownSkills(x *explored, report reporter) {
	if len(x.known) == 0 {
		return
	}
	for _, list := range []struct {
		key, place string
		names      []string
	}{
		{"activate.skills", x.Activate.Place, x.Activate.Skills},
		{"activate.commands", x.Activate.Place, x.Activate.Commands},
		{"hold.skills", x.Hold.Place, x.Hold.Skills},
	} {
		missing := without(list.names, func(name string) bool {
			return slices.ContainsFunc(x.known,
				func(a Agent) bool { return a.Skill && fsm.NamesAgent(name, a.Name) })
		})
		if len(missing) > 0 {
			report(at(Note, list.place, missing...), "correct the name, unless it is one of the client's own",
				"%s names %s, which is no skill or command of the project, the user or a plugin", list.key,
				missing)
		}
	}
}

// findAllFails finds regular expressions of failures that match any message: then no agent's work
// ever counts.
func findAllFails(x *explored, report reporter) {
	for _, expr := range x.Fails {
		re, err := regexp.Compile(expr)
		matches := func(text string) bool { return err == nil && re.MatchString(text) }
		if matches(anyName) && matches("Done.") && matches("# Report\n\n1. The work is done.\n") {
			report(at(Problem, "", expr), "write how the messages of a failure begin",
				"fails: %s matches any final message: every agent has failed, and none moves the state", expr)
		}
	}
}
