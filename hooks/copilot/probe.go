package copilot

import (
	"context"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// Probe looks at the program, and at settings of the project that switch all hooks off: in
// Copilot's own files and in Claude Code's, which it reads too.
func (h Host) Probe(ctx context.Context, dir string) []hooks.Finding {
	found := h.Adapter.Probe(ctx, dir)
	for _, name := range []string{".github/" + repoSettings, ".github/" + repoLocalSettings,
		".claude/settings.json", ".claude/settings.local.json"} {
		file := filepath.Join(h.Project, filepath.FromSlash(name))
		body, err := os.ReadFile(file)
		if err != nil {
			continue // there is none, or Copilot cannot read it either
		}
		if why := settings.Blocks(body, nil); why != "" {
			found = append(found, hooks.Finding{Status: hooks.Problem, Remedy: "take disableAllHooks out of it",
				What: "copilot runs no hooks here: " + file + ": " + why})
		}
	}
	return found
}
