package config

import (
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Compile makes the policy of a config. With problems there is none: a config is never half in force.
func Compile(c *Config, o *Origins) (*fsm.Policy, []Problem) {
	if problems := check(c, o); len(problems) > 0 || o.broken || len(o.bad) > 0 {
		return nil, sorted(problems, o.project.Files)
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
		Main:      c.rules(c.Orchestrator, to("orchestrator"), o),
		Subagents: c.rules(c.Subagents, to("subagents"), o),
		Agents:    c.known(o),
		Activate:  c.Activate.compiled(o),
		Bypass:    c.Bypass.compiled(),
		Talk:      c.Talk.compiled(),
		Limits:    c.Limits.compiled(),
		Tasks:     c.tasks(o),
		Hold:      c.Hold.compiled(o),
		Checks:    c.checks(o),
		Opening:   c.opening(o),
		Planning:  c.Planning.compiled(),
		Remind:    c.Remind.compiled(),
		Scratch:   c.scratches(),
		SelfCheck: c.Remind.SelfCheck,
		Dir:       o.folder(c.Dir),

		AuditInput: c.Audit.Input,
		Keep:       c.Audit.kept(),
		Readiness:  c.Readiness.compiled(),
		Sources:    o.project.Files,
	}
	for _, name := range order(c) {
		p.States = append(p.States, c.state(name, o))
	}
	return p, nil
}

// folder is a path as the config gives it: "~/x", absolute, or relative to the root that owns the state.
func (o *Origins) folder(dir string) string {
	if dir == "" {
		return ""
	}
	return absolute(dir, World{Home: o.home, Dir: o.project.Owner})
}

// order lists the states breadth first from the initial one, along the main road first; those that nothing leads to
// come last, by name.
func order(c *Config) []string {
	if len(c.States) == 0 {
		return nil
	}
	out := []string{c.Initial}
	for i := 0; i < len(out); i++ {
		for _, next := range c.States[out[i]].targets() {
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

// targets lists the states that a state leads to.
func (s State) targets() []string {
	out := []string{s.OnComplete, s.OnStop}
	for _, m := range s.Moves {
		out = append(out, m.To)
	}
	return slices.DeleteFunc(out, func(name string) bool { return name == "" })
}

func (c *Config) state(name string, o *Origins) fsm.State {
	s, at := c.States[name], to("states", name)
	return fsm.State{
		Name:     name,
		Place:    o.placeOfKey(at),
		Triggers: c.triggers(name, s, o),
		OnStop:   s.OnStop,
		Inject:   s.Inject,
		Brief:    s.Brief,
		Clear:    s.Clear,
	}
}

// triggers lists what may move a state, in the order in which they are tried: moves, agents, helpers.
func (c *Config) triggers(name string, s State, o *Origins) []fsm.Trigger {
	var out []fsm.Trigger
	at := to("states", name)
	for i, m := range s.Moves {
		out = append(out, fsm.Trigger{Name: m.trigger(), Agents: c.agents(m.Agent), Says: m.Says, To: m.To,
			Capture: m.Capture, Gate: m.Gate.compiled(), Place: o.place(at.key("moves").item(i))})
	}
	for i, a := range s.Agents {
		next := s.OnComplete
		if next == "" {
			next = name
		}
		out = append(out, fsm.Trigger{Name: a, Agents: c.agents(a), To: next,
			Capture: s.Capture, Place: o.place(at.key("agents").item(i))})
	}
	for i, a := range s.Helpers {
		out = append(out, fsm.Trigger{Name: a, Agents: c.agents(a), To: name, Helper: true,
			Place: o.place(at.key("helpers").item(i))})
	}
	return out
}

// trigger is how a move is called: by its agent, and by what that must say.
func (m Move) trigger() string {
	if m.Says == "" {
		return m.Agent
	}
	return m.Agent + " says /" + m.Says + "/"
}

// agents are the patterns that a pattern stands for: those of the group, else itself.
func (c *Config) agents(pattern string) []string {
	group, ok := groupName(pattern)
	if !ok {
		return []string{pattern}
	}
	return c.members(group, nil)
}

// members expands a group. A group that contains itself ends here: that it does is a problem of its own.
func (c *Config) members(group string, within []string) []string {
	if slices.Contains(within, group) {
		return nil
	}
	var out []string
	for _, m := range c.Groups[group] {
		add := []string{m}
		if inner, ok := groupName(m); ok {
			add = c.members(inner, append(within, group))
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

// build loads and compiles.
func build(p Project, w World) (*fsm.Policy, []Problem, error) {
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
