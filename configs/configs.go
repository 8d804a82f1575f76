// Package configs holds what is shipped beside the program: configs, agents, commands and skills for `pipeline init`, the
// schema for editors.
package configs

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed pipeline.yaml pipeline.toml minimal.yaml presets/*.yaml pipeline.schema.json
//go:embed agents/*.md commands/*.md skills/*/SKILL.md
var files embed.FS

// Preset returns the config of that name, in YAML.
func Preset(name string) ([]byte, bool) {
	text, err := files.ReadFile(presetFile(name))
	return text, err == nil
}

func presetFile(name string) string {
	switch name {
	case "default":
		return "pipeline.yaml"
	case "minimal":
		return "minimal.yaml"
	}
	return path.Join("presets", path.Base(name)+".yaml")
}

// Presets lists the names that Preset knows, the default first.
func Presets() []string {
	return append([]string{"default", "minimal"}, names("presets/*.yaml")...)
}

// Agent returns the definition of an agent that a preset names.
func Agent(name string) ([]byte, bool) {
	text, err := files.ReadFile(path.Join("agents", path.Base(name)+".md"))
	return text, err == nil
}

// Command returns a slash command of the client that is shipped.
func Command(name string) ([]byte, bool) {
	text, err := files.ReadFile(path.Join("commands", path.Base(name)+".md"))
	return text, err == nil
}

// Agents lists the names that Agent knows.
func Agents() []string { return names("agents/*.md") }

func names(pattern string) []string {
	var out []string
	found, _ := fs.Glob(files, pattern) // the pattern is ours: it cannot be a bad one
	for _, f := range found {
		out = append(out, strings.TrimSuffix(path.Base(f), path.Ext(f)))
	}
	return out
}

// TOML returns the default config in its other spelling.
func TOML() []byte {
	text, _ := files.ReadFile("pipeline.toml") // embedded: it is there
	return text
}

// Schema returns the JSON Schema of a config.
func Schema() []byte {
	text, _ := files.ReadFile("pipeline.schema.json") // embedded: it is there
	return text
}
