package verify

import (
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Refused is what an organisation's policy refuses to everybody, in every state, and
// however a project or a person changes the rest. A list of permissions that knows neither
// states nor callers can hold it.
type Refused struct{ Agents, Tools []string }

// FindRefused finds what is locked, named and always refused; locked are the locked
// sections. It leaves out what is not certain: a pattern, what a condition or a budget lets
// pass at times, a level that does not refuse, and all of it where bypasses are allowed.
func FindRefused(p *fsm.Policy, locked []string) (out Refused) {
	top := &p.Ceiling
	if len(top.Allow) > 0 {
		return out
	}
	x := explore(p, nil)
	var agents, tools []string
	for _, r := range p.AllRules() {
		agents = slices.Concat(agents, r.Starts, r.DelegateTo)
		for _, t := range r.Tools {
			tools = append(tools, fsm.CanonicalTool(t))
		}
	}
	for _, name := range sortedUnion(agents) {
		if slices.Contains(locked, "states") && top.Level >= fsm.Strict &&
			!fsm.IsGlob(name) && !x.isAdmittedAnywhere(name) &&
			!slices.ContainsFunc(x.order, func(state string) bool { return x.judgeStart(state, name) < fsm.Deny }) {
			out.Agents = append(out.Agents, name)
		}
	}
	for _, tool := range sortedUnion(tools) {
		if top.RuleLevel >= fsm.Strict && !fsm.IsGlob(tool) &&
			deniesAlways(&top.Main, tool) && deniesAlways(&top.Subagents, tool) {
			out.Tools = append(out.Tools, tool)
		}
	}
	return out
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
