package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A setting is a part of a policy, beside states and rules, that can be stricter or more
// lenient.
type setting struct {
	name    string // its key in the config
	compare func(old, changed *fsm.Policy) (order int, before, after string)
}

// What compare returns: whether the changed policy is wider, narrower, the same, or
// neither.
const (
	same = iota
	wider
	narrower
	neither
)

// settings is the list: one line each.
func settings() []setting {
	return []setting{
		{"level", byValue(func(p *fsm.Policy) fsm.Level { return p.Level })},
		{"on_error", byChecks(listOnError)},
		{"limits.running", byBound(func(p *fsm.Policy) int { return p.Limits.Running })},
		{"limits.depth", byBound(func(p *fsm.Policy) int { return p.Limits.Depth })},
		{"limits.calls", byBound(func(p *fsm.Policy) int { return p.Limits.Calls })},
		{"limits.minutes", byBound(func(p *fsm.Policy) int { return p.Limits.Minutes })},
		{"limits.tokens", byBound(func(p *fsm.Policy) int { return p.Limits.Tokens })},
		{"limits.session_calls", byBound(func(p *fsm.Policy) int { return p.Limits.SessionCalls })},
		{"limits.own_worktree", byChecks(func(p *fsm.Policy) []string { return p.Limits.OwnWorktree })},
		{"limits.running_env", byGrants(func(p *fsm.Policy) []string { return listFilled(p.Limits.RunningEnv) })},
		{"locked", byChecks(func(p *fsm.Policy) []string { return p.Locked })},
		{"bypass.allow", byGrants(func(p *fsm.Policy) []string { return p.Bypass.Allow })},
		{"bypass.longest", byBound(func(p *fsm.Policy) time.Duration { return p.Bypass.Longest })},
		{"bypass.env", byGrants(func(p *fsm.Policy) []string { return listConditions(p.Bypass.Env) })},
		{"activate", byChecks(listActivations)},
		{"activate.level", byValue(func(p *fsm.Policy) fsm.Level { return p.Activate.Level })},
		{"caller", byText(func(p *fsm.Policy) string { return strings.Join(listCaller(p.Caller), ", ") })},
		{"tools", byChecks(listToolUses)},
		{"tasks.from", byChecks(func(p *fsm.Policy) []string { return p.Tasks.From })},
		{"tasks.agents", byChecks(func(p *fsm.Policy) []string { return p.Tasks.Agents })},
		{"tasks.graph", byChecks(func(p *fsm.Policy) []string { return listFilled(p.Tasks.Graph) })},
		{"hold.until", byChecks(func(p *fsm.Policy) []string { return p.Hold.Until })},
		{"hold.states", byStates(func(p *fsm.Policy) []string { return p.Hold.States })},
		{"hold.skills", byGrants(func(p *fsm.Policy) []string { return p.Hold.Skills })},
		{"hold.tries", byValue(func(p *fsm.Policy) int { return p.Hold.Tries })},
		{"hold.gate", byChecks(func(p *fsm.Policy) []string { return listFilled(p.Hold.Gate.Condition()) })},
		{"checks", byChecks(listChecks)},
		{"checks.env", compareCheckConditions},
		{"fails", byChecks(func(p *fsm.Policy) []string { return p.Fails })},
		{"agents.returns", byChecks(listReturns)},
		{"reset_on", compareResets},
	}
}

func (c *comparison) compareSetting(s setting, old, changed *fsm.Policy) {
	order, before, after := s.compare(old, changed)
	c.addOrdered(stop{}, order,
		Change{Kind: ofSettings, Text: s.name, Old: cmp.Or(before, "none"), New: cmp.Or(after, "none")})
}

type comparer func(old, changed *fsm.Policy) (order int, before, after string)

// byValue compares values of which the larger is stricter.
func byValue[T cmp.Ordered](of func(*fsm.Policy) T) comparer {
	return func(old, changed *fsm.Policy) (int, string, string) {
		a, b := of(old), of(changed)
		return [...]int{wider, same, narrower}[cmp.Compare(b, a)+1], fmt.Sprint(a), fmt.Sprint(b)
	}
}

// byText compares what has no order: another text is wider and narrower.
func byText(of func(*fsm.Policy) string) comparer {
	return func(old, changed *fsm.Policy) (int, string, string) {
		a, b := of(old), of(changed)
		if a == b {
			return same, a, b
		}
		return neither, a, b
	}
}

// byBound compares bounds: the smaller is stricter, and 0 is none.
func byBound[T int | time.Duration](of func(*fsm.Policy) T) comparer {
	return func(old, changed *fsm.Policy) (int, string, string) {
		a, b := of(old), of(changed)
		show := func(n T) string {
			if n == 0 {
				return ""
			}
			return fmt.Sprint(n)
		}
		switch {
		case a == b:
			return same, "", ""
		case b == 0 || a != 0 && b > a:
			return wider, show(a), show(b)
		}
		return narrower, show(a), show(b)
	}
}

// byChecks compares lists of which each entry makes a policy stricter.
func byChecks(of func(*fsm.Policy) []string) comparer {
	return func(old, changed *fsm.Policy) (int, string, string) {
		lost, gained := without(of(old), of(changed)), without(of(changed), of(old))
		order := same
		switch {
		case len(lost) > 0 && len(gained) > 0:
			order = neither
		case len(lost) > 0:
			order = wider
		case len(gained) > 0:
			order = narrower
		}
		return order, strings.Join(lost, ", "), strings.Join(gained, ", ")
	}
}

// byGrants compares lists of which each entry makes a policy more lenient.
func byGrants(of func(*fsm.Policy) []string) comparer {
	compare := byChecks(of)
	return func(old, changed *fsm.Policy) (int, string, string) {
		order, before, after := compare(old, changed)
		return [...]int{same, narrower, wider, neither}[order], before, after
	}
}

// byStates compares lists of states in which something holds; an empty one names all.
func byStates(of func(*fsm.Policy) []string) comparer {
	compare := byChecks(of)
	return func(old, changed *fsm.Policy) (int, string, string) {
		a, b := of(old), of(changed)
		switch {
		case len(a) == 0 && len(b) > 0:
			return wider, "all", strings.Join(b, ", ")
		case len(b) == 0 && len(a) > 0:
			return narrower, strings.Join(a, ", "), "all"
		}
		return compare(old, changed)
	}
}

func without(list, other []string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
}

func listOnError(p *fsm.Policy) []string {
	if p.FailClosed {
		return []string{"deny"}
	}
	return nil
}

func listFilled(text string) []string {
	if text == "" {
		return nil
	}
	return []string{text}
}

func listConditions(conds []fsm.Input) (out []string) {
	for _, c := range conds {
		out = append(out, c.Name+"="+c.Value)
	}
	return out
}

func listActivations(p *fsm.Policy) (out []string) {
	return slices.Concat(p.Activate.When, p.Activate.Skills, p.Activate.Commands)
}

func listCaller(c fsm.Caller) []string {
	return slices.Concat(listFilled(c.RoleEnv), listFilled(c.NameEnv), c.Orchestrators)
}

func listToolUses(p *fsm.Policy) (out []string) {
	for _, u := range p.Tools {
		all := map[string][]string{"reads": u.Reads, "writes": u.Writes, "deletes": u.Deletes, "runs": u.Runs}
		for does, inputs := range all {
			for _, in := range inputs {
				out = append(out, fmt.Sprintf("%s %s %s", u.Tool, does, in))
			}
		}
	}
	slices.Sort(out)
	return out
}

func listChecks(p *fsm.Policy) (out []string) {
	for _, c := range p.Checks {
		for _, at := range c.At {
			for _, glob := range c.Files {
				out = append(out, fmt.Sprintf("%s at %s of %s: %s", c.Name, at, glob, c.Run))
			}
		}
	}
	return out
}

// compareCheckConditions compares when checks are left out that both policies have.
func compareCheckConditions(old, changed *fsm.Policy) (int, string, string) {
	return byGrants(func(p *fsm.Policy) (out []string) {
		other := changed
		if p == changed {
			other = old
		}
		for _, c := range p.Checks {
			if !slices.ContainsFunc(other.Checks, func(o fsm.Check) bool { return o.Name == c.Name }) {
				continue
			}
			for _, cond := range listConditions(c.Env) {
				out = append(out, c.Name+" only if "+cond)
			}
			for _, cond := range listConditions(c.UnlessEnv) {
				out = append(out, c.Name+" unless "+cond)
			}
		}
		return out
	})(old, changed)
}

func listReturns(p *fsm.Policy) (out []string) {
	for _, a := range p.Agents {
		out = append(out, listFilled(a.Returns)...)
		if a.Returns != "" {
			out[len(out)-1] = a.Name + ": " + a.Returns
		}
	}
	return out
}

// compareResets compares what gives budgets back, of tools that have one in both policies.
func compareResets(old, changed *fsm.Policy) (int, string, string) {
	inBoth := func(p, other *fsm.Policy) []string {
		var out []string
		for tools, on := range listResets(p) {
			if _, ok := listResets(other)[tools]; ok {
				out = append(out, on...)
			}
		}
		slices.Sort(out)
		return out
	}
	return byGrants(func(p *fsm.Policy) []string {
		if p == old {
			return inBoth(old, changed)
		}
		return inBoth(changed, old)
	})(old, changed)
}

// listResets lists what gives budgets back, by the tools of their rules.
func listResets(p *fsm.Policy) map[string][]string {
	out := map[string][]string{}
	for i, set := range []fsm.Rules{p.Main, p.Subagents} {
		for _, r := range set.List {
			if !r.Budgeted {
				continue
			}
			tools := fmt.Sprint(i, r.Tools)
			out[tools] = nil
			for _, on := range r.ResetOn {
				if on != "never" {
					out[tools] = append(out[tools], fmt.Sprintf("%s on %s", strings.Join(r.Tools, " "), on))
				}
			}
		}
	}
	return out
}
