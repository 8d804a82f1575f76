package claude

import (
	"slices"
	"strings"
)

// Tools are the client's own (2.1.197 to 2.1.329, in print mode and in the terminal).
func Tools() []string {
	return []string{"Agent", "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode", "EnterWorktree",
		"ExitPlanMode", "ExitWorktree", "Glob", "Grep", "ListAgents", "Monitor", "MultiEdit", "NotebookEdit", "PowerShell", "Read",
		"ReportFindings", "ScheduleWakeup", "SendMessage", "Skill", "StructuredOutput", "TaskCreate", "TaskGet", "TaskList",
		"TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write"}
}

// known reports whether a tool is one of the client's or of a server that the user has added. What is not known is
// recorded, because a tool that was renamed slips past every rule that speaks of it.
func known(tool string) bool {
	return slices.Contains(Tools(), tool) || strings.HasPrefix(tool, "mcp__")
}
