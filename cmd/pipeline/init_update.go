package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/survey"
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
)

// addAgents adds the project's agents that the config does not know to its groups. Where the result
// would not be read, nothing is changed.
func (i *initialization) addAgents(w config.World) error {
	if i.there == "" {
		return hinted{errors.New("there is no config to add agents to"), "pipeline init"}
	}
	w = i.world(i.dir, w.Config)
	o, err := openSound(i.program, w)
	if err != nil {
		return err
	}
	i.lookAround()
	agents := &i.project.Agents
	*agents = slices.DeleteFunc(*agents, func(a survey.Agent) bool {
		return usesAgent(o.Policy, a.Name) ||
			slices.ContainsFunc(o.Policy.Groups, func(g fsm.Group) bool { return fsm.MatchAgent(g.Agents, a.Name) })
	})
	if len(*agents) == 0 {
		i.printf("kept     %s: it names all agents\n", showPath(i.there))
		return nil
	}
	text, err := os.ReadFile(i.there)
	if err != nil {
		return fmt.Errorf("read the config: %w", err)
	}
	format := strings.TrimPrefix(filepath.Ext(i.there), ".")
	added, left := i.project.Add(string(text), format)
	if err := system.WriteShared(i.there, []byte(added), 0); err != nil {
		return fmt.Errorf("write the config: %w", err)
	}
	if _, err := openSound(i.program, w); err != nil {
		return errors.Join(err, system.WriteShared(i.there, text, 0))
	}
	for _, a := range *agents {
		if slices.ContainsFunc(left, func(b survey.Agent) bool { return a.Name == b.Name }) {
			i.hint("%s has no list for %s to be added to: name it in a group, or in states", showPath(i.there), a.Name)
			continue
		}
		i.printf("added    %s to %s\n", a.Name, showPath(i.there))
	}
	return nil
}

// openSound opens a config that has no problems.
func openSound(p *program, w config.World) (config.Opened, error) {
	o, err := config.Open(w)
	if err == nil && len(o.Problems) > 0 {
		printProblems(p, o.Problems)
		err = hinted{errors.New("the config has problems"), "pipeline check"}
	}
	return o, err
}

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
