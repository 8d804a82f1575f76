package hooks

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Guards are what no agent may change: the config, the client's settings, our state, the binary.
type Guards struct {
	Root    string   // of the project
	Home    string   // the user's
	Config  string   // where the user's own config lies
	States  []string // folders of our state
	Clients []string // folders with the client's settings
	Binary  string
	Sources []string // config files that lie elsewhere
}

// file makes a part of a path, and says what of ours it is if the tool would change it.
func (g Guards) file(tool, path string) fsm.Part {
	part := fsm.Part{Tool: tool, Path: path}
	switch tool {
	case "Write", "Edit", "MultiEdit", "NotebookEdit":
		part.Guards = g.owned(path)
	case "Delete":
		if part.Guards = g.owned(path); part.Guards == "" {
			part.Guards = g.holds(path)
		}
	}
	return part
}

// owned says what of ours a path is.
func (g Guards) owned(path string) string {
	dir, base := filepath.Split(path)
	dir = filepath.Clean(dir)
	switch {
	case path == shell.Unknown || path == "":
		return ""
	case slices.Contains(g.Sources, path) || configName(base) && g.configDir(dir):
		return "the pipeline's config"
	case (base == "settings.json" || base == "settings.local.json") && slices.Contains(g.Clients, dir):
		return "the agent client's settings"
	case path == g.Binary:
		return "the pipeline binary"
	}
	for _, s := range g.States {
		if within(path, s) {
			return "the pipeline's state"
		}
	}
	return ""
}

func (g Guards) configDir(dir string) bool {
	return dir == g.Root || dir == filepath.Join(g.Root, "configs") || dir == filepath.Join(g.Root, ".claude") || dir == g.Config
}

func configName(base string) bool {
	name, ext, _ := strings.Cut(base, ".")
	ext = strings.TrimPrefix(ext, "local.")
	return name == "pipeline" && (ext == "yaml" || ext == "yml" || ext == "toml")
}

// holds says what of ours would go with a folder.
func (g Guards) holds(dir string) string {
	if dir == shell.Unknown || dir == "" {
		return ""
	}
	for _, s := range g.Sources {
		if within(s, dir) {
			return "the pipeline's config"
		}
	}
	for _, s := range append(slices.Clone(g.States), g.Clients...) {
		if within(s, dir) {
			return "the pipeline's state or the agent client's settings"
		}
	}
	return ""
}

func within(path, dir string) bool {
	return dir != "" && (path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/"))
}

// command says what of ours a command would loosen.
func (g Guards) command(words []string, dir string) string {
	if len(words) == 0 || filepath.Base(words[0]) != "pipeline" && resolve(words[0], dir, g.Home) != g.Binary {
		return ""
	}
	if name := subcommand(words[1:]); loosens(name, words) {
		return "what the pipeline enforces (pipeline " + name + ")"
	}
	return ""
}

// subcommand is the first word that is neither a flag nor the value of one.
func subcommand(words []string) string {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--config" || w == "-config":
			i++
		case !strings.HasPrefix(w, "-"):
			return w
		}
	}
	return ""
}

// loosens lists the commands that only a person may run.
func loosens(command string, words []string) bool {
	switch command {
	case "hook", "reset", "uninstall", "dispute", shell.Unknown:
		return true
	case "mode", "bypass":
		return words[len(words)-1] != command && !slices.Contains(words, "status")
	case "session":
		return slices.Contains(words, "clear")
	case "init":
		return slices.Contains(words, "--force")
	}
	return false
}
