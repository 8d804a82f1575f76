package config

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// An Agent describes an agent, to help choose one for a task, and the form of its final
// message.
type Agent struct {
	Description string   `koanf:"description"`
	Keywords    []string `koanf:"keywords"`
	Returns     string   `koanf:"returns" as:"regexp"`
	Tries       int      `koanf:"tries" range:"1 7"`
}

// Caller says how to identify the caller where the host's payload does not.
type Caller struct {
	Env CallerEnv `koanf:"env"`
}

// CallerEnv names environment variables, and the roles that are the main agent.
type CallerEnv struct {
	RoleEnv       string   `koanf:"role" as:"variable"`
	NameEnv       string   `koanf:"name" as:"variable"`
	Orchestrators []string `koanf:"orchestrators"`
}

func (k *checker) groupNames() []string { return k.keysBelow("groups") }

// checkGroups reports groups that contain themselves, each cycle at its first group.
func (k *checker) checkGroups() {
	for _, name := range k.groupNames() {
		if cycle := k.findCycle(name, nil); cycle != nil && name == slices.Min(cycle) {
			k.reportKey(to("groups", name), fmt.Sprintf("found group %s inside itself (@%s)",
				quoteShort(name), strings.Join(cycle, " → @")), "")
		}
	}
}

// findCycle returns the way from a group back to itself.
func (k *checker) findCycle(name string, way []string) []string {
	if slices.Contains(way, name) {
		if way[0] == name {
			return append(way, name)
		}
		return nil // a cycle of other groups, which is reported there
	}
	for _, m := range k.Groups[name] {
		if inner, ok := groupName(m); ok {
			if cycle := k.findCycle(inner, append(slices.Clone(way), name)); cycle != nil {
				return cycle
			}
		}
	}
	return nil
}

// checkPattern checks a pattern of agent types.
func (k *checker) checkPattern(pattern string) (message, hint string) {
	if _, isGroup := groupName(pattern); isGroup {
		if k.bad["groups"] {
			return "", ""
		}
		references := k.groupNames()
		for i, name := range references {
			references[i] = "@" + name
		}
		return wantOneOf(references, "an existing group", "groups")(pattern)
	}
	return refuse(
		fault{isBadGlob, "a valid glob such as bash-* or [a-c]*", ""},
		fault{isNoName, "the name of an agent, or a glob such as bash-*", globHint},
		fault{equals(fsm.TurnEnds), "the name of an agent", "use on_stop"},
		fault{equals(fsm.PlanApproved), "the name of an agent", "use on_plan"},
		fault{hasSpaces, noSpaces, ""})(pattern)
}

// expandAgents replaces groups by their members.
func (c *Config) expandAgents(patterns []string) (out []string) {
	var expand func(patterns, within []string)
	expand = func(patterns, within []string) {
		for _, p := range patterns {
			group, ok := groupName(p)
			switch {
			case ok && !slices.Contains(within, group): // a cycle is a problem of its own
				expand(c.Groups[group], append(slices.Clone(within), group))
			case !ok && !slices.Contains(out, p):
				out = append(out, p)
			}
		}
	}
	expand(patterns, nil)
	return out
}

// groupName returns the name in a reference to a group.
func groupName(pattern string) (string, bool) { return strings.CutPrefix(pattern, "@") }

// compileAgents lists the agents that the config describes, by name.
func (c reading) compileAgents() (out []fsm.AgentInfo) {
	for _, name := range slices.Sorted(maps.Keys(c.Agents)) {
		a := c.Agents[name]
		info := fsm.AgentInfo{Name: name, Description: a.Description, Keywords: a.Keywords, Returns: a.Returns,
			Place: c.placeOf(to("agents", name))}
		if a.Returns != "" {
			info.Tries = cmp.Or(a.Tries, 2)
		}
		out = append(out, info)
	}
	return out
}
