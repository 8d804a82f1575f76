package config

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// checkRules checks one section of rules.
func (k *checker) checkRules(s Rules, at trail) {
	k.checkDefault(s.Default, at.key("default"))
	wrong := make([]bool, len(s.Rules))
	for i, r := range s.Rules {
		here, known := at.key("rules").item(i), len(k.problems)
		k.checkRule(r, here)
		k.checkRuleName(s.Rules[:i], r.Name, here.key("name"))
		wrong[i] = len(k.problems) > known || k.origins.bad[here]
	}
	k.checkHidden(s, at, wrong)
}

// checkDefault checks what counts where no rule fits.
func (k *checker) checkDefault(d Default, at trail) {
	if _, there := k.origins.at[at]; !there {
		return
	}
	k.checkVerbs(d.verbs(), at, "")
	k.checkDelegates(d.DelegateTo, at.key("delegate_to"))
}

func (k *checker) checkRule(r Rule, at trail) {
	k.checkVerbs(r.verbs(), at, "make them two rules")
	for _, v := range r.verbs() {
		for i, tool := range v.tools {
			k.checkTool(at.key(v.key).item(i), tool)
		}
		k.checkToolsFit(r, v, at)
	}
	k.checkConditions(r, at)
	k.checkCounts(r, at)
	k.checkDelegates(r.DelegateTo, at.key("delegate_to"))
}

// checkVerbs wants exactly one verb; of several, all but the one written first are reported.
func (k *checker) checkVerbs(verbs []verb, at trail, hint string) {
	if len(verbs) == 0 {
		k.report(at, "found no verb, expected allow, warn, ask or deny", "")
		return
	}
	slices.SortStableFunc(verbs, func(a, b verb) int {
		x, y := k.origins.at[at.key(a.key)].key, k.origins.at[at.key(b.key)].key
		return cmp.Or(cmp.Compare(x.line, y.line), cmp.Compare(x.col, y.col))
	})
	for _, v := range verbs[1:] {
		k.reportKey(at.key(v.key), fmt.Sprintf("found `%s` beside `%s`, expected one verb", v.key, verbs[0].key), hint)
	}
}

// checkRuleName wants a name as logs can carry it, and that no earlier rule has it.
func (k *checker) checkRuleName(earlier []Rule, name string, at trail) {
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789-") != "" {
		k.report(at, fmt.Sprintf("found rule name %s, expected small letters, digits and -", quoteShort(name)), "")
	}
	i := slices.IndexFunc(earlier, func(r Rule) bool { return r.Name == name })
	if i < 0 || name == "" {
		return
	}
	first := trail(strings.TrimSuffix(string(at), sep+fmt.Sprint(len(earlier))+sep+"name")).item(i).key("name")
	k.report(at, fmt.Sprintf("found rule %s again, first in line %d", quoteShort(name), k.origins.at[first].value.line), "")
}

// checkTool checks one tool of a verb.
func (k *checker) checkTool(at trail, tool string) {
	name, args, call := strings.Cut(strings.TrimSuffix(tool, ")"), "(")
	_, bad := path.Match(tool, "")
	switch {
	case call && hasCommands(name):
		k.report(at, fmt.Sprintf("found %s, expected the name of a tool", quoteShort(tool)), fmt.Sprintf("write %s, and commands: [%s]", name, args))
	case call:
		k.report(at, fmt.Sprintf("found %s, expected the name of a tool", quoteShort(tool)), fmt.Sprintf("write %s, and paths: [%s]", name, args))
	case bad != nil:
		k.report(at, fmt.Sprintf("found glob %s that cannot be read, expected such as mcp__* or Task[A-Z]*", quoteShort(tool)), "")
	case strings.TrimSpace(tool) != tool:
		k.report(at, fmt.Sprintf("found %s, expected no blanks around it", quoteShort(tool)), "")
	case findMeantTool(tool) != "":
		k.report(at, fmt.Sprintf("found tool %s, expected one that exists", quoteShort(tool)), "did you mean "+findMeantTool(tool)+"?")
	}
}

// checkToolsFit reports conditions that none of the rule's tools can ever meet.
func (k *checker) checkToolsFit(r Rule, v verb, at trail) {
	switch {
	case r.Paths != nil && r.Commands != nil:
		k.reportKey(at.key("commands"), "found `commands` beside `paths`, expected one of them: no call has both", "the files of a command are calls of their own")
	case r.Commands != nil && !slices.ContainsFunc(v.tools, hasCommands):
		k.reportKey(at.key("commands"), fmt.Sprintf("found `commands` on %s, expected a tool that runs some", strings.Join(v.tools, ", ")), "such as Bash")
	case r.Paths != nil && !slices.ContainsFunc(v.tools, hasPaths):
		k.reportKey(at.key("paths"), fmt.Sprintf("found `paths` on %s, expected a tool that is about files", strings.Join(v.tools, ", ")),
			"what a command does to files is Read, Write and Delete")
	}
}

// checkCounts checks what depends on earlier calls.
func (k *checker) checkCounts(r Rule, at trail) {
	if r.Budget != nil && *r.Budget < 0 {
		k.report(at.key("budget"), fmt.Sprintf("found %d, expected how many calls are free", *r.Budget), "")
	}
	if r.Budget != nil && r.Allow != nil {
		k.reportKey(at.key("budget"), "found `budget` on a rule that allows, expected warn, ask or deny", "what is over the budget meets the rule's verb")
	}
	if r.Within != nil && *r.Within < 1 {
		k.report(at.key("within"), fmt.Sprintf("found %d, expected in how many of the last calls", *r.Within), "")
	}
	if r.Budget == nil && r.ResetOn != nil {
		k.reportKey(at.key("reset_on"), "found `reset_on` without `budget`, expected what is given back", "")
	}
	if i := slices.Index(r.ResetOn, "state"); i >= 0 && len(k.stateNames()) == 0 {
		k.report(at.key("reset_on").item(i), "found \"state\" without `states`, expected delegate or prompt", "")
	}
}

// checkConditions checks what a call is held against.
func (k *checker) checkConditions(r Rule, at trail) {
	for i, p := range r.Paths {
		k.checkPath(at.key("paths").item(i), p)
	}
	for i, c := range r.Commands {
		if _, err := shell.ParsePattern(c); err != nil {
			k.report(at.key("commands").item(i), fmt.Sprintf("found command %s that cannot be read, expected words such as git push or npm run test*", quoteShort(c)), "")
		}
	}
	for i, s := range r.States {
		if !k.origins.bad["states"] {
			k.checkTarget(at.key("states").item(i), s)
		}
	}
	for i, a := range r.Agents {
		k.checkPattern(at.key("agents").item(i), a)
	}
	k.checkGlobs(r.Input, at.key("input"))
	k.checkVariables(r.Env, at.key("env"))
	k.checkVariables(r.UnlessEnv, at.key("unless_env"))
}

// checkGlobs checks the values of a mapping.
func (k *checker) checkGlobs(m map[string]string, at trail) {
	for name, glob := range m {
		if _, err := path.Match(glob, ""); err != nil {
			k.report(at.key(name), fmt.Sprintf("found glob %s that cannot be read, expected such as opus* or [0-9]", quoteShort(glob)), "")
		}
	}
}

// checkVariables checks a mapping whose keys are environment variables.
func (k *checker) checkVariables(m map[string]string, at trail) {
	k.checkGlobs(m, at)
	for name := range m {
		if !isWord(name, "_", "_") {
			k.reportKey(at.key(name), fmt.Sprintf("found %s, expected the name of an environment variable", quoteShort(name)), "letters, digits and _")
		}
	}
}
