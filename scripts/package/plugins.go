package main

import (
	"path"
	"path/filepath"
)

// makePlugins writes the marketplace with its plugins, each in a folder of its own with
// just its files. The plugin pipeline has the binaries of all systems.
func (r *release) makePlugins() error {
	to := tree(filepath.Join(r.out, "plugins"))
	if err := to.clear(); err != nil {
		return err
	}
	var market map[string]any
	if err := readJSON(filepath.Join(r.root, ".claude-plugin", "marketplace.json"), &market); err != nil {
		return err
	}
	plugins, _ := market["plugins"].([]any)
	for _, p := range plugins {
		entry, _ := p.(map[string]any)
		name, _ := entry["name"].(string)
		source, _ := entry["source"].(string)
		if err := r.makePlugin(tree(to.path(name)), filepath.Join(r.root, source), name == "pipeline"); err != nil {
			return err
		}
		entry["source"], entry["version"] = "./"+name, r.version
	}
	if err := to.writeJSON(".claude-plugin/marketplace.json", market); err != nil {
		return err
	}
	return to.pack(filepath.Join(r.out, "pipeline-plugins_"+r.version+".tar.gz"), "pipeline-plugins")
}

// makePlugin copies what the manifest of a plugin names.
func (r *release) makePlugin(to tree, from string, enforces bool) error {
	var manifest map[string]any
	if err := readJSON(filepath.Join(from, ".claude-plugin", "plugin.json"), &manifest); err != nil {
		return err
	}
	manifest["version"] = r.version
	if err := to.writeJSON(".claude-plugin/plugin.json", manifest); err != nil {
		return err
	}
	var files []string
	for _, kind := range []string{"agents", "commands", "skills"} {
		listed, _ := manifest[kind].([]any)
		for _, f := range listed {
			name, _ := f.(string)
			files = append(files, path.Clean(name))
		}
	}
	if enforces {
		files = append(files, ".claude-plugin/hooks.json", ".claude-plugin/pipeline", "README.md")
	}
	for _, name := range files {
		if err := to.copy(name, filepath.Join(from, filepath.FromSlash(name))); err != nil {
			return err
		}
	}
	if err := to.copy("LICENSE", filepath.Join(r.root, "LICENSE")); err != nil || !enforces {
		return err
	}
	return r.addBinaries(to)
}

// addBinaries puts the binaries beside the launcher. The client adds bin to PATH of its
// shell, so the launcher is there too. Windows runs no script and finds pipeline.exe in
// its place.
func (r *release) addBinaries(to tree) error {
	if err := to.copy("bin/pipeline", to.path(".claude-plugin/pipeline")); err != nil {
		return err
	}
	for _, system := range r.systems() {
		names := []string{"bin/" + system + "/" + executable("pipeline", system)}
		switch system {
		case "windows-amd64":
			names = []string{"bin/pipeline.exe", ".claude-plugin/pipeline.exe"}
		case "windows-arm64": // which runs the other one
			continue
		}
		for _, name := range names {
			if err := to.copy(name, r.binaries[system]); err != nil {
				return err
			}
		}
	}
	return nil
}
