package config

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// checkHidden reports rules that never decide anything, because an earlier one fits whatever they fit. It looks at no rule of
// which something else is wrong.
func (k *checker) checkHidden(s Rules, at trail, wrong []bool) {
	list := k.Config.compileRules(s, at, k.origins).List
	name := func(i int) trail { return at.key("rules").item(i).key("name") }
	for i := range list {
		for j := range list[:i] {
			if wrong[i] || wrong[j] || !hides(&list[j], &list[i]) {
				continue
			}
			k.report(name(i), fmt.Sprintf("found rule %s that never decides: %s in line %d always does", quoteShort(list[i].Name),
				quoteShort(list[j].Name), k.origins.at[name(j)].value.line), "put the narrower rule first")
			break
		}
	}
}

// hides reports whether rule a decides every call that the later rule b fits. It never does so wrongly; globs that are
// alike in other ways than those looked for here pass as different.
func hides(a, b *fsm.Rule) bool {
	if a.Budgeted || a.Within > 0 || a.Levelled && a.Level <= fsm.Observe {
		return false
	}
	return within(b.Tools, a.Tools, coversTool) &&
		holds(b.Paths, a.Paths, coversPath) && holds(b.Commands, a.Commands, coversCommand) &&
		holds(b.States, a.States, same) && holds(b.Agents, a.Agents, same) &&
		within(a.Inputs, b.Inputs, same) && within(a.Env, b.Env, same) && within(a.UnlessEnv, b.UnlessEnv, same)
}

// holds reports whether what a list asks for follows from what the later rule's asks for. An empty one asks for nothing.
func holds[T any](later, earlier []T, covers func(T, T) bool) bool {
	return len(earlier) == 0 || len(later) > 0 && within(later, earlier, covers)
}

// within reports whether each of these is covered by one of those.
func within[T any](these, those []T, covers func(T, T) bool) bool {
	for _, x := range these {
		if !slices.ContainsFunc(those, func(y T) bool { return covers(y, x) }) {
			return false
		}
	}
	return true
}

func same[T comparable](a, b T) bool { return a == b }

// coversTool: a glob that ends in * covers all that begins as it does.
func coversTool(a, b string) bool {
	if start, star := strings.CutSuffix(a, "*"); star && !fsm.IsGlob(start) && !strings.ContainsAny(a+b, `\/`) {
		return strings.HasPrefix(b, start)
	}
	ok, err := path.Match(a, b)
	return a == b || !fsm.IsGlob(b) && ok && err == nil
}

// coversPath: a folder covers all that is written as being below it.
func coversPath(a, b string) bool {
	start, all := strings.CutSuffix(a, "/**")
	return a == b || all && !strings.ContainsAny(start, `*?[{\`) && strings.HasPrefix(b, start+"/")
}

// coversCommand: git covers git push. But npm run does not cover npm run test, which npm test is too.
func coversCommand(a, b []string) bool {
	if len(a) > len(b) || !slices.Equal(a, b[:len(a)]) {
		return false
	}
	return len(a) == len(b) || a[0] != "?" && a[len(a)-1] != "run"
}
