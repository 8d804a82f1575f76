package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// Where agents are, as Claude Code 2.1.197 and 2.1.329 list them when a session begins (by experiment): *.md with a name
// in its head, in .claude/agents of the project and of the user and in any folder below; a plugin's as plugin:name, and
// plugin:folder:name where they lie deeper. TestClientFindsTheSameAgents holds this to both.

// builtin are the client's own agents; and what else a state can admit: copies of the main agent, agents that a script
// starts, agent clients in a shell.
func builtin() []string {
	return []string{"claude", "Explore", "general-purpose", "Plan", "statusline-setup", "fork", "workflow-subagent",
		"codex", "gemini", "qwen", "copilot", "opencode"}
}

// findAgents lists those that the client would find: the project's, the user's, those of plugins that are switched on, and
// its own; and what else may start where an agent may.
func findAgents(p *program, o config.Opened) []verify.Agent {
	out := agentsIn(p, filepath.Join(o.Project.Root, ".claude", "agents"), "")
	shared := agentsIn(p, filepath.Join(p.clientConfig(), "agents"), "")
	for _, plugin := range findPlugins(p, o) {
		shared = append(shared, agentsOf(p, plugin)...)
	}
	for _, a := range shared {
		a.Shared = true
		out = append(out, a)
	}
	return append(append(out, findSkills(p, o)...), ownAgents()...)
}

// findSkills lists the skills and commands of the project, the user and plugins: a state admits those that start an agent by
// their name.
func findSkills(p *program, o config.Opened) (out []verify.Agent) {
	out = append(skillsIn(filepath.Join(o.Project.Root, ".claude"), ""), skillsIn(p.clientConfig(), "")...)
	for _, pl := range findPlugins(p, o) {
		out = append(out, skillsIn(pl.dir, pl.name+":")...)
	}
	return out
}

func skillsIn(dir, prefix string) (out []verify.Agent) {
	skills, _ := filepath.Glob(filepath.Join(dir, "skills", "*", "SKILL.md")) // the patterns are ours
	commands, _ := filepath.Glob(filepath.Join(dir, "commands", "*.md"))
	for _, f := range skills {
		out = append(out, verify.Agent{Name: prefix + filepath.Base(filepath.Dir(f)), Skill: true})
	}
	for _, f := range commands {
		out = append(out, verify.Agent{Name: prefix + strings.TrimSuffix(filepath.Base(f), ".md"), Skill: true})
	}
	return out
}

func ownAgents() (out []verify.Agent) {
	for _, name := range builtin() {
		out = append(out, verify.Agent{Name: name})
	}
	return out
}

// agentsIn lists the agents in a folder and below. A plugin's prefix goes on with the folders on the way.
func agentsIn(p *program, dir, prefix string) []verify.Agent {
	var out []verify.Agent
	_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			p.sayf("look for agents: %v", err)
		case err == nil && !d.IsDir() && strings.HasSuffix(file, ".md"):
			out = append(out, readAgent(p, file, below(prefix, dir, file))...)
		}
		return nil // what cannot be read is said, and the rest still looked at
	})
	return out
}

func below(prefix, dir, file string) string {
	rel, err := filepath.Rel(dir, filepath.Dir(file))
	if prefix == "" || err != nil || !filepath.IsLocal(rel) || rel == "." { // dir may be the file itself
		return prefix
	}
	return prefix + strings.ReplaceAll(filepath.ToSlash(rel), "/", ":") + ":"
}

// readAgent is the agent of one file: none, if the client would not take it for one.
func readAgent(p *program, file, prefix string) []verify.Agent {
	body, err := os.ReadFile(file)
	if err != nil {
		p.sayf("%v", err)
		return nil
	}
	d := definition(file, body)
	if d.Agent == "" {
		return nil
	}
	return []verify.Agent{{Name: prefix + d.Agent, From: file}}
}

// A plugin that is installed: its name, and the folder that it was put into.
type plugin struct{ name, dir string }

// findPlugins lists those that are installed and that no settings switch off; the project's settings count more than the
// user's.
func findPlugins(p *program, o config.Opened) []plugin {
	var installed struct {
		Plugins map[string][]struct{ InstallPath string }
	}
	readJSON(p, filepath.Join(p.clientConfig(), "plugins", "installed_plugins.json"), &installed)
	on := enabledPlugins(p, o)
	var out []plugin
	for _, id := range sortedKeys(installed.Plugins) {
		copies := installed.Plugins[id]
		if !on[id] || len(copies) == 0 {
			continue
		}
		name, _, _ := strings.Cut(id, "@")
		out = append(out, plugin{name, copies[len(copies)-1].InstallPath})
	}
	return out
}

// enabledPlugins says which plugins the settings switch on.
func enabledPlugins(p *program, o config.Opened) map[string]bool {
	out := map[string]bool{}
	for _, file := range []string{filepath.Join(p.clientConfig(), "settings.json"),
		filepath.Join(o.Project.Root, ".claude", "settings.json"), filepath.Join(o.Project.Root, ".claude", "settings.local.json")} {
		var settings struct{ EnabledPlugins map[string]bool }
		readJSON(p, file, &settings)
		for id, on := range settings.EnabledPlugins {
			out[id] = on
		}
	}
	return out
}

// agentsOf lists a plugin's agents: those that its manifest names, or where it names none, those in its folder of agents.
func agentsOf(p *program, pl plugin) (out []verify.Agent) {
	var manifest struct{ Agents any }
	readJSON(p, filepath.Join(pl.dir, ".claude-plugin", "plugin.json"), &manifest)
	named, _ := manifest.Agents.([]any)
	if one, ok := manifest.Agents.(string); ok {
		named = []any{one}
	}
	if len(named) == 0 {
		named = []any{"agents"}
	}
	for _, n := range named {
		if rel, ok := n.(string); ok {
			out = append(out, agentsIn(p, filepath.Join(pl.dir, rel), pl.name+":")...)
		}
	}
	return out
}

// readJSON reads what may be there. What cannot be read is said, and counts as empty.
func readJSON(p *program, file string, into any) {
	body, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.sayf("%v", fmt.Errorf("read %s: %w", file, err))
	}
}
