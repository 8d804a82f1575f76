package config

import (
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// A verb is one of the four keys that say what a rule does.
type verb struct {
	key     string
	verdict fsm.Verdict
	tools   []string
}

// verbs lists the verbs that a rule has: one, if it is right.
func (r Rule) verbs() []verb {
	all := []verb{{"allow", fsm.Pass, r.Allow}, {"warn", fsm.Warn, r.Warn}, {"ask", fsm.Ask, r.Ask}, {"deny", fsm.Deny, r.Deny}}
	return slices.DeleteFunc(all, func(v verb) bool { return v.tools == nil })
}

// verbs lists the verbs of a default: one, if it is right.
func (d Default) verbs() []verb {
	var out []verb
	for i, there := range []bool{d.Allow, d.Warn, d.Ask, d.Deny} {
		if there {
			out = append(out, verb{key: verbKeys()[i], verdict: fsm.Verdict(i)})
		}
	}
	return out
}

// verbKeys are the verbs, from the most lenient to the strictest.
func verbKeys() []string { return []string{"allow", "warn", "ask", "deny"} }

// compileRules compiles a section of rules.
func (c *Config) compileRules(s Rules, at trail, o *Origins) fsm.Rules {
	var out fsm.Rules
	for _, v := range s.Default.verbs() {
		out.Default = fsm.Rule{Name: "default", Place: o.placeOfKey(at.key("default")), Verdict: v.verdict,
			DelegateTo: s.Default.DelegateTo, Reason: s.Default.Reason}
	}
	for i, r := range s.Rules {
		out.List = append(out.List, c.compileRule(r, at.key("rules").item(i), o))
	}
	return out
}

func (c *Config) compileRule(r Rule, at trail, o *Origins) fsm.Rule {
	level, levelled := fsm.ParseLevel(r.Level)
	out := fsm.Rule{
		Name: r.Name, Place: o.placeOf(at),
		Paths: o.absoluteGlobs(r.Paths), Commands: parseCommands(r.Commands), Inputs: sortedInputs(r.Input),
		States: r.States, Agents: c.expandAgents(r.Agents), Env: sortedInputs(r.Env), UnlessEnv: sortedInputs(r.UnlessEnv),
		Budgeted: r.Budget != nil, ResetOn: r.ResetOn,
		DelegateTo: r.DelegateTo, Reason: r.Reason, Type: r.Type, Example: r.Example, Describe: r.Describe,
		Level: level, Levelled: levelled,
	}
	for _, v := range r.verbs() {
		out.Verdict, out.Tools = v.verdict, canonicalTools(v.tools)
	}
	if r.Budget != nil {
		out.Budget = *r.Budget
	}
	if r.Within != nil {
		out.Within = *r.Within
	}
	return out
}

// parseCommands splits word patterns. One that cannot be read is reported by the checks; here it is left out.
func parseCommands(patterns []string) [][]string {
	var out [][]string
	for _, p := range patterns {
		if words, err := shell.ParsePattern(p); err == nil {
			out = append(out, words)
		}
	}
	return out
}

func sortedInputs(m map[string]string) []fsm.Input {
	var out []fsm.Input
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, fsm.Input{Name: name, Value: m[name]})
	}
	return out
}

// expandAgents replaces groups by their members.
func (c *Config) expandAgents(patterns []string) []string {
	var out []string
	for _, p := range patterns {
		for _, a := range c.expandPattern(p) {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// compileAgents lists the agents that the config tells something of, by name.
func (c *Config) compileAgents(o *Origins) []fsm.AgentInfo {
	var out []fsm.AgentInfo
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a := c.Agents[name]
		info := fsm.AgentInfo{Name: name, Description: a.Description, Keywords: a.Keywords, Returns: a.Returns, Place: o.placeOfKey(to("agents", name))}
		if a.Returns != "" {
			info.Tries = valueOr(a.Tries, 2)
		}
		out = append(out, info)
	}
	return out
}
