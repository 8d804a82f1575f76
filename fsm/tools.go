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

// The tools that some host has or had, by their canonical names, and what of them is known. Tools of MCP servers are
// not among them. Delete is what a command deletes.
const (
	allTools = "Agent AgentOutputTool AskUserQuestion Bash BashOutput CronCreate CronDelete CronList Delete Edit " +
		"EnterPlanMode EnterWorktree ExitPlanMode ExitWorktree Glob Grep LS LSP ListAgents " +
		"ListMcpResourcesTool Monitor MultiEdit NotebookEdit NotebookRead PowerShell PushNotification " +
		"Read ReadMcpResourceTool RemoteTrigger ReportFindings ScheduleWakeup SendMessage Skill " +
		"StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate TeamCreate " +
		"TeamDelete TodoRead TodoWrite ToolSearch WebFetch WebSearch Workflow Write"
	fileTools    = "Delete Edit Glob Grep LS LSP MultiEdit NotebookEdit NotebookRead Read Write"
	commandTools = "Bash Monitor PowerShell"
	startTools   = "Agent Bash SendMessage Skill Workflow"
	readTools    = "AgentOutputTool AskUserQuestion BashOutput CronList Glob Grep LS LSP ListAgents " +
		"ListMcpResourcesTool NotebookRead Read ReadMcpResourceTool TaskGet TaskList TaskOutput TodoRead " +
		"ToolSearch WebFetch WebSearch"
	ownTools = "AgentOutputTool AskUserQuestion BashOutput CronCreate CronDelete CronList EnterPlanMode " +
		"EnterWorktree ExitPlanMode ExitWorktree ListAgents PushNotification RemoteTrigger ScheduleWakeup " +
		"SendMessage Skill StructuredOutput TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate " +
		"TeamCreate TeamDelete TodoRead TodoWrite ToolSearch"
)

// KnownTools lists the tools that some host has or had.
func KnownTools() (out []ToolInfo) {
	for name := range strings.FieldsSeq(allTools) {
		out = append(out, findTool(name))
	}
	return out
}

// findTool is what is known of a tool; nothing of one of another name.
func findTool(name string) ToolInfo {
	if !isAmong(allTools, name) {
		return ToolInfo{}
	}
	return ToolInfo{Name: name, Files: isAmong(fileTools, name), Commands: isAmong(commandTools, name),
		Starts: isAmong(startTools, name), Reads: isAmong(readTools, name), Own: isAmong(ownTools, name)}
}

func isAmong(names, name string) bool {
	for n := range strings.FieldsSeq(names) {
		if n == name {
			return true
		}
	}
	return false
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
func readsOnly(tool string) bool { return isAmong(readTools, CanonicalTool(tool)) }
