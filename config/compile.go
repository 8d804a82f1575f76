package config

import (
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Compile makes the policy of a config. With problems there is none: a config is never half in force.
func Compile(c *Config, o *Origins) (*fsm.Policy, []Problem) {
	if problems := checkConfig(c, o); len(problems) > 0 || o.broken || len(o.bad) > 0 {
		return nil, sortProblems(problems, o.project.Files)
	}
	level, _ := fsm.ParseLevel(c.Level) // checked by the strict reading
	p := &fsm.Policy{
		Level:      level,
		FailClosed: c.OnError == "deny",
		Initial:    c.Initial,
		Fails:      c.Fails,
		Caller: fsm.Caller{
			RoleEnv:       c.Caller.Env.Role,
			NameEnv:       c.Caller.Env.Name,
			Orchestrators: c.Caller.Env.Orchestrators,
		},
		Main:      c.compileRules(c.Orchestrator, to("orchestrator"), o),
		Subagents: c.compileRules(c.Subagents, to("subagents"), o),
		Agents:    c.compileAgents(o),
		Activate:  c.Activate.compile(o),
		Bypass:    c.Bypass.compile(),
		Talk:      c.Talk.compile(),
		Limits:    c.Limits.compile(),
		Tasks:     c.compileTasks(o),
		Hold:      c.Hold.compile(o),
		Checks:    c.compileChecks(o),
		Opening:   c.compileOpening(o),
		Planning:  c.Planning.compile(),
		Remind:    c.Remind.compile(),
		Scratch:   c.usesScratch(),
		SelfCheck: c.Remind.SelfCheck,
		Dir:       o.resolveDir(c.Dir),

		AuditInput: c.Audit.Input,
		Keep:       c.Audit.compile(),
		Readiness:  c.Readiness.compile(),
		Sources:    o.project.Files,
	}
	for _, name := range orderStates(c) {
		p.States = append(p.States, c.compileState(name, o))
	}
	return p, nil
}

// resolveDir is a path as the config gives it: "~/x", absolute, or relative to the root that owns the state.
func (o *Origins) resolveDir(dir string) string {
	if dir == "" {
		return ""
	}
	return absolutePath(dir, World{Home: o.home, Dir: o.project.Owner})
}

// orderStates lists the states breadth first from the initial one, along the main road first; those that nothing leads to
// come last, by name.
func orderStates(c *Config) []string {
	if len(c.States) == 0 {
		return nil
	}
	out := []string{c.Initial}
	for i := 0; i < len(out); i++ {
		for _, next := range c.States[out[i]].nextStates() {
			if !slices.Contains(out, next) {
				out = append(out, next)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.States)) {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// nextStates lists the states that a state leads to.
func (s State) nextStates() []string {
	out := []string{s.OnComplete, s.OnStop}
	for _, m := range s.Moves {
		out = append(out, m.To)
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}

func (c *Config) compileState(name string, o *Origins) fsm.State {
	s, at := c.States[name], to("states", name)
	return fsm.State{
		Name:     name,
		Place:    o.placeOfKey(at),
		Triggers: c.compileTriggers(name, s, o),
		OnStop:   s.OnStop,
		Inject:   s.Inject,
		Brief:    s.Brief,
		Clear:    s.Clear,
	}
}

// compileTriggers lists what may move a state, in the order in which they are tried: moves, agents, helpers.
func (c *Config) compileTriggers(name string, s State, o *Origins) []fsm.Trigger {
	var out []fsm.Trigger
	at := to("states", name)
	for i, m := range s.Moves {
		out = append(out, fsm.Trigger{Name: m.triggerName(), Agents: c.expandPattern(m.Agent), Says: m.Says, To: m.To,
			Capture: m.Capture, Gate: m.Gate.compile(), Place: o.placeOf(at.key("moves").item(i))})
	}
	for i, a := range s.Agents {
		next := s.OnComplete
		if next == "" {
			next = name
		}
		out = append(out, fsm.Trigger{Name: a, Agents: c.expandPattern(a), To: next,
			Capture: s.Capture, Place: o.placeOf(at.key("agents").item(i))})
	}
	for i, a := range s.Helpers {
		out = append(out, fsm.Trigger{Name: a, Agents: c.expandPattern(a), To: name, Helper: true,
			Place: o.placeOf(at.key("helpers").item(i))})
	}
	return out
}

// triggerName is how a move is called: by its agent, and by what that must say.
func (m Move) triggerName() string {
	if m.Says == "" {
		return m.Agent
	}
	return m.Agent + " says /" + m.Says + "/"
}

// expandPattern are the patterns that a pattern stands for: those of the group, else itself.
func (c *Config) expandPattern(pattern string) []string {
	group, ok := groupName(pattern)
	if !ok {
		return []string{pattern}
	}
	return c.expandGroup(group, nil)
}

// expandGroup expands a group. A group that contains itself ends here: that it does is a problem of its own.
func (c *Config) expandGroup(group string, within []string) []string {
	if slices.Contains(within, group) {
		return nil
	}
	var out []string
	for _, m := range c.Groups[group] {
		add := []string{m}
		if inner, ok := groupName(m); ok {
			add = c.expandGroup(inner, append(within, group))
		}
		for _, a := range add {
			if !slices.Contains(out, a) {
				out = append(out, a)
			}
		}
	}
	return out
}

// groupName is the name in a reference to a group.
func groupName(pattern string) (string, bool) {
	if len(pattern) > 0 && pattern[0] == '@' {
		return pattern[1:], true
	}
	return "", false
}

// buildPolicy loads and compiles.
func buildPolicy(p Project, w World) (*fsm.Policy, []Problem, error) {
	c, o, problems, err := Load(p, w)
	if err != nil {
		return nil, problems, err
	}
	policy, more := Compile(c, o)
	all := sortedProblems(problems, more, p.Files)
	if len(all) > 0 {
		policy = nil
	}
	return policy, all, nil
}
