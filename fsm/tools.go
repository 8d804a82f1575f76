package fsm

import (
	"slices"
	"strings"
)

// A ToolInfo is what is known of a tool, whatever its input.
type ToolInfo struct {
	Name     string
	Files    bool // a call may be about a file
	Commands bool // a call may run a command
	Starts   bool // a call may start an agent
	Reads    bool // no call changes anything
	Own      bool // it serves the conversation of the agent that has it: no other agent can use it instead
}

// changers are the tools that change files and do nothing else.
var changers = []string{"Delete", "Edit", "MultiEdit", "NotebookEdit", "Write"}

// knownTools are the tools that some host has or had, by their canonical names. Tools of
// MCP servers are not among them.
var knownTools = [...]struct {
	ToolInfo
	names []string
}{
	{ToolInfo{Files: true}, changers},
	{ToolInfo{Files: true, Reads: true}, []string{"Glob", "Grep", "LS", "LSP", "NotebookRead", "Read"}},
	{ToolInfo{Commands: true, Starts: true}, []string{"Bash"}},
	{ToolInfo{Commands: true}, []string{"Monitor", "PowerShell"}},
	{ToolInfo{Starts: true}, []string{"Agent", "Workflow"}},
	{ToolInfo{Starts: true, Own: true}, []string{"SendMessage", "Skill"}},
	{ToolInfo{Reads: true}, []string{"ListMcpResourcesTool", "ReadMcpResourceTool", "WebFetch", "WebSearch"}},
	{ToolInfo{Reads: true, Own: true}, []string{"AgentOutputTool", "AskUserQuestion", "BashOutput", "CronList",
		"ListAgents", "TaskGet", "TaskList", "TaskOutput", "TodoRead", "ToolSearch"}},
	{ToolInfo{Own: true}, []string{"CronCreate", "CronDelete", "EnterPlanMode", "EnterWorktree", "ExitPlanMode",
		"ExitWorktree", "PushNotification", "RemoteTrigger", "ScheduleWakeup", "StructuredOutput", "TaskCreate",
		"TaskStop", "TaskUpdate", "TeamCreate", "TeamDelete", "TodoWrite"}},
	{ToolInfo{}, []string{"ReportFindings"}},
}

// KnownTools lists the tools that some host has or had, by their names.
func KnownTools() (out []ToolInfo) {
	for _, kind := range knownTools {
		for _, kind.Name = range kind.names {
			out = append(out, kind.ToolInfo)
		}
	}
	slices.SortFunc(out, func(a, b ToolInfo) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// findTool is what is known of a tool; nothing of one of another name.
func findTool(name string) ToolInfo {
	for _, kind := range knownTools {
		if slices.Contains(kind.names, name) {
			kind.Name = name
			return kind.ToolInfo
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

// otherNames list what else rules may call a tool. A client offers TodoWrite or the
// tools for tasks.
var otherNames = map[string][]string{
	"TaskCreate": {"TodoWrite"}, "TaskUpdate": {"TodoWrite"}, "TaskGet": {"TodoWrite"}, "TaskList": {"TodoWrite"},
	"TodoWrite": {"TaskCreate", "TaskUpdate"},
}

// ChangesFiles reports whether a tool changes files and does nothing else.
func ChangesFiles(tool string) bool { return slices.Contains(changers, tool) }

// readsOnly reports whether a tool changes nothing, whatever its input.
func readsOnly(tool string) bool { return findTool(tool).Reads }
