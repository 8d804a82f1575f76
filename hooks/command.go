package hooks

import (
	"path/filepath"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// guardedCommand says what of ours a command would loosen; empty for nothing.
func (g Guards) guardedCommand(words []string, dir string) string {
	if len(words) == 0 || !g.isPipeline(words[0], dir) {
		return ""
	}
	args := skipFlags(words[1:])
	if len(args) == 0 || !g.isPersonOnly(args[0], args[1:]) {
		return ""
	}
	return "what the pipeline enforces (pipeline " + strings.ReplaceAll(args[0], shell.Unknown, "?") + ")"
}

// isPersonOnly reports whether no agent may run this form of our command. An unknown command may be
// any. Without a table of commands all of them are refused.
func (g Guards) isPersonOnly(command string, args []string) bool {
	return command == shell.Unknown || g.PersonOnly == nil || g.PersonOnly(command, args)
}

// isPipeline reports whether a word means this program: by its name, or by a path that leads to it.
func (g Guards) isPipeline(word, dir string) bool {
	return filepath.Base(word) == "pipeline" ||
		strings.Contains(word, "/") && g.Binary != "" && resolve(word, dir, g.Home) == g.Binary
}

// skipFlags returns the arguments from the first word that is neither a flag nor its value.
func skipFlags(words []string) []string {
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
