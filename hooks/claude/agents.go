package claude

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// An AgentFinder lists the agents that Claude Code would find, as 2.1.197 and 2.1.329 do when a session
// begins (by experiment): *.md with a name in its head, in .claude/agents of the project and of the user
// and in any folder below. A plugin's agents are plugin:name, and plugin:folder:name where they lie
// deeper. TestClientFindsTheSameAgents holds this to both versions.
type AgentFinder struct {
	Project string // the project's root
	Config  string // where the client keeps the user's settings
	Warn    func(error)
}

// A Definition is an agent's file.
type Definition struct{ Name, Description, File string }

// All lists the agents of the project, the user, enabled plugins and the client; and what else may
// start where an agent may.
func (f AgentFinder) All() []verify.Agent {
	out := f.In(filepath.Join(f.Project, ".claude", "agents"), "")
	shared := f.In(filepath.Join(f.Config, "agents"), "")
	for _, p := range f.plugins() {
		shared = append(shared, f.pluginAgents(p)...)
	}
	for _, a := range shared {
		a.Shared = true
		out = append(out, a)
	}
	return slices.Concat(out, f.Skills(), BuiltinAgents())
}

// BuiltinAgents lists the client's own agents, and what else a state can admit: copies of the main
// agent, agents that a script starts, agent clients in a shell.
func BuiltinAgents() (out []verify.Agent) {
	for _, name := range []string{"claude", "Explore", "general-purpose", "Plan", "statusline-setup", "fork",
		"workflow-subagent", "codex", "gemini", "qwen", "copilot", "opencode"} {
		out = append(out, verify.Agent{Name: name})
	}
	return out
}

// In lists the agents in a folder and below. A plugin's prefix is continued with the folders between.
func (f AgentFinder) In(dir, prefix string) (out []verify.Agent) {
	_ = filepath.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			f.Warn(fmt.Errorf("look for agents: %w", err))
		case err == nil && !d.IsDir() && strings.HasSuffix(file, ".md"):
			if def, ok := f.readDefinition(file); ok {
				out = append(out, verify.Agent{Name: extendPrefix(prefix, dir, file) + def.Name, From: file})
			}
		}
		return nil // an error is reported, and the rest still read
	})
	return out
}

func extendPrefix(prefix, dir, file string) string {
	rel, err := filepath.Rel(dir, filepath.Dir(file))
	if prefix == "" || err != nil || !filepath.IsLocal(rel) || rel == "." { // dir may be the file itself
		return prefix
	}
	return prefix + strings.ReplaceAll(filepath.ToSlash(rel), "/", ":") + ":"
}

// Definitions lists the agents of the project and the user with their descriptions.
func (f AgentFinder) Definitions() (out []Definition) {
	for _, dir := range []string{filepath.Join(f.Project, ".claude"), f.Config} {
		files, _ := filepath.Glob(filepath.Join(dir, "agents", "*.md")) // the pattern is ours
		for _, file := range files {
			if d, ok := f.readDefinition(file); ok {
				out = append(out, d)
			}
		}
	}
	return out
}

// readDefinition reads the head of an agent's file. Without a head or a name it is no agent to the
// client either.
func (f AgentFinder) readDefinition(file string) (Definition, bool) {
	body, err := os.ReadFile(file)
	if err != nil {
		f.Warn(err)
		return Definition{}, false
	}
	text, ok := bytes.CutPrefix(bytes.ReplaceAll(body, []byte("\r\n"), []byte("\n")), []byte("---\n"))
	text, _, closed := bytes.Cut(text, []byte("\n---"))
	if !ok || !closed {
		return Definition{}, false
	}
	var head struct{ Name, Description string }
	if yaml.Unmarshal(text, &head) != nil { // a description with a colon is not YAML, but the client takes it
		head.Name, head.Description = valueOf(text, "name"), valueOf(text, "description")
	}
	return Definition{head.Name, strings.Join(strings.Fields(head.Description), " "), file}, head.Name != ""
}

// valueOf is what follows a key at the beginning of a line.
func valueOf(text []byte, key string) string {
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// Skills lists the skills and commands of the project, the user and plugins: a state admits those that
// start an agent by their name.
func (f AgentFinder) Skills() (out []verify.Agent) {
	out = append(skillsIn(filepath.Join(f.Project, ".claude"), ""), skillsIn(f.Config, "")...)
	for _, p := range f.plugins() {
		out = append(out, skillsIn(p.dir, p.name+":")...)
	}
	return out
}

func skillsIn(dir, prefix string) (out []verify.Agent) {
	skills, _ := filepath.Glob(filepath.Join(dir, "skills", "*", "SKILL.md")) // the patterns are ours
	commands, _ := filepath.Glob(filepath.Join(dir, "commands", "*.md"))
	for _, file := range skills {
		out = append(out, verify.Agent{Name: prefix + filepath.Base(filepath.Dir(file)), Skill: true})
	}
	for _, file := range commands {
		out = append(out, verify.Agent{Name: prefix + strings.TrimSuffix(filepath.Base(file), ".md"), Skill: true})
	}
	return out
}

// A plugin that is installed: its name and its folder.
type plugin struct{ name, dir string }

// plugins lists those that are installed and that no settings disable.
func (f AgentFinder) plugins() (out []plugin) {
	var installed struct {
		Plugins map[string][]struct{ InstallPath string }
	}
	f.readJSON(filepath.Join(f.Config, "plugins", "installed_plugins.json"), &installed)
	enabled := f.enabledPlugins()
	for _, id := range slices.Sorted(maps.Keys(installed.Plugins)) {
		copies := installed.Plugins[id]
		if !enabled[id] || len(copies) == 0 {
			continue
		}
		name, _, _ := strings.Cut(id, "@")
		out = append(out, plugin{name, copies[len(copies)-1].InstallPath})
	}
	return out
}

// enabledPlugins reads the settings. The project's count more than the user's.
func (f AgentFinder) enabledPlugins() map[string]bool {
	out := map[string]bool{}
	project := filepath.Join(f.Project, ".claude")
	for _, file := range []string{filepath.Join(f.Config, "settings.json"),
		filepath.Join(project, "settings.json"), filepath.Join(project, "settings.local.json")} {
		var settings struct{ EnabledPlugins map[string]bool }
		f.readJSON(file, &settings)
		maps.Copy(out, settings.EnabledPlugins)
	}
	return out
}

// pluginAgents lists the agents that a plugin's manifest names, or where it names none, those in its
// folder of agents.
func (f AgentFinder) pluginAgents(p plugin) (out []verify.Agent) {
	var manifest struct{ Agents any }
	f.readJSON(filepath.Join(p.dir, ".claude-plugin", "plugin.json"), &manifest)
	named, _ := manifest.Agents.([]any)
	if one, ok := manifest.Agents.(string); ok {
		named = []any{one}
	}
	if len(named) == 0 {
		named = []any{"agents"}
	}
	for _, n := range named {
		if rel, ok := n.(string); ok {
			out = append(out, f.In(filepath.Join(p.dir, rel), p.name+":")...)
		}
	}
	return out
}

// readJSON reads what may be there. What cannot be read is reported, and counts as empty.
func (f AgentFinder) readJSON(file string, into any) {
	body, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		f.Warn(fmt.Errorf("read %s: %w", file, err))
	}
}
