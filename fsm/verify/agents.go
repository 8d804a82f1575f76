package verify

import (
	"cmp"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// agents are those that exist.
type agents []Agent

// has reports whether there is an agent that the client would start under this
// name. Where none is known, there may be any.
func (as agents) has(name string) bool {
	return len(as) == 0 || slices.ContainsFunc(as, func(a Agent) bool { return fsm.NamesAgent(name, a.Name) })
}

// correct is how to correct a name that no agent has: the nearest one, if it may be a slip.
func (as agents) correct(name string) string {
	var names []string
	for _, a := range as {
		names = append(names, a.Name)
	}
	if meant := nearest.Find(name, names); meant != "" {
		return "write " + meant + ", if that is meant"
	}
	return "correct the name"
}

// findUnusedAgents finds agents on disk that no state admits. An agent of this project
// is a mistake; the user's own agents and those of plugins serve other projects as
// well.
func findUnusedAgents(x *explored, report reporter) {
	for _, kind := range []struct {
		shared       bool
		severity     Severity
		format, hint string
	}{
		{false, Problem, "no state allows %d of the project's %d agents: %s",
			"name them in a state, or remove their files"},
		{true, Note, "no state allows %d of the %d agents that are there for every project: %s",
			"they cannot run in this project"},
	} {
		var all []string
		for _, a := range x.known {
			if a.From != "" && a.Shared == kind.shared {
				all = addMissing(all, a.Name)
			}
		}
		if names := without(all, x.isAdmittedAnywhere); len(names) > 0 {
			report(at(kind.severity, "", names...), kind.hint, kind.format, len(names), len(all),
				names)
		}
	}
}

// isAdmittedAnywhere reports whether any state lets the agent start. Without states each agent may.
func (x *explored) isAdmittedAnywhere(agent string) bool {
	return len(x.States) == 0 ||
		slices.ContainsFunc(x.States, func(st fsm.State) bool { return x.admits(st.Name, agent) })
}

// findUnknownAgents finds names and patterns, in states and rules, that no agent has. A name is a
// mistake. A pattern may be meant for agents that are not written yet.
func findUnknownAgents(x *explored, report reporter) {
	var all []string
	in, where := map[string][]string{}, map[string]string{}
	for _, st := range x.States {
		for _, t := range st.Triggers {
			for _, pattern := range without(t.Agents, x.known.has) {
				all, in[pattern] = addMissing(all, pattern), addMissing(in[pattern], st.Name)
				where[pattern] = cmp.Or(where[pattern], t.Place)
			}
		}
	}
	for _, pattern := range all {
		if fsm.IsGlob(pattern) {
			report(at(Note, where[pattern], pattern), "", "no agent that exists matches %q, which may start in %s",
				pattern, in[pattern])
			continue
		}
		report(at(Problem, where[pattern], pattern), x.known.correct(pattern)+
			", or create .claude/agents/"+pattern+".md", "there is no agent %q, which may start in %s", pattern,
			in[pattern])
	}
	for _, r := range x.rules { // that delegate to agents that do not exist
		missing := without(r.DelegateTo, x.known.has)
		text := "rule %s delegates to %s, and no such agent exists"
		if len(missing) < len(r.DelegateTo) {
			missing = without(missing, fsm.IsGlob) // it may be meant for agents to come
			text = "rule %s delegates to agents of which %s do not exist"
		}
		if len(missing) > 0 && r.mayObject() {
			report(at(Note, r.Place, missing...), x.known.correct(missing[0])+
				", or leave delegate_to out: then any agent that may do the work is proposed",
				text, r.Name, missing)
		}
	}
}
