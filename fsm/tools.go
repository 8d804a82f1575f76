package fsm

import "slices"

// A ToolInfo is what is known of a tool, whatever its input.
type ToolInfo struct {
	Name     string
	Files    bool // a call may be about a file
	Commands bool // a call may run a command
	Starts   bool // a call may start an agent
	Reads    bool // no call changes anything
	Own      bool // it serves the conversation of the agent that has it: no other agent can use it instead
}

// knownTools are the tools that some host has or had, by their canonical names. Tools of
// MCP servers are not among them.
var knownTools = [...]ToolInfo{
	{Name: "Agent", Starts: true},
	{Name: "AgentOutputTool", Reads: true, Own: true},
	{Name: "AskUserQuestion", Reads: true, Own: true},
	{Name: "Bash", Commands: true, Starts: true},
	{Name: "BashOutput", Reads: true, Own: true},
	{Name: "CronCreate", Own: true},
	{Name: "CronDelete", Own: true},
	{Name: "CronList", Reads: true, Own: true},
	{Name: "Delete", Files: true}, // what a command deletes
	{Name: "Edit", Files: true},
	{Name: "EnterPlanMode", Own: true},
	{Name: "EnterWorktree", Own: true},
	{Name: "ExitPlanMode", Own: true},
	{Name: "ExitWorktree", Own: true},
	{Name: "Glob", Files: true, Reads: true},
	{Name: "Grep", Files: true, Reads: true},
	{Name: "LS", Files: true, Reads: true},
	{Name: "LSP", Files: true, Reads: true},
	{Name: "ListAgents", Reads: true, Own: true},
	{Name: "ListMcpResourcesTool", Reads: true},
	{Name: "Monitor", Commands: true},
	{Name: "MultiEdit", Files: true},
	{Name: "NotebookEdit", Files: true},
	{Name: "NotebookRead", Files: true, Reads: true},
	{Name: "PowerShell", Commands: true},
	{Name: "PushNotification", Own: true},
	{Name: "Read", Files: true, Reads: true},
	{Name: "ReadMcpResourceTool", Reads: true},
	{Name: "RemoteTrigger", Own: true},
	{Name: "ReportFindings"},
	{Name: "ScheduleWakeup", Own: true},
	{Name: "SendMessage", Starts: true, Own: true},
	{Name: "Skill", Starts: true, Own: true},
	{Name: "StructuredOutput", Own: true},
	{Name: "TaskCreate", Own: true},
	{Name: "TaskGet", Reads: true, Own: true},
	{Name: "TaskList", Reads: true, Own: true},
	{Name: "TaskOutput", Reads: true, Own: true},
	{Name: "TaskStop", Own: true},
	{Name: "TaskUpdate", Own: true},
	{Name: "TeamCreate", Own: true},
	{Name: "TeamDelete", Own: true},
	{Name: "TodoRead", Reads: true, Own: true},
	{Name: "TodoWrite", Own: true},
	{Name: "ToolSearch", Reads: true, Own: true},
	{Name: "WebFetch", Reads: true},
	{Name: "WebSearch", Reads: true},
	{Name: "Workflow", Starts: true},
	{Name: "Write", Files: true},
}

// KnownTools lists the tools that some host has or had.
func KnownTools() []ToolInfo { return slices.Clone(knownTools[:]) }

// findTool is what is known of a tool; nothing of one of another name.
func findTool(name string) ToolInfo {
	for i := range knownTools {
		if knownTools[i].Name == name {
			return knownTools[i]
		}
	}
	return ToolInfo{}
}

// A ToolUse says what the inputs of a server's tool are for, by their names.
type ToolUse struct {
	Tool    string // a name or a glob
	Reads   []string
	Writes  []string
	Deletes []string
	Runs    []string // shell lines
}

// Fits reports whether it is about a tool.
func (u ToolUse) Fits(tool string) bool { return matchTool(u.Tool, tool) }

// FindTools lists the known tools that a name or glob in a rule means.
func FindTools(pattern string) []ToolInfo {
	pattern = CanonicalTool(pattern)
	return slices.DeleteFunc(KnownTools(), func(t ToolInfo) bool { return !matchGlob(pattern, t.Name) })
}

// CanonicalTool translates a tool's older or foreign name into that of the current
// client.
func CanonicalTool(tool string) string {
	switch tool {
	case "Task", "SubagentTask", "AgentTask":
		return "Agent"
	case "SlashCommand":
		return "Skill"
	case "KillShell", "KillBash":
		return "TaskStop"
	}
	return tool
}

// otherNames lists what else rules may call a tool. A client offers TodoWrite or the
// tools for tasks.
func otherNames(tool string) []string {
	switch tool {
	case "TaskCreate", "TaskUpdate", "TaskGet", "TaskList":
		return []string{"TodoWrite"}
	case "TodoWrite":
		return []string{"TaskCreate", "TaskUpdate"}
	}
	return nil
}

// ChangesFiles reports whether a tool changes files and does nothing else: the known tools
// for files that do more than read. It is a list of its own, because each call asks it.
func ChangesFiles(tool string) bool {
	switch tool {
	case "Delete", "Edit", "MultiEdit", "NotebookEdit", "Write":
		return true
	}
	return false
}

// readsOnly reports whether a tool changes nothing, whatever its input.
func readsOnly(tool string) bool { return findTool(CanonicalTool(tool)).Reads }
