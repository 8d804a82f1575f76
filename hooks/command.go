package hooks

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// command says what of ours a command would loosen.
func (g Guards) command(words []string, dir string) string {
	if len(words) == 0 || !g.isPipeline(words[0], dir) {
		return ""
	}
	args := arguments(words[1:])
	if len(args) == 0 || !loosens(args[0], args[1:]) {
		return ""
	}
	return "what the pipeline enforces (pipeline " + strings.ReplaceAll(args[0], shell.Unknown, "?") + ")"
}

// isPipeline reports whether a command's word means this program: by its name, or by a path that leads to it.
func (g Guards) isPipeline(word, dir string) bool {
	return filepath.Base(word) == "pipeline" ||
		strings.Contains(word, "/") && g.Binary != "" && resolve(word, dir, g.Home) == g.Binary
}

// arguments begin at the first word that is neither a flag nor the value of one.
func arguments(words []string) []string {
	for i := 0; i < len(words); i++ {
		switch w := words[i]; {
		case w == "--config" || w == "-config":
			i++
		case !strings.HasPrefix(w, "-"):
			return words[i:]
		}
	}
	return nil
}

// loosens tells the commands that only a person may run.
func loosens(command string, args []string) bool {
	switch command {
	case "hook", "reset", "uninstall", "dispute", "once", shell.Unknown:
		return true
	case "mode", "bypass":
		return len(args) > 0 && args[0] != "status" && slices.ContainsFunc(args, func(a string) bool { return a != "--json" && a != "--help" })
	case "session":
		return slices.Contains(args, "clear") || slices.Contains(args, shell.Unknown)
	case "init":
		return slices.ContainsFunc(args, forces)
	}
	return false
}

func forces(arg string) bool {
	name, _, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
	return arg == shell.Unknown || name == "force" && name != arg
}
