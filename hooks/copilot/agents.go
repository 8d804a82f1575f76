package copilot

import (
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// DefinedAgents are those of the project and the user, and Copilot's own. It also starts the
// agents that a project defines for Claude Code.
func (h Host) DefinedAgents() (defined, builtin []string) {
	return dialect.ListDefined(h.Places(), system.Glob(h.Project, ".claude/agents/*.md")...), h.Dialect.Agents
}
