package verify

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A setting is a part of a policy, beside states and rules, that can be stricter or more lenient.
type setting struct {
	name       string   // its key in the config
	strictness int64    // of a figure
	text       string   // the figure, for people
	checks     []string // each entry makes the policy stricter; an empty one is none
	grants     []string // each entry makes it more lenient
}

// listSettings lists the settings of a policy that is compared with another one.
func listSettings(p, other *fsm.Policy) []setting {
	limits, hold, bypass, activate := p.Limits, p.Hold, p.Bypass, p.Activate
	callers := slices.Concat([]string{p.Caller.RoleEnv, p.Caller.NameEnv}, p.Caller.Orchestrators)
	caller := strings.Join(slices.DeleteFunc(callers, func(s string) bool { return s == "" }), ", ")
	held := setting{name: "hold.states", text: strings.Join(hold.States, ", "), checks: hold.States}
	if len(hold.States) == 0 { // turns are held in each state
		held.strictness, held.text = 1, "all"
	}
	return []setting{
		asFigure("level", p.Level),
		asChecks("on_error", map[bool]string{true: "deny"}[p.FailClosed]),
		asBound("limits.running", limits.Running),
		asBound("limits.depth", limits.Depth),
		asBound("limits.calls", limits.Calls),
		asBound("limits.minutes", limits.Minutes),
		asBound("limits.tokens", limits.Tokens),
		asBound("limits.session_calls", limits.SessionCalls),
		asChecks("limits.own_worktree", limits.OwnWorktree...),
		asGrants("limits.running_env", limits.RunningEnv),
		asChecks("locked", p.Locked...),
		asGrants("bypass.allow", bypass.Allow...),
		asBound("bypass.longest", bypass.Longest),
		asGrants("bypass.env", listConditions(bypass.Env)...),
		asChecks("activate", slices.Concat(activate.When, activate.Skills, activate.Commands)...),
		asFigure("activate.level", activate.Level),
		// other names of callers are wider and narrower
		{name: "caller", checks: []string{caller}, grants: []string{caller}},
		asChecks("tools", listToolUses(p)...),
		asChecks("tasks.from", p.Tasks.From...),
		asChecks("tasks.agents", p.Tasks.Agents...),
		asChecks("tasks.graph", p.Tasks.Graph),
		asChecks("hold.until", hold.Until...),
		held,
		asGrants("hold.skills", hold.Skills...),
		asFigure("hold.tries", hold.Tries),
		asChecks("hold.gate", hold.Gate.Condition()),
		asChecks("checks", listChecks(p)...),
		asGrants("checks.env", listCheckConditions(p, other)...),
		asChecks("fails", p.Fails...),
		asChecks("agents.returns", listReturns(p)...),
		asGrants("reset_on", listResets(p, other)...),
	}
}

// asFigure is a setting of which the larger figure is stricter.
func asFigure[T fsm.Level | int](name string, n T) setting {
	return setting{name: name, strictness: int64(n), text: fmt.Sprint(n)}
}

// asBound is a setting of which the smaller figure is stricter, and 0 is none.
func asBound[T int | time.Duration](name string, n T) setting {
	if n == 0 {
		return setting{name: name, strictness: math.MinInt64}
	}
	return setting{name: name, strictness: -int64(n), text: fmt.Sprint(n)}
}

func asChecks(name string, list ...string) setting { return setting{name: name, checks: list} }
func asGrants(name string, list ...string) setting { return setting{name: name, grants: list} }

// compare says in which directions a setting has changed, and what was and is.
func (s setting) compare(changed setting) (directions []Direction, before, after string) {
	switch cmp.Compare(changed.strictness, s.strictness) {
	case -1:
		return []Direction{Widened}, s.text, changed.text
	case 1:
		return []Direction{Narrowed}, s.text, changed.text
	}
	checked, lost, gained := compareLists(s.checks, changed.checks)
	granted, after, before := compareLists(changed.grants, s.grants)
	directions = slices.DeleteFunc([]Direction{Widened, Narrowed},
		func(d Direction) bool { return !slices.Contains(checked, d) && !slices.Contains(granted, d) })
	return directions, cmp.Or(lost, before), cmp.Or(gained, after)
}

// compareLists compares lists of checks; an empty entry is none.
func compareLists(old, changed []string) (out []Direction, before, after string) {
	lost := without(old, func(s string) bool { return s == "" || slices.Contains(changed, s) })
	gained := without(changed, func(s string) bool { return s == "" || slices.Contains(old, s) })
	if len(lost) > 0 {
		out = append(out, Widened)
	}
	if len(gained) > 0 {
		out = append(out, Narrowed)
	}
	return out, strings.Join(lost, ", "), strings.Join(gained, ", ")
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
