package config

import (
	"cmp"
	"path"
	"slices"
	"strings"
)

// A Reliance is a place of a config that has its effect only with a client that can do
// something: see hooks.Abilities for the names.
type Reliance struct {
	On     string // Asks
	Effect string // without it
	Problem
}

// A reliantKey is a key that relies on a client.
type reliantKey struct {
	keys   string // with * for any one
	is     string // the value that relies on it; empty for any
	on     string
	effect string
}

func reliantKeys() []reliantKey {
	const denied, plan, todos = "each question is a denial", "an approved plan moves nothing", "its tasks are not known"
	return []reliantKey{
		{"level", "ask", "Asks", denied},
		{"activate/level", "ask", "Asks", denied},
		{"*/rules/*/ask", "", "Asks", denied},
		{"*/rules/*/level", "ask", "Asks", denied},
		{"*/rules/*/confine", "", "Confines", "its else counts, which is ask where nothing is written"},
		{"*/default/ask", "", "Asks", denied},
		{"on_error", "deny", "FailsClosed", "a call runs where pipeline cannot be started or is late"},
		{"*/rules", "", "TellsInput", "no rule here is about unknown code (commands: [\"?\"]): an open shell passes"},
		{"subagents/rules/*/name", "", "TellsCaller", "one agent runs at a time, and each call counts as its"},
		{"states/*/brief", "", "InjectsAgent", "an agent that starts does not get this text"},
		{"states/*/on_plan", "", "TellsPlan", plan},
		{"agents/*/returns", "", "HoldsAgents", "an agent whose message has another form is not sent back"},
		{"hold/until", "", "Holds", "no turn is held"},
		{"hold/until/*", "tasks", "TellsTodos", todos},
		{"hold/until/*", "plan", "TellsPlan", plan},
		{"tasks/from/*", "host", "TellsTodos", todos},
		{"tasks/from/*", "plan", "TellsPlan", plan},
		{"session_start/inject", "", "InjectsStart", "the main agent does not get this text"},
		{"session_start/on/*", "compact", "TellsCompaction", "after a compaction the text is not repeated"},
		{"planning/say", "", "InjectsPrompt", "the main agent does not get this text"},
		{"activate/commands/*", "", "Ordered", "the command does not reach pipeline"},
	}
}

// Reliances lists what in the files of a config without problems relies on the client, in their order.
func (d Draft) Reliances() (out []Reliance) {
	for here, origin := range d.at {
		if origin.source == nil {
			continue
		}
		place := origin.problemAt(origin.field.at, here.String(), "")
		rules := d.rulesOf(here.top())
		objectsToUnknown := rules.Default.Deny || rules.Default.Ask ||
			slices.ContainsFunc(rules.Rules, func(r Rule) bool {
				return (slices.Contains(r.Commands, "?") || r.Confine != nil) && r.Allow == nil
			})
		for _, k := range reliantKeys() {
			fits, _ := path.Match(k.keys, strings.ReplaceAll(string(here), sep, "/"))
			if fits && (k.is == "" || k.is == origin.value.text) && (k.on != "TellsInput" || !objectsToUnknown) {
				out = append(out, Reliance{On: k.on, Effect: k.effect, Problem: place})
			}
		}
	}
	slices.SortFunc(out, func(a, b Reliance) int {
		return cmp.Or(compareProblems(d.Project.Files)(a.Problem, b.Problem), cmp.Compare(a.On, b.On))
	})
	return out
}
