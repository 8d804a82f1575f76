package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/agent-pipeline/pipeline/fsm"
)

// checkPath checks a glob of files.
func (k *checker) checkPath(at trail, glob string) {
	steps := strings.FieldsFunc(glob, func(r rune) bool { return strings.ContainsRune("/{},", r) })
	switch {
	case !doublestar.ValidatePattern(glob):
		k.report(at, fmt.Sprintf("found glob %s that cannot be read, expected such as src/** or *.md", quoteShort(glob)), "")
	case slices.Contains(steps, ".."):
		k.report(at, fmt.Sprintf("found %s, expected a path below the project", quoteShort(glob)), "one elsewhere begins with / or ~/")
	case strings.HasPrefix(glob, "~") && glob != "~" && !strings.HasPrefix(glob, "~/"):
		k.report(at, fmt.Sprintf("found %s, expected ~/ for your own home", quoteShort(glob)), "")
	case strings.TrimSpace(glob) != glob:
		k.report(at, fmt.Sprintf("found %s, expected no blanks around it", quoteShort(glob)), "")
	}
}

// checkDelegates checks who is to do the work instead: agents by name, each of which some state allows.
func (k *checker) checkDelegates(agents []string, at trail) {
	for i, a := range agents {
		_, group := groupName(a)
		switch {
		case group || fsm.IsGlob(a) || strings.TrimSpace(a) != a:
			k.report(at.item(i), fmt.Sprintf("found %s, expected the name of an agent", quoteShort(a)), "")
		case !k.isAdmitted(a):
			k.report(at.item(i), fmt.Sprintf("found agent %s, expected one that some state allows", quoteShort(a)), didYouMean(a, k.admittedAgents()))
		}
	}
}

// isAdmitted reports whether some state allows an agent. It is taken for granted where that cannot be told.
func (k *checker) isAdmitted(agent string) bool {
	for at, bad := range k.origins.bad {
		if section := at.section(); bad && (section == "groups" || strings.HasPrefix(string(section), "states")) {
			return true
		}
	}
	if len(k.States) == 0 {
		return true
	}
	for _, s := range k.States {
		if fsm.MatchAgent(k.expandAgents(s.agentPatterns()), agent) {
			return true
		}
	}
	return false
}

// agentPatterns lists who is named in a state, as it is written.
func (s State) agentPatterns() []string {
	out := slices.Concat(s.Agents, s.Helpers)
	for _, m := range s.Moves {
		out = append(out, m.Agent)
	}
	return out
}

// admittedAgents lists the agents that states name, without globs.
func (k *checker) admittedAgents() []string {
	var out []string
	for _, s := range k.States {
		out = append(out, k.expandAgents(s.agentPatterns())...)
	}
	slices.Sort(out)
	return slices.Compact(slices.DeleteFunc(out, fsm.IsGlob))
}

// agentNames checks the names under which the config tells of agents.
func (k *checker) agentNames() {
	for _, name := range k.origins.keysBelow("agents") {
		if _, group := groupName(name); group || fsm.IsGlob(name) || strings.TrimSpace(name) != name {
			k.reportKey(to("agents", name), fmt.Sprintf("found %s, expected the name of an agent", quoteShort(name)), "")
		}
	}
}
