package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// A Definition is an agent, a skill or a command on disk that the client can start.
type Definition struct {
	dialect.Definition
	File   string
	Shared bool // the user's or a plugin's: it serves other projects too
	Skill  bool // a skill or a command
}

// BuiltinAgents are the client's own, with what they lack (2.1.197 and 2.1.329, by
// experiment), and what else it can start where an agent can start: copies of the main
// agent, and the agents of scripts.
func BuiltinAgents() []fsm.KnownAgent {
	noEdits := []string{"Agent", "Edit", "Write", "MultiEdit", "NotebookEdit", "ExitPlanMode"}
	return []fsm.KnownAgent{{Name: "Explore", Without: noEdits}, {Name: "Plan", Without: noEdits},
		{Name: "general-purpose"}, {Name: "claude"}, {Name: "statusline-setup", Tools: []string{"Read", "Edit"}},
		{Name: "fork"}, {Name: "workflow-subagent"}}
}

// Agents lists the agents that the calling client can start, and what they may use.
func (c *call) Agents() (out []fsm.KnownAgent) {
	for _, d := range c.host.FindAgents(nil) { // of a file that cannot be read nothing is known
		out = append(out, fsm.KnownAgent{Name: d.Name, Tools: d.Tools, Without: d.Without})
	}
	return append(out, BuiltinAgents()[:4]...) // the others do no work for an agent
}

// FindAgents lists the agents that the client lists when a session begins (2.1.197 and
// 2.1.329, by experiment; TestClientFindsTheSameAgents): the project's, the user's and
// those of enabled plugins. What cannot be read is passed to report, if that is not nil, and left out.
func (h Host) FindAgents(report func(error)) []Definition {
	f := finder{host: h, report: report}
	places := h.Places()
	f.addAgents(system.Join(places.Project, places.Agents), "", false)
	f.addAgents(system.Join(places.User, places.Agents), "", true)
	for _, p := range f.enabledPlugins() {
		f.addPluginAgents(p)
	}
	return f.found
}

// FindSkills lists the skills and commands of the project, the user and enabled plugins.
func (h Host) FindSkills() []Definition {
	f := finder{host: h}
	places := h.Places()
	f.addSkills(places.Project, "")
	f.addSkills(places.User, "")
	for _, p := range f.enabledPlugins() {
		f.addSkills(p.dir, p.name+":")
	}
	return f.found // what is wrong with plugins FindAgents says
}

// A finder collects definitions, and reports the errors on the way.
type finder struct {
	host   Host
	found  []Definition
	report func(error)
}

func (f *finder) addSkills(dir, prefix string) {
	add := func(name string) { // only agents are counted by their files
		f.found = append(f.found, Definition{Definition: dialect.Definition{Name: prefix + name}, Skill: true})
	}
	places := f.host.Places()
	for _, file := range system.Glob(dir, places.SkillFile("", "*")) {
		add(filepath.Base(system.Dir(file)))
	}
	for _, file := range system.Glob(dir, places.CommandFile("", "*")) {
		add(strings.TrimSuffix(filepath.Base(file), ".md"))
	}
}

// addAgents adds the agents in a folder and below it. An agent of a plugin is named
// plugin:name, and plugin:folder:name in a folder below.
func (f *finder) addAgents(dir, prefix string, shared bool) {
	_ = system.WalkDir(dir, func(file string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(file, ".md") {
			var body []byte
			body, err = os.ReadFile(file)
			if def := dialect.ParseDefinition(body); err == nil && def.Name != "" {
				folders := ""
				rel, err := system.Rel(dir, system.Dir(file))
				if prefix != "" && err == nil && filepath.IsLocal(rel) && rel != "." { // dir may be the file itself
					folders = strings.ReplaceAll(filepath.ToSlash(rel), "/", ":") + ":"
				}
				def.Name = prefix + folders + def.Name
				f.found = append(f.found, Definition{def, file, shared, false})
			}
		}
		f.note("look for agents", err)
		return nil // the others are still looked at
	})
}

// addPluginAgents adds the agents that a plugin's manifest names. A manifest that names none
// stands for the plugin's folder of agents.
func (f *finder) addPluginAgents(p plugin) {
	var manifest struct{ Agents any }
	f.readJSON(system.Join(p.dir, ".claude-plugin", "plugin.json"), &manifest)
	named, _ := manifest.Agents.([]any)
	if one, ok := manifest.Agents.(string); ok {
		named = []any{one}
	}
	if len(named) == 0 {
		named = []any{"agents"}
	}
	for _, n := range named {
		if rel, ok := n.(string); ok {
			f.addAgents(system.Join(p.dir, rel), p.name+":", true)
		}
	}
}

// A plugin is one that is installed, with the folder it was installed into.
type plugin struct{ name, dir string }

// enabledPlugins lists the plugins of the session, and the installed ones that the
// settings enable.
func (f *finder) enabledPlugins() (out []plugin) {
	var installed struct {
		Plugins map[string][]struct{ InstallPath string }
	}
	dirs := f.host.Plugins
	if own := f.host.Env("CLAUDE_PLUGIN_ROOT"); own != "" && len(dirs) == 0 {
		dirs = []string{own} // it need not be installed: claude --plugin-dir
	}
	for _, dir := range dirs {
		manifest := struct{ Name string }{filepath.Base(dir)}
		f.readJSON(system.Join(dir, ".claude-plugin", "plugin.json"), &manifest)
		out = append(out, plugin{manifest.Name, dir})
	}
	f.readJSON(system.Join(f.host.Config, "plugins", "installed_plugins.json"), &installed)
	enabled := map[string]bool{}
	for _, s := range f.host.Places().Settings {
		var settings struct{ EnabledPlugins map[string]bool }
		f.readJSON(s.Path, &settings)
		maps.Copy(enabled, settings.EnabledPlugins)
	}
	for _, id := range slices.Sorted(maps.Keys(installed.Plugins)) {
		name, _, _ := strings.Cut(id, "@")
		isThere := slices.ContainsFunc(out, func(p plugin) bool { return p.name == name })
		if copies := installed.Plugins[id]; enabled[id] && len(copies) > 0 && !isThere {
			out = append(out, plugin{name, copies[len(copies)-1].InstallPath})
		}
	}
	return out
}

// readJSON reads a file that may be missing. One that cannot be read counts as empty.
func (f *finder) readJSON(file string, into any) {
	body, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(body, into)
	}
	f.note("read "+file, err)
}

// note reports an error, but for that of what is not there.
func (f *finder) note(what string, err error) {
	if err != nil && !errors.Is(err, fs.ErrNotExist) && f.report != nil {
		f.report(fmt.Errorf("%s: %w", what, err))
	}
}

// DefinedAgents are the names of the agents that the client finds, and of its own.
func (h Host) DefinedAgents() (defined, builtin []string) {
	for _, d := range h.FindAgents(nil) { // of a file that cannot be read nothing is known
		defined = append(defined, d.Name)
	}
	for _, a := range BuiltinAgents() {
		builtin = append(builtin, a.Name)
	}
	return defined, builtin
}

// DefineAgent leaves a definition as it is: it is in the client's form.
func (Host) DefineAgent(source []byte) []byte { return source }

// DefineSkill leaves a skill or a command as it is.
func (h Host) DefineSkill(name string, source []byte, isCommand bool) (file string, text []byte) {
	places := h.Places()
	if isCommand {
		return places.CommandFile(places.Project, name), source
	}
	return places.SkillFile(places.Project, name), source
}
