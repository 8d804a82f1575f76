package config

import (
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

// A reliantKey is a key that relies on a client. Where the same key may have values that do
// not, it says which do.
type reliantKey struct {
	keys   string // with * for any one
	on     string
	effect string
	when   func(c *Config, steps []string) bool
}

func reliantKeys() []reliantKey {
	const denied, plan, todos = "each question is a denial", "an approved plan moves nothing", "its tasks are not known"
	value := func(want string, of func(c *Config) string) func(*Config, []string) bool {
		return func(c *Config, _ []string) bool { return of(c) == want }
	}
	item := func(want string, of func(c *Config) []string) func(*Config, []string) bool {
		return func(c *Config, steps []string) bool { return at(of(c), steps[len(steps)-1]) == want }
	}
	until := func(c *Config) []string { return c.Hold.Until }
	from := func(c *Config) []string { return c.Tasks.From }
	rules := func(c *Config, steps []string) bool {
		list := c.Orchestrator.Rules
		if steps[0] == "subagents" {
			list = c.Subagents.Rules
		}
		for i, r := range list {
			if item := to(steps[:3]...); item == to(steps[0], "rules").item(i) {
				return r.Level == "ask"
			}
		}
		return false
	}
	return []reliantKey{
		{"level", "Asks", denied, value("ask", func(c *Config) string { return c.Level })},
		{"activate/level", "Asks", denied, value("ask", func(c *Config) string { return c.Activate.Level })},
		{"*/rules/*/ask", "Asks", denied, nil},
		{"*/rules/*/level", "Asks", denied, rules},
		{"*/default/ask", "Asks", denied, nil},
		{"on_error", "FailsClosed", "a call runs where pipeline cannot be started or is late",
			value("deny", func(c *Config) string { return c.OnError })},
		{"*/rules", "TellsInput", "no rule here is about unknown code (commands: [\"?\"]): an open shell passes",
			func(c *Config, steps []string) bool {
				list := c.Orchestrator
				if steps[0] == "subagents" {
					list = c.Subagents
				}
				return !list.Default.Deny && !list.Default.Ask && !slices.ContainsFunc(list.Rules, func(r Rule) bool {
					return slices.Contains(r.Commands, "?") && r.Allow == nil
				})
			}},
		{"subagents/rules/*/name", "TellsCaller", "one agent runs at a time, and each call counts as its", nil},
		{"states/*/brief", "InjectsAgent", "an agent that starts does not get this text", nil},
		{"states/*/on_plan", "TellsPlan", plan, nil},
		{"agents/*/returns", "HoldsAgents", "an agent whose message has another form is not sent back", nil},
		{"hold/until", "Holds", "no turn is held", nil},
		{"hold/until/*", "TellsTodos", todos, item("tasks", until)},
		{"hold/until/*", "TellsPlan", plan, item("plan", until)},
		{"tasks/from/*", "TellsTodos", todos, item("host", from)},
		{"tasks/from/*", "TellsPlan", plan, item("plan", from)},
		{"session_start/inject", "InjectsStart", "the main agent does not get this text", nil},
		{"session_start/on/*", "TellsCompaction", "after a compaction the text is not repeated",
			item("compact", func(c *Config) []string { return c.SessionStart.On })},
		{"planning/say", "InjectsPrompt", "the main agent does not get this text", nil},
		{"activate/commands/*", "Ordered", "the command does not reach pipeline", nil},
	}
}

// at is a list's element by its number, "" for none.
func at(list []string, number string) string {
	for i, s := range list {
		if trail("").item(i) == trail(number) {
			return s
		}
	}
	return ""
}

// Reliances lists what in a project's files relies on the client, in the order of the files.
func Reliances(p Project, w World) ([]Reliance, error) {
	c, o, problems, err := Load(p, w)
	if err != nil || len(problems) > 0 {
		return nil, err
	}
	byPlace := map[Problem]Reliance{}
	var places []Problem
	for here, origin := range o.at {
		if origin.source == nil {
			continue
		}
		steps := strings.Split(string(here), sep)
		for _, k := range reliantKeys() {
			if ok, _ := path.Match(k.keys, strings.Join(steps, "/")); !ok || k.when != nil && !k.when(c, steps) {
				continue
			}
			place := origin.problemAt(origin.key, here.String(), k.on)
			if origin.key.line == 0 {
				place = origin.problemAt(origin.value, here.String(), k.on)
			}
			byPlace[place] = Reliance{On: k.on, Effect: k.effect}
			places = append(places, place)
		}
	}
	var out []Reliance
	for _, place := range sortProblems(places, p.Files) {
		r := byPlace[place]
		place.Hint = ""
		r.Problem = place
		out = append(out, r)
	}
	return out, nil
}

// RelianceNames lists what configs can rely on.
func RelianceNames() (names []string) {
	for _, k := range reliantKeys() {
		names = append(names, k.on)
	}
	return names
}
