package copilot

import (
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
)

// Probe looks at the program, and at settings of the project that switch all hooks off: in
// Copilot's own files and in Claude Code's, which it reads too. The user's switch nothing off.
func (h Host) Probe(dir string) []hooks.Finding {
	var files []string
	for _, name := range []string{".github/" + repoSettings, ".github/" + repoLocalSettings,
		".claude/settings.json", ".claude/settings.local.json"} {
		files = append(files, system.Join(h.Project, name))
	}
	return append(h.Adapter.Probe(dir), h.ProbeSwitches(files...)...)
}
