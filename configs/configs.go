// Package configs embeds the files that the program ships: presets, agents, commands and
// skills for `pipeline init`, and the JSON Schemas.
package configs

import (
	"bytes"
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed pipeline.yaml minimal.yaml presets/*.yaml toml/*.toml pipeline.schema.json tasks.schema.json
//go:embed agents/*.md commands/*.md skills/*/SKILL.md
var files embed.FS

// Presets lists the presets' names, in the order in which a person is offered them.
func Presets() []string {
	return []string{"everyday", "default", "orchestrating", "minimal",
		"boundary", "orchestrator", "guided", "delegation"}
}

// Preset returns the YAML config of that name.
func Preset(name string) ([]byte, bool) {
	switch name {
	case "default":
		return readFile("pipeline.yaml")
	case "minimal":
		return readFile("minimal.yaml")
	}
	return readFile(path.Join("presets", path.Base(name)+".yaml"))
}

// TOMLPreset returns the TOML config of that name, as it is installed: with its schema beside it.
func TOMLPreset(name string) ([]byte, bool) {
	text, ok := readFile(path.Join("toml", path.Base(name)+".toml"))
	return bytes.Replace(text, []byte("#:schema ../"), []byte("#:schema ./"), 1), ok
}

// Summary says in one sentence what a preset is for.
func Summary(preset string) string {
	return map[string]string{
		"default":       "gather, refine, plan, build: each step has its agent, and none is skipped",
		"minimal":       "plan, then build, and a question before a push, in nine lines: to write your own from",
		"everyday":      "small changes are free, larger ones planned, for agents; what cannot be undone asks you",
		"orchestrating": "the default with a state of its own for orchestrating",
		"orchestrator":  "no states: the main agent reads two files and delegates the rest",
		"guided":        "off until switched on; then one look at a time, and agents do the work",
		"boundary":      "no states: the main agent may do everything but change files",
		"delegation":    "the main agent only plans and delegates; plans bind the order of work",
	}[preset]
}

// Beside lists what belongs to a preset and its config cannot name: slash commands that a
// person types, and skills. The config itself names the agents.
func Beside(preset string) (commands, skills []string) {
	switch preset {
	case "guided":
		return nil, []string{"orchestrator"}
	case "delegation":
		return []string{"add-statusline", "ask", "bypass", "delegate"}, []string{"breadth-reader", "task-planner"}
	}
	return nil, nil
}

// Agents lists the names that Agent knows.
func Agents() []string { return listNames("agents/*.md") }

// Agent returns the definition of an agent.
func Agent(name string) ([]byte, bool) { return readFile(path.Join("agents", path.Base(name)+".md")) }

// Command returns a slash command of the client.
func Command(name string) ([]byte, bool) {
	return readFile(path.Join("commands", path.Base(name)+".md"))
}

// Skill returns the text of a skill.
func Skill(name string) ([]byte, bool) {
	return readFile(path.Join("skills", path.Base(name), "SKILL.md"))
}

// Schema returns the JSON Schema of a config.
func Schema() []byte { return mustRead("pipeline.schema.json") }

// TaskSchema returns the JSON Schema of a task graph.
func TaskSchema() string { return string(mustRead("tasks.schema.json")) }

func listNames(pattern string) (out []string) {
	found, _ := fs.Glob(files, pattern) // the patterns are constants: none is malformed
	for _, f := range found {
		out = append(out, strings.TrimSuffix(path.Base(f), path.Ext(f)))
	}
	return out
}

func readFile(name string) ([]byte, bool) {
	text, err := files.ReadFile(name)
	return text, err == nil
}

func mustRead(name string) []byte {
	text, err := files.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded above
	}
	return text
}
