package main

import (
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
		Usage: "write a config to start from, and the agents it names",
		Description: "Writes configs/pipeline.yaml and .claude/agents/*.md in the working directory, and the commands and skills of the preset.\n" +
			"A file that exists is never overwritten. Exit codes: 0 fine, 2 wrong usage, 3 could not write.",
		Flags: []cli.Flag{&cli.StringFlag{Name: "preset", Value: "default", Usage: "one of " + strings.Join(configs.Presets(), ", ")}},
		Action: func(c *cli.Context) error {
			if c.Args().Present() {
				return usageError{"init takes no arguments"}
			}
			return runInit(p, c)
		},
	}
}

func runInit(p *program, c *cli.Context) error {
	name := c.String("preset")
	text, ok := configs.Preset(name)
	if !ok {
		return usageError{fmt.Sprintf("no preset %s: expected one of %s", quote(name), strings.Join(configs.Presets(), ", "))}
	}
	w, err := p.here(c)
	if err != nil {
		return err
	}
	if found, err := placeConfig(p, w, text); err != nil || found {
		return err
	}
	o, err := config.Open(w)
	if err != nil || o.Policy == nil {
		return fmt.Errorf("read what was written: %w", err)
	}
	if err := placeAgents(p, w.Dir, o.Policy); err != nil {
		return err
	}
	if err := placeExtras(p, w.Dir, name); err != nil {
		return err
	}
	p.hint("look into configs/pipeline.yaml, then: pipeline install")
	return nil
}

// placeConfig writes the config, unless the project has one: then its agents are still written.
func placeConfig(p *program, w config.World, text []byte) (stop bool, err error) {
	proj, _, err := config.Find(w)
	if err != nil {
		return true, err
	}
	for _, f := range proj.Files {
		if rel, err := filepath.Rel(proj.Root, f); err == nil && !strings.HasPrefix(rel, "..") {
			p.printf("kept     %s\n", f)
			return false, nil
		}
	}
	if err := placeFile(p, filepath.Join(w.Dir, "configs", "pipeline.yaml"), text); err != nil {
		return true, err
	}
	return false, placeFile(p, filepath.Join(w.Dir, "configs", "pipeline.schema.json"), configs.Schema())
}

// placeAgents writes the definitions of the agents that the policy names.
func placeAgents(p *program, dir string, policy *fsm.Policy) error {
	for _, name := range configs.Agents() {
		if !isAdmitted(policy, name) && !slices.Contains(namedAgents(policy), name) {
			continue
		}
		text, _ := configs.Agent(name)
		if err := placeFile(p, filepath.Join(dir, ".claude", "agents", name+".md"), text); err != nil {
			return err
		}
	}
	return nil
}

// placeExtras writes the commands and skills that a preset comes with.
func placeExtras(p *program, dir, preset string) error {
	commands, skills := configs.Beside(preset)
	for _, name := range commands {
		text, _ := configs.Command(name)
		if err := placeFile(p, filepath.Join(dir, ".claude", "commands", name+".md"), text); err != nil {
			return err
		}
	}
	for _, name := range skills {
		text, _ := configs.Skill(name)
		if err := placeFile(p, filepath.Join(dir, ".claude", "skills", name, "SKILL.md"), text); err != nil {
			return err
		}
	}
	return nil
}

// isAdmitted reports whether some state admits an agent by more than admitting everybody.
func isAdmitted(policy *fsm.Policy, agent string) bool {
	for _, st := range policy.States {
		for _, t := range st.Triggers {
			if !isCatchAll(t.Agents) && fsm.MatchAgent(t.Agents, agent) {
				return true
			}
		}
	}
	return false
}

// namedAgents are the agents that the policy proposes or describes; without states any of them may start.
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

// isCatchAll reports whether a pattern names nobody in particular.
func isCatchAll(patterns []string) bool { return len(patterns) == 1 && patterns[0] == "*" }

// placeFile writes a file that is not there yet.
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
