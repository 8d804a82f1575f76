// Package configs holds the configs that are shipped: what `pipeline init` writes and what editors check against.
package configs

import (
	"embed"
	"io/fs"
	"path"
	"strings"
)

//go:embed pipeline.yaml pipeline.toml minimal.yaml presets/*.yaml pipeline.schema.json
var files embed.FS

// Here go the definitions of the agents that the presets name:
// go:embed agents (with a blank after the slashes until the folder exists)

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
	names := []string{"default", "minimal"}
	more, _ := fs.Glob(files, "presets/*.yaml") // the pattern is ours: it cannot be a bad one
	for _, f := range more {
		names = append(names, strings.TrimSuffix(path.Base(f), ".yaml"))
	}
	return names
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
