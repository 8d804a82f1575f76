// Package verify is the model check of a compiled policy: it goes through every
// reachable state, and names what cannot work there. It uses the policy's own code
// (Step, FindLeads, MatchAgent, Covered), not a second reading of the rules. What is
// certain is a problem. What is likely to be a mistake, or good to know, is a note.
//
// The check assumes the level strict, and an agent for each pattern; whether such an
// agent exists is a check of its own. It follows what the main agent can do: start
// agents with the Agent tool and end its turn. What a person can do (reset, a command
// that forks) is no way out for the agent.
package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// An Agent is one that exists: on disk, or in the client itself.
type Agent struct {
	Name    string   // as the client calls it; a plugin's is plugin:name
	From    string   // where it is, for people; empty for one of the client's own
	Shared  bool     // it is there for every project: the user's own, or a plugin's
	Skill   bool     // it is a skill or a command: a state admits those that start an agent by their name
	Tools   []string // as of an fsm.KnownAgent
	Without []string
}

// Severity is how certain it is that something must change.
type Severity string

// The severities.
const (
	Problem Severity = "problem"
	Note    Severity = "note"
)

// A Finding is one thing that does not work in a policy, or that its author should
// know.
type Finding struct {
	Check    string   `json:"check"` // the name of the check that found it: dead-rule
	Severity Severity `json:"severity"`
	Where    string   `json:"where,omitempty"` // pipeline.yaml:12
	Text     string   `json:"text"`
	// the shortest way there: "IDLE –context-gatherer→ GATHERING"; alone, the initial
	// state
	Trace []string `json:"trace,omitempty"`
	Names []string `json:"names,omitempty"` // the states, agents or patterns it is about
	Hint  string   `json:"hint,omitempty"`  // what to do
}

// A reporter reports a finding, with its hint and its text. A list among the arguments is written with commas.
type reporter func(f Finding, hint, format string, args ...any)

// at is a finding at a place, about these names.
func at(s Severity, place string, names ...string) Finding {
	return Finding{Severity: s, Where: place, Names: names}
}

// atState is a finding about a state.
func (x *explored) atState(s Severity, state string) Finding {
	return Finding{Severity: s, Where: x.FindState(state).Place, Names: []string{state}, Trace: x.trace[state]}
}

// Verify checks a policy. known lists all agents that exist; without any, agents are
// not checked. only names the checks to run; without any, all. Checks are independent of
// each other; their order is that of the findings.
func Verify(p *fsm.Policy, known []Agent, only ...string) (out []Finding) {
	x := explore(p, known)
	for _, c := range []struct {
		name string
		find func(x *explored, report reporter)
	}{
		{"unreachable-state", findUnreachable},
		{"no-legal-move", findNoLegalMove},
		{"no-way-to-an-end", findNoEnd},
		{"person-only", findPersonOnly},
		{"unused-agent", findUnusedAgents},
		{"unknown-agent", findUnknownAgents},
		{"dead-move", findDeadMoves},
		{"all-fails", findAllFails},
		{"dead-rule", findDeadRules},
		{"overruled", findOverruled},
		{"refused-remedy", findRefusedStarts},
		{"refused-remedy", findRefusedRemedies},
		{"lost-budget", findLostBudgets},
		{"hold", findUselessHolds},
		{"unused-returns", findUnusedReturns},
		{"task-agents", findStrayTaskAgents},
		{"unknown-skill", findUnknownSkills},
	} {
		if len(only) > 0 && !slices.Contains(only, c.name) {
			continue
		}
		c.find(x, func(f Finding, hint, format string, args ...any) {
			for i, a := range args {
				if names, ok := a.([]string); ok {
					args[i] = strings.Join(names, ", ")
				}
			}
			f.Check, f.Hint, f.Text = c.name, hint, fmt.Sprintf(format, args...)
			out = append(out, f)
		})
	}
	return out
}

// Passes reports whether there is no problem among the findings.
func Passes(found []Finding) bool {
	return !slices.ContainsFunc(found, func(f Finding) bool { return f.Severity == Problem })
}
