package copilot

import (
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// DefineAgent writes a definition with the tools under the names that Claude Code gives
// them, which Copilot knows.
func (Host) DefineAgent(source []byte) []byte {
	return dialect.ParseDefinition(source).Markdown(func(tool string) string { return tool })
}

// DefinedAgents are those of the project and the user, and Copilot's own. It also starts the
// agents that a project defines for Claude Code.
func (h Host) DefinedAgents() (defined, builtin []string) {
	return dialect.ListDefined(h.Places(), filepath.Join(h.Project, ".claude", "agents", "*.md")),
		[]string{"explore", "task", "general-purpose", "code-review", "research", "security-review"}
}
