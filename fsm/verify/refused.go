package verify

import (
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Refused is what a policy refuses to everybody, in every state and however it is asked
// for. A list of permissions that knows neither states nor callers can hold it.
type Refused struct{ Agents, Tools []string }

// FindRefused finds what a policy names and always refuses. It leaves out what is not
// certain: a pattern, what a condition or a budget lets pass at times, and everything
// under a level that does not refuse.
func FindRefused(p *fsm.Policy) Refused {
	var out Refused
	if p.Level < fsm.Strict {
		return out
	}
	x := explore(p, nil)
	var agents, tools []string
	for _, set := range []*fsm.Rules{&p.Main, &p.Subagents} {
		for _, r := range set.List {
			agents = append(append(agents, r.Starts...), r.DelegateTo...)
			for _, t := range r.Tools {
				tools = append(tools, fsm.CanonicalTool(t))
			}
		}
	}
	for _, name := range sortedUnion(agents) {
		if !fsm.IsGlob(name) && len(p.States) > 0 && !x.isAdmittedAnywhere(name) && x.refusesStart(name) {
			out.Agents = append(out.Agents, name)
		}
	}
	for _, tool := range sortedUnion(tools) {
		if !fsm.IsGlob(tool) && deniesAlways(&p.Main, tool) && deniesAlways(&p.Subagents, tool) {
			out.Tools = append(out.Tools, tool)
		}
	}
	return out
}

// refusesStart reports whether each reachable state refuses the start of an agent.
func (x *explored) refusesStart(agent string) bool {
	return !slices.ContainsFunc(x.order, func(state string) bool {
		return x.mostLenient(x.newSession(state), agent) < fsm.Deny
	})
}

// deniesAlways reports whether a rule without conditions denies a tool, before any rule
// that may let it pass.
func deniesAlways(set *fsm.Rules, tool string) bool {
	for _, r := range set.List {
		switch {
		case !r.CoversTool(tool):
		case r.Verdict != fsm.Deny || r.Budgeted || r.Levelled:
			return false
		case r.IsUnconditional():
			return true
		}
	}
	return false
}
