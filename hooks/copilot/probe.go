package copilot

import (
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
)

// Probe looks at the program, and at settings of the project that switch all hooks off: in
// Copilot's own files and in Claude Code's, which it reads too. The user's switch nothing off.
func (h Host) Probe(dir string) []hooks.Finding {
	found := h.Adapter.Probe(dir)
	for _, name := range []string{".github/" + repoSettings, ".github/" + repoLocalSettings,
		".claude/settings.json", ".claude/settings.local.json"} {
		found = append(found, h.ProbeSwitches(system.Join(h.Project, name))...)
	}
	return found
}
