package doctor

import (
	"encoding/json"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// plugins are those with hooks of ours that the settings switch on. What has been installed is in a file of the client's
// (2.1.329, tried).
func (x *exam) plugins(files []source) []source {
	var installed struct {
		Plugins map[string][]struct {
			Path string `json:"installPath"`
		} `json:"plugins"`
	}
	body, err := os.ReadFile(filepath.Join(x.Client, "plugins", "installed_plugins.json"))
	if err != nil || json.Unmarshal(body, &installed) != nil {
		return nil // none was ever installed
	}
	on := enabled(files)
	var out []source
	for _, name := range sorted(installed.Plugins) {
		for _, at := range installed.Plugins[name] {
			for _, file := range hookFiles(at.Path) {
				s := source{scope: "plugin " + name, root: at.Path, file: file}
				if s.load(); on[name] && len(s.ours) > 0 {
					out = append(out, s)
				}
			}
		}
	}
	return out
}

// hookFiles are where a plugin may keep its hooks: the usual place, and the one that its manifest names.
func hookFiles(root string) []string {
	files := []string{filepath.Join(root, "hooks", "hooks.json")}
	var manifest struct{ Hooks string }
	body, err := os.ReadFile(filepath.Join(root, ".claude-plugin", "plugin.json"))
	if err != nil || json.Unmarshal(body, &manifest) != nil || manifest.Hooks == "" {
		return files
	}
	if named := filepath.Join(root, manifest.Hooks); named != files[0] {
		files = append(files, named)
	}
	return files
}

// enabled are the plugins that are switched on: the last of the files counts.
func enabled(files []source) map[string]bool {
	out := map[string]bool{}
	for _, s := range files {
		if !s.counts() {
			continue
		}
		switched, _ := settings.Enabled(s.body) // it was read before
		for name, is := range switched {
			out[name] = is
		}
	}
	return out
}
