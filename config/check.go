package config

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// A checker finds what is wrong beyond the types: names that lead nowhere, patterns that match nothing, texts that
// cannot be filled in.
type checker struct {
	*Config
	origins  *Origins
	problems []Problem
}

// checkConfig reports nothing that may only follow from a mistake in the same section that is known already.
func checkConfig(c *Config, o *Origins) []Problem {
	k := checker{Config: c, origins: o}
	if o.broken {
		return nil
	}
	k.top()
	k.checkGroups()
	for _, name := range k.stateNames() {
		k.checkState(name)
	}
	k.checkRules(k.Orchestrator, to("orchestrator"))
	k.checkRules(k.Subagents, to("subagents"))
	k.agentNames()
	k.checkReturns()
	return k.problems
}

func (k *checker) report(p trail, message, hint string) {
	if !k.origins.bad[p.section()] {
		k.problems = append(k.problems, k.origins.problemAt(p, message, hint))
	}
}

// reportKey reports about the key rather than about its value.
func (k *checker) reportKey(p trail, message, hint string) {
	at := k.origins.at[p]
	if at.source == nil {
		k.report(p, message, hint)
	} else if !k.origins.bad[p.section()] {
		k.problems = append(k.problems, at.problemAt(at.key, message, hint))
	}
}

// reportMissing reports that a key of the file's root is not there: in the last file that is not a local one.
func (k *checker) reportMissing(key, hint string) {
	if k.origins.bad[trail(key)] {
		return
	}
	p := Problem{File: "config", Message: fmt.Sprintf("found no `%s`, expected one", key), Hint: hint}
	for _, f := range k.origins.project.Files {
		if p.File == "config" || !strings.Contains(filepath.Base(f), ".local.") {
			p.File = f
		}
	}
	k.problems = append(k.problems, p)
}

// stateNames lists the states as they are written, also those that could not be decoded.
func (k *checker) stateNames() []string { return k.origins.keysBelow("states") }

func (k *checker) groupNames() []string { return k.origins.keysBelow("groups") }

func (k *checker) top() {
	if k.Version == 0 {
		k.reportMissing("version", "write version: 1")
	}
	k.checkInitial()
	for i, f := range k.Fails {
		k.checkRegexp(to("fails").item(i), f)
	}
	k.checkCaller()
	k.checkActivate()
	k.checkBypass()
	k.checkTalk()
	k.checkWork()
	k.checkAudit()
	k.checkReadiness()
}

func (k *checker) checkInitial() {
	names := k.stateNames()
	switch {
	case k.origins.bad["states"]:
	case k.Initial == "" && len(names) > 0:
		k.reportMissing("initial", "write initial: NAME, the state in which a session begins")
	case k.Initial != "" && len(names) == 0:
		k.reportKey("initial", "found `initial` without `states`, expected both or neither", "")
	case k.Initial != "":
		k.checkTarget("initial", k.Initial)
	}
}

// checkTarget checks that a state exists.
func (k *checker) checkTarget(p trail, name string) {
	names := k.stateNames()
	if name == "" || slices.Contains(names, name) {
		return
	}
	hint := didYouMean(name, names)
	switch {
	case len(names) == 0:
		hint = "there are no states"
	case hint == "":
		hint = "the states are " + listNames(names)
	}
	k.report(p, fmt.Sprintf("found state %s, expected one that exists", quoteShort(name)), hint)
}

func (k *checker) checkCaller() {
	e, at := k.Caller.Env, to("caller", "env")
	k.checkVariable(at.key("role"), e.Role)
	k.checkVariable(at.key("name"), e.Name)
	switch {
	case e.Role == "" && e.Orchestrators != nil:
		k.reportKey(at.key("orchestrators"), "found `orchestrators` without `role`, expected the variable that tells the role", "")
	case e.Role != "" && e.Orchestrators == nil:
		k.reportKey(at.key("role"), "found `role` without `orchestrators`, expected the roles that are the main agent", "")
	}
}

func (k *checker) checkVariable(p trail, name string) {
	if name != "" && !isWord(name, "_", "_") {
		k.report(p, fmt.Sprintf("found %s, expected the name of an environment variable", quoteShort(name)), "letters, digits and _")
	}
}

func (k *checker) checkGroups() {
	for _, name := range k.groupNames() {
		at := to("groups", name)
		if !isWord(name, "", "_-") {
			k.reportKey(at, fmt.Sprintf("found group name %s, expected a letter, then letters, digits, _ and -", quoteShort(name)), "")
		}
		for i, pattern := range k.Groups[name] {
			k.checkPattern(at.item(i), pattern)
		}
		if chain := k.findCycle(name, nil); chain != nil {
			k.reportKey(at, fmt.Sprintf("found group %s inside of itself (%s)", quoteShort(name), chainText(chain)), "")
		}
	}
}

// findCycle is the way from a group back to itself.
func (k *checker) findCycle(name string, way []string) []string {
	if slices.Contains(way, name) {
		if way[0] == name {
			return append(way, name)
		}
		return nil // into the cycle of others, which is reported there
	}
	for _, m := range k.Groups[name] {
		if inner, ok := groupName(m); ok {
			if found := k.findCycle(inner, append(slices.Clone(way), name)); found != nil {
				return found
			}
		}
	}
	return nil
}

func chainText(chain []string) string { return "@" + strings.Join(chain, " → @") }

// captureNames lists the names under which any state keeps a message.
func (k *checker) captureNames() []string {
	names := map[string]bool{}
	for _, s := range k.States {
		names[s.Capture] = true
		for _, m := range s.Moves {
			names[m.Capture] = true
		}
	}
	delete(names, "")
	return slices.Sorted(maps.Keys(names))
}
