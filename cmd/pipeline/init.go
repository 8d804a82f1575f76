package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
)

func newInitCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "init",
		Usage: "Write a config to start from, and the agents it names",
		Description: "It writes configs/pipeline.yaml and .claude/agents/*.md in the working directory, and the\n" +
			"commands and skills of the preset. It never overwrites a file, and refuses a preset where there\n" +
			"is another config.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 could not write.",
		UsageText: "pipeline init\n" +
			"pipeline init --preset orchestrating",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "preset", Value: "default", Usage: "the `PRESET`, one of " + presetNames()}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageError{"init takes no arguments"}
			}
			return runInit(p, c)
		},
	}
}

func presetNames() string { return strings.Join(configs.Presets(), ", ") }

func runInit(p *program, c *cli.Context) error {
	name := c.String("preset")
	text, ok := configs.Preset(name)
	if !ok {
		return usageError{fmt.Sprintf("no preset %s: expected one of %s", quote(name), presetNames())}
	}
	w, err := p.here(c)
	if err != nil {
		return err
	}
	there, err := findOwnConfig(w)
	if err != nil {
		return err
	}
	if there != "" {
		p.printf("kept     %s\n", there)
		if name, err = choosePreset(there, name, c.IsSet("preset")); err != nil {
			return err
		}
	} else if err := placeConfig(p, w, text); err != nil {
		return err
	}
	o, err := config.Open(w)
	if err != nil || o.Policy == nil {
		return fmt.Errorf("read what was written: %w", err)
	}
	places := p.places(w.Dir)
	for _, agent := range configs.Agents() {
		if isAdmitted(o.Policy, agent) || slices.Contains(namedAgents(o.Policy), agent) {
			text, _ := configs.Agent(agent)
			if err := placeFile(p, places.AgentFile(agent), text); err != nil {
				return err
			}
		}
	}
	commands, skills := configs.Beside(name)
	for _, name := range commands {
		text, _ := configs.Command(name)
		if err := placeFile(p, places.CommandFile(places.Project, name), text); err != nil {
			return err
		}
	}
	for _, name := range skills {
		text, _ := configs.Skill(name)
		if err := placeFile(p, places.SkillFile(places.Project, name), text); err != nil {
			return err
		}
	}
	p.hint("look into configs/pipeline.yaml, then: pipeline install")
	return nil
}

// findOwnConfig returns the project's config, "" if it has none of its own.
func findOwnConfig(w config.World) (string, error) {
	proj, _, err := config.Find(w)
	if err != nil {
		return "", err
	}
	for _, f := range proj.Files {
		if rel, err := filepath.Rel(proj.Root, f); err == nil && !strings.HasPrefix(rel, "..") {
			return f, nil
		}
	}
	return "", nil
}

// choosePreset returns the preset whose files go with a config that is there. It refuses
// one that is asked for and is another: its agents alone would be half of it.
func choosePreset(file, asked string, explicit bool) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("read the config: %w", err)
	}
	is := ""
	for _, name := range configs.Presets() {
		if shipped, _ := configs.Preset(name); bytes.Equal(shipped, text) {
			is = name
		}
	}
	switch {
	case is == asked || !explicit && is == "":
		return asked, nil
	case !explicit:
		return is, nil
	}
	what := "a config of your own"
	if is != "" {
		what = "the preset " + is
	}
	return "", hinted{fmt.Errorf("%s is %s: preset %s was not installed, nothing was written", file, what, asked),
		fmt.Sprintf("to switch: mv %s %s.old && pipeline init --preset %s", file, file, asked)}
}

// placeConfig writes the config and its schema.
func placeConfig(p *program, w config.World, text []byte) error {
	if err := placeFile(p, filepath.Join(w.Dir, "configs", "pipeline.yaml"), text); err != nil {
		return err
	}
	return placeFile(p, filepath.Join(w.Dir, "configs", "pipeline.schema.json"), configs.Schema())
}

// isAdmitted reports whether some state admits an agent by more than admitting all of
// them.
func isAdmitted(policy *fsm.Policy, agent string) bool {
	for _, st := range policy.States {
		for _, t := range st.Triggers {
			if !slices.Equal(t.Agents, []string{"*"}) && fsm.MatchAgent(t.Agents, agent) {
				return true
			}
		}
	}
	return false
}

// namedAgents are those that the policy proposes or describes. Without states any of
// them may start.
func namedAgents(policy *fsm.Policy) []string {
	out := slices.Clone(policy.Tasks.Agents)
	for _, a := range policy.Agents {
		out = append(out, a.Name)
	}
	for _, set := range []fsm.Rules{policy.Main, policy.Subagents} {
		out = append(out, set.Default.DelegateTo...)
		for _, r := range set.List {
			out = append(out, r.DelegateTo...)
		}
	}
	return out
}

// placeFile writes a file that does not exist yet.
func placeFile(p *program, path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		p.printf("kept     %s\n", path)
		return nil
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer f.Close()
	if _, err := f.Write(text); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	p.printf("written  %s\n", path)
	return f.Close()
}
