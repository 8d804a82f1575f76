package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// keepLevel keeps the level of the config that a preset replaces, where that is more lenient: to enforce
// more is a decision of its own.
func (i *initialization) keepLevel(text []byte) []byte {
	level := regexp.MustCompile(`(?m)^(level(?:: | = "))(\w+)`)
	found := level.FindSubmatch(text)
	if found == nil {
		return text
	}
	if now, ok := fsm.ParseLevel(string(found[2])); !ok || i.was.Level >= now {
		return text
	}
	i.printf("level    %s, as it was; the preset has %s\n", i.was.Level, found[2])
	name := i.was.Level.String()
	if i.was.Level == fsm.Off && i.format == "yaml" {
		name = strconv.Quote(name) // which YAML takes for false
	}
	return bytes.Replace(text, found[0], fmt.Append(bytes.Clone(found[1]), name), 1)
}

// describeDropped says what the config that was replaced had and this one has not.
func (i *initialization) describeDropped(now *fsm.Policy) {
	if i.was == nil {
		return
	}
	for _, list := range []struct {
		what      string
		was, here []string
	}{{"states", stateNames(i.was), stateNames(now)}, {"rules", ruleNames(i.was), ruleNames(now)}} {
		gone := slices.DeleteFunc(list.was, func(name string) bool { return slices.Contains(list.here, name) })
		if len(gone) > 0 {
			i.printf("dropped  %s %s: they are in the backup\n", list.what, strings.Join(gone, ", "))
		}
	}
}

func stateNames(p *fsm.Policy) (names []string) {
	for _, st := range p.States {
		names = append(names, st.Name)
	}
	return names
}

func ruleNames(p *fsm.Policy) (names []string) {
	for r := range p.EveryRule {
		names = append(names, r.Name)
	}
	return names
}
