package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// agents are those that exist.
type agents []Agent

// has reports whether there is an agent that the client would start under this
// name.
func (as agents) has(name string) bool {
	return slices.ContainsFunc(as, func(a Agent) bool { return fsm.NamesAgent(name, a.Name) })
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
func findUnusedAgents(x *explored, report func(Finding)) {
	if len(x.p.States) == 0 {
		return
	}
	for _, shared := range []bool{false, true} {
		var names, all []string
		for _, a := range x.known {
			if a.From == "" || a.Shared != shared || slices.Contains(all, a.Name) {
				continue
			}
			all = append(all, a.Name)
			if !x.isAdmittedAnywhere(a.Name) {
				names = append(names, a.Name)
			}
		}
		if len(names) > 0 {
			report(unusedFinding(names, len(all), shared))
		}
	}
}

func unusedFinding(names []string, of int, shared bool) Finding {
	f := Finding{Severity: Problem, Names: names, Hint: "name them in a state, or remove their files",
		Text: fmt.Sprintf("no state allows %d of the project's %d agents: %s", len(names), of,
			strings.Join(names, ", "))}
	if shared {
		f.Severity, f.Hint = Note, "they cannot run in this project"
		f.Text = fmt.Sprintf("no state allows %d of the %d agents that are there for every project: %s", len(names),
			of, strings.Join(names, ", "))
	}
	return f
}

// isAdmittedAnywhere reports whether any state lets the agent start.
func (x *explored) isAdmittedAnywhere(agent string) bool {
	admits := func(st fsm.State) bool { _, ok := x.table.Admits(st.Name, agent); return ok }
	return slices.ContainsFunc(x.p.States, admits)
}

// An unmatched is a name or pattern that no agent has, and the states that name it.
type unmatched struct {
	pattern, where string
	states         []string
}

// findUnknownAgents finds names and patterns in states that no agent has. A name is a
// mistake. A pattern may be meant for agents that are not written yet.
func findUnknownAgents(x *explored, report func(Finding)) {
	if len(x.known) == 0 {
		return
	}
	var all []unmatched
	for _, st := range x.p.States {
		for _, t := range st.Triggers {
			for _, pattern := range t.Agents {
				if !x.known.has(pattern) {
					all = addUnmatched(all, unmatched{pattern, t.Place, []string{st.Name}})
				}
			}
		}
	}
	for _, n := range all {
		report(n.describe(x.known))
	}
	x.findUnknownDelegates(report)
}

// findUnknownDelegates finds rules that delegate to agents that do not exist.
func (x *explored) findUnknownDelegates(report func(Finding)) {
	for _, r := range x.rules {
		missing := slices.DeleteFunc(slices.Clone(r.DelegateTo), x.known.has)
		text := "rule %s delegates to %s, and no such agent exists"
		if len(missing) < len(r.DelegateTo) {
			missing = slices.DeleteFunc(missing, fsm.IsGlob) // it may be meant for agents to come
			text = "rule %s delegates to agents of which %s do not exist"
		}
		if len(missing) > 0 && r.mayObject() {
			report(Finding{Severity: Note, Where: r.Place, Names: missing,
				Hint: x.known.correct(missing[0]) +
					", or leave delegate_to out: then any agent that may do the work is proposed",
				Text: fmt.Sprintf(text, r.Name, strings.Join(missing, ", "))})
		}
	}
}

// addUnmatched adds a pattern, or one more state to a pattern in the list.
func addUnmatched(all []unmatched, n unmatched) []unmatched {
	i := slices.IndexFunc(all, func(b unmatched) bool { return b.pattern == n.pattern })
	if i < 0 {
		return append(all, n)
	}
	if !slices.Contains(all[i].states, n.states[0]) {
		all[i].states = append(all[i].states, n.states...)
	}
	return all
}

func (n unmatched) describe(known agents) Finding {
	in := strings.Join(n.states, ", ")
	if fsm.IsGlob(n.pattern) {
		return Finding{Severity: Note, Where: n.where, Names: []string{n.pattern},
			Text: fmt.Sprintf("no agent that exists matches %q, which may start in %s", n.pattern, in)}
	}
	return Finding{Severity: Problem, Where: n.where, Names: []string{n.pattern},
		Text: fmt.Sprintf("there is no agent %q, which may start in %s", n.pattern, in),
		Hint: known.correct(n.pattern) + ", or create .claude/agents/" + n.pattern + ".md"}
}
