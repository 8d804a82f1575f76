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

// check reports nothing that may only follow from a mistake in the same section that is known already.
func check(c *Config, o *Origins) []Problem {
	k := checker{Config: c, origins: o}
	if o.broken {
		return nil
	}
	k.top()
	k.groups()
	for _, name := range k.stateNames() {
		k.state(name)
	}
	k.rules(k.Orchestrator, to("orchestrator"))
	k.rules(k.Subagents, to("subagents"))
	k.agentNames()
	k.returns()
	return k.problems
}

func (k *checker) report(p trail, message, hint string) {
	if !k.origins.bad[p.section()] {
		k.problems = append(k.problems, k.origins.problem(p, message, hint))
	}
}

// reportKey reports about the key rather than about its value.
func (k *checker) reportKey(p trail, message, hint string) {
	at := k.origins.at[p]
	if at.source == nil {
		k.report(p, message, hint)
	} else if !k.origins.bad[p.section()] {
		k.problems = append(k.problems, at.problem(at.key, message, hint))
	}
}

// missing reports that a key of the file's root is not there: in the last file that is not a local one.
func (k *checker) missing(key, hint string) {
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
func (k *checker) stateNames() []string { return k.origins.keys("states") }

func (k *checker) groupNames() []string { return k.origins.keys("groups") }

func (k *checker) top() {
	if k.Version == 0 {
		k.missing("version", "write version: 1")
	}
	k.initial()
	for i, f := range k.Fails {
		k.regexp(to("fails").item(i), f)
	}
	k.caller()
	k.activate()
	k.bypass()
	k.talk()
	k.work()
	k.audit()
	k.readiness()
}

func (k *checker) initial() {
	names := k.stateNames()
	switch {
	case k.origins.bad["states"]:
	case k.Initial == "" && len(names) > 0:
		k.missing("initial", "write initial: NAME, the state in which a session begins")
	case k.Initial != "" && len(names) == 0:
		k.reportKey("initial", "found `initial` without `states`, expected both or neither", "")
	case k.Initial != "":
		k.target("initial", k.Initial)
	}
}

// target checks that a state exists.
func (k *checker) target(p trail, name string) {
	names := k.stateNames()
	if name == "" || slices.Contains(names, name) {
		return
	}
	hint := didYouMean(name, names)
	switch {
	case len(names) == 0:
		hint = "there are no states"
	case hint == "":
		hint = "the states are " + named(names)
	}
	k.report(p, fmt.Sprintf("found state %s, expected one that exists", quoted(name)), hint)
}

func (k *checker) caller() {
	e, at := k.Caller.Env, to("caller", "env")
	k.variable(at.key("role"), e.Role)
	k.variable(at.key("name"), e.Name)
	switch {
	case e.Role == "" && e.Orchestrators != nil:
		k.reportKey(at.key("orchestrators"), "found `orchestrators` without `role`, expected the variable that tells the role", "")
	case e.Role != "" && e.Orchestrators == nil:
		k.reportKey(at.key("role"), "found `role` without `orchestrators`, expected the roles that are the main agent", "")
	}
}

func (k *checker) variable(p trail, name string) {
	if name != "" && !word(name, "_", "_") {
		k.report(p, fmt.Sprintf("found %s, expected the name of an environment variable", quoted(name)), "letters, digits and _")
	}
}

func (k *checker) groups() {
	for _, name := range k.groupNames() {
		at := to("groups", name)
		if !word(name, "", "_-") {
			k.reportKey(at, fmt.Sprintf("found group name %s, expected a letter, then letters, digits, _ and -", quoted(name)), "")
		}
		for i, pattern := range k.Groups[name] {
			k.pattern(at.item(i), pattern)
		}
		if chain := k.cycle(name, nil); chain != nil {
			k.reportKey(at, fmt.Sprintf("found group %s inside of itself (%s)", quoted(name), chainText(chain)), "")
		}
	}
}

// cycle is the way from a group back to itself.
func (k *checker) cycle(name string, way []string) []string {
	if slices.Contains(way, name) {
		if way[0] == name {
			return append(way, name)
		}
		return nil // into the cycle of others, which is reported there
	}
	for _, m := range k.Groups[name] {
		if inner, ok := groupName(m); ok {
			if found := k.cycle(inner, append(slices.Clone(way), name)); found != nil {
				return found
			}
		}
	}
	return nil
}

func chainText(chain []string) string { return "@" + strings.Join(chain, " → @") }

// captures lists the names under which any state keeps a message.
func (k *checker) captures() []string {
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
