package fsm

import (
	"maps"
	"slices"
	"strings"
)

// Covered answers whether a rule is dead: it lists the earlier rules which decide every
// call that rule i fits, by their index. The answer is nil where the rule may decide
// something, or is switched off on purpose. The states are those in which a session can
// be; a policy without states has none.
//
// Covered never calls a rule dead that can decide a call. It may miss a dead rule: it
// compares globs as they are written, and asks of each tool and state for one earlier
// rule that decides all by itself.
func (rs *Rules) Covered(i int, states []string) (out []int) {
	r := &rs.List[i]
	if r.IsOff() {
		return nil
	}
	if len(states) == 0 {
		states = []string{""}
	}
	for _, tool := range r.Tools {
		aliases := []string{CanonicalTool(tool)} // the tools that calls may have; a glob is kept as it is
		for _, t := range slices.Sorted(maps.Keys(otherNames)) {
			if slices.Contains(otherNames[t], tool) {
				aliases = append(aliases, t)
			}
		}
		for _, called := range aliases {
			for _, state := range states {
				if !r.FitsState(state) {
					continue
				}
				j := slices.IndexFunc(rs.List[:i], func(earlier Rule) bool { return earlier.covers(r, called, state) })
				if j < 0 {
					return nil
				}
				if !slices.Contains(out, j) {
					out = append(out, j)
				}
			}
		}
	}
	return out
}

// covers reports whether the rule decides every call of one tool in one state that a
// later rule fits. A rule with a budget or a `within` depends on the calls before; it
// covers nothing.
func (r *Rule) covers(later *Rule, tool, state string) bool {
	return !r.Budgeted && r.Within == 0 && !r.IsOff() && r.FitsState(state) && r.coversToolGlob(tool) &&
		implies(later.Paths, r.Paths, coversPath) && implies(later.Agents, r.Agents, coversAgent) &&
		implies(later.Starts, r.Starts, coversAgent) &&
		implies(later.AdmittedIn, r.AdmittedIn, func(a, b string) bool { return a == b }) &&
		implies(later.Commands, r.Commands, func(a, b []string) bool { return r.coversCommand(a, b, later.Verdict) }) &&
		(r.Changes == nil || later.Changes != nil && *r.Changes == *later.Changes || !*r.Changes && readsOnly(tool)) &&
		isSubset(r.Inputs, later.Inputs) && isSubset(r.Env, later.Env) &&
		isSubset(r.UnlessEnv, later.UnlessEnv)
}

// coversToolGlob reports whether the rule fits every tool that a name or glob stands
// for. A glob that is a prefix and a star covers every glob with that prefix.
func (r *Rule) coversToolGlob(tool string) bool {
	if !IsGlob(tool) && !strings.Contains(tool, `\`) {
		return r.CoversTool(tool)
	}
	return slices.ContainsFunc(r.Tools, func(t string) bool {
		prefix, star := strings.CutSuffix(t, "*")
		return t == tool || star && !IsGlob(prefix) && !strings.ContainsAny(t+tool, `[\/`) &&
			strings.HasPrefix(tool, prefix)
	})
}

// coversPath reports whether glob a matches every path that glob b matches. A folder
// covers everything written below it.
func coversPath(a, b string) bool {
	folder, all := strings.CutSuffix(a, "/**")
	return a == b || all && !strings.ContainsAny(folder, `*?[{\`) && strings.HasPrefix(b, folder+"/")
}

// coversCommand reports whether pattern a of this rule fits every command that pattern
// b of a later rule fits. `git` covers `git push`. An exception (allow) covers no
// objection, which also holds inside wrappers and for unknown code. `npm run` does not
// cover `npm run test`, because that also stands for `npm test`.
func (r *Rule) coversCommand(a, b []string, later Verdict) bool {
	exception := r.Verdict == Pass && later > Pass
	switch group, other := commandGroup(a), commandGroup(b); {
	case group != "" || other != "":
		return group == other && (!exception || group == UnknownCode || group == TestCommands) ||
			group == BuildCommands && other == TestCommands && r.Verdict > Pass
	case exception, len(a) > len(b) || !slices.Equal(a, b[:len(a)]):
		return false
	}
	return len(a) == len(b) || a[len(a)-1] != "run"
}

// implies reports whether a later rule's list asks for at least what an earlier one
// asks for. An empty list asks for nothing.
func implies[T any](later, earlier []T, covers func(earlier, later T) bool) bool {
	if len(earlier) == 0 {
		return true
	}
	return len(later) > 0 && !slices.ContainsFunc(later, func(b T) bool {
		return !slices.ContainsFunc(earlier, func(a T) bool { return covers(a, b) })
	})
}

func isSubset[T comparable](small, large []T) bool {
	return !slices.ContainsFunc(small, func(x T) bool { return !slices.Contains(large, x) })
}

// coversAgent reports whether pattern a matches every agent that pattern b matches. A glob
// compares separators and a name does not, so no glob but * covers a name.
func coversAgent(a, b string) bool {
	return a == b || a == "*" || !IsGlob(a) && !IsGlob(b) && NamesAgent(a, b)
}
