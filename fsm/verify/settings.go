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
	compare comparer
}

// A comparer compares a part of two policies: in which directions it has changed, and what was and is.
type comparer func(old, changed *fsm.Policy) (directions []Direction, before, after string)

// settings is the list: one line each.
func settings() []setting {
	return []setting{
		{"level", byValue(func(p *fsm.Policy) fsm.Level { return p.Level })},
		{"on_error", byChecks(func(p *fsm.Policy) []string {
			return []string{map[bool]string{true: "deny"}[p.FailClosed]}
		})},
		{"limits.running", byBound(func(p *fsm.Policy) int { return p.Limits.Running })},
		{"limits.depth", byBound(func(p *fsm.Policy) int { return p.Limits.Depth })},
		{"limits.calls", byBound(func(p *fsm.Policy) int { return p.Limits.Calls })},
		{"limits.minutes", byBound(func(p *fsm.Policy) int { return p.Limits.Minutes })},
		{"limits.tokens", byBound(func(p *fsm.Policy) int { return p.Limits.Tokens })},
		{"limits.session_calls", byBound(func(p *fsm.Policy) int { return p.Limits.SessionCalls })},
		{"limits.own_worktree", byChecks(func(p *fsm.Policy) []string { return p.Limits.OwnWorktree })},
		{"limits.running_env", byGrants(func(p *fsm.Policy) []string { return []string{p.Limits.RunningEnv} })},
		{"locked", byChecks(func(p *fsm.Policy) []string { return p.Locked })},
		{"bypass.allow", byGrants(func(p *fsm.Policy) []string { return p.Bypass.Allow })},
		{"bypass.longest", byBound(func(p *fsm.Policy) time.Duration { return p.Bypass.Longest })},
		{"bypass.env", byGrants(func(p *fsm.Policy) []string { return listConditions(p.Bypass.Env) })},
		{"activate", byChecks(func(p *fsm.Policy) []string {
			return slices.Concat(p.Activate.When, p.Activate.Skills, p.Activate.Commands)
		})},
		{"activate.level", byValue(func(p *fsm.Policy) fsm.Level { return p.Activate.Level })},
		{"caller", compareCallers},
		{"tools", byChecks(listToolUses)},
		{"tasks.from", byChecks(func(p *fsm.Policy) []string { return p.Tasks.From })},
		{"tasks.agents", byChecks(func(p *fsm.Policy) []string { return p.Tasks.Agents })},
		{"tasks.graph", byChecks(func(p *fsm.Policy) []string { return []string{p.Tasks.Graph} })},
		{"hold.until", byChecks(func(p *fsm.Policy) []string { return p.Hold.Until })},
		{"hold.states", byStates(func(p *fsm.Policy) []string { return p.Hold.States })},
		{"hold.skills", byGrants(func(p *fsm.Policy) []string { return p.Hold.Skills })},
		{"hold.tries", byValue(func(p *fsm.Policy) int { return p.Hold.Tries })},
		{"hold.gate", byChecks(func(p *fsm.Policy) []string { return []string{p.Hold.Gate.Condition()} })},
		{"checks", byChecks(listChecks)},
		{"checks.env", byCommon(listCheckConditions)},
		{"fails", byChecks(func(p *fsm.Policy) []string { return p.Fails })},
		{"agents.returns", byChecks(listReturns)},
		{"reset_on", byCommon(listResets)},
	}
}

// byValue compares values of which the larger is stricter.
func byValue[T cmp.Ordered](of func(*fsm.Policy) T) comparer {
	return func(old, changed *fsm.Policy) ([]Direction, string, string) {
		a, b := of(old), of(changed)
		return [][]Direction{{Widened}, nil, {Narrowed}}[cmp.Compare(b, a)+1], fmt.Sprint(a), fmt.Sprint(b)
	}
}

// byBound compares bounds: the smaller is stricter, and 0 is none.
func byBound[T int | time.Duration](of func(*fsm.Policy) T) comparer {
	show := func(n T) string { return strings.TrimPrefix(fmt.Sprint(n), fmt.Sprint(T(0))) }
	return func(old, changed *fsm.Policy) ([]Direction, string, string) {
		a, b := of(old), of(changed)
		switch {
		case a == b:
			return nil, "", ""
		case b == 0 || a != 0 && b > a:
			return []Direction{Widened}, show(a), show(b)
		}
		return []Direction{Narrowed}, show(a), show(b)
	}
}

// compareCallers compares what has no order: other names are wider and narrower.
func compareCallers(old, changed *fsm.Policy) (out []Direction, before, after string) {
	list := func(c fsm.Caller) string {
		names := slices.Concat([]string{c.RoleEnv, c.NameEnv}, c.Orchestrators)
		return strings.Join(slices.DeleteFunc(names, func(s string) bool { return s == "" }), ", ")
	}
	if before, after = list(old.Caller), list(changed.Caller); before != after {
		out = []Direction{Widened, Narrowed}
	}
	return out, before, after
}

// byChecks compares lists of which each entry makes a policy stricter.
func byChecks(of func(*fsm.Policy) []string) comparer {
	return func(old, changed *fsm.Policy) ([]Direction, string, string) {
		return compareLists(of(old), of(changed))
	}
}

// compareLists compares lists of checks; an empty entry is none.
func compareLists(old, changed []string) (out []Direction, before, after string) {
	without := func(list, other []string) []string {
		other = append(slices.Clone(other), "")
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
	}
	lost, gained := without(old, changed), without(changed, old)
	if len(lost) > 0 {
		out = append(out, Widened)
	}
	if len(gained) > 0 {
		out = append(out, Narrowed)
	}
	return out, strings.Join(lost, ", "), strings.Join(gained, ", ")
}

// byGrants compares lists of which each entry makes a policy more lenient.
func byGrants(of func(*fsm.Policy) []string) comparer {
	return byCommon(func(p, _ *fsm.Policy) []string { return of(p) })
}

// byCommon compares grants of what both policies have.
func byCommon(of func(p, other *fsm.Policy) []string) comparer {
	return func(old, changed *fsm.Policy) ([]Direction, string, string) {
		out, after, before := compareLists(of(changed, old), of(old, changed))
		return out, before, after
	}
}

// byStates compares lists of states in which something holds; an empty one names all.
func byStates(of func(*fsm.Policy) []string) comparer {
	return func(old, changed *fsm.Policy) ([]Direction, string, string) {
		a, b := of(old), of(changed)
		switch {
		case len(a) == 0 && len(b) > 0:
			return []Direction{Widened}, "all", strings.Join(b, ", ")
		case len(b) == 0 && len(a) > 0:
			return []Direction{Narrowed}, strings.Join(a, ", "), "all"
		}
		return compareLists(a, b)
	}
}

func listConditions(conds []fsm.Input) (out []string) {
	for _, c := range conds {
		out = append(out, c.Name+"="+c.Value)
	}
	return out
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

// listCheckConditions lists when checks are left out that both policies have, by their names.
func listCheckConditions(p, other *fsm.Policy) (out []string) {
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
	slices.Sort(out)
	return out
}

func listReturns(p *fsm.Policy) (out []string) {
	for _, a := range p.Agents {
		if a.Returns != "" {
			out = append(out, a.Name+": "+a.Returns)
		}
	}
	return out
}

// listResets lists what gives budgets back, by the tools of their rules, for which both policies have a budget.
func listResets(p, other *fsm.Policy) (out []string) {
	sets := [][2][]fsm.Rule{{p.Main.List, other.Main.List}, {p.Subagents.List, other.Subagents.List}}
	for _, set := range sets {
		for _, r := range set[0] {
			isSame := func(o fsm.Rule) bool { return o.Budgeted && slices.Equal(o.Tools, r.Tools) }
			if !r.Budgeted || !slices.ContainsFunc(set[1], isSame) {
				continue
			}
			for _, on := range r.ResetOn {
				if on != "never" {
					out = append(out, fmt.Sprintf("%s on %s", strings.Join(r.Tools, " "), on))
				}
			}
		}
	}
	return out
}
