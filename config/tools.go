package config

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// filed, spoken and shells are tools by what rules can ask of them: a file, nothing, a command. What a client may add
// is in none of them, and may have anything.

func fileTools() []string {
	return []string{"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Delete", "Grep", "Glob", "LS"}
}

func plainTools() []string {
	return []string{"Agent", "AskUserQuestion", "BashOutput", "CronCreate", "CronDelete", "CronList", "EnterPlanMode", "ExitPlanMode",
		"ScheduleWakeup", "SendMessage", "Skill", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate",
		"TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Workflow"}
}

func shellTools() []string { return []string{"Bash", "Monitor", "PowerShell"} }

// canonicalTools are the names under which calls of the tools come to rules, whatever they were called in older clients.
func canonicalTools(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, fsm.CanonicalTool(n))
	}
	return out
}

// hasCommands reports whether a tool, or one that a glob of tools names, may run commands.
func hasCommands(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") || slices.ContainsFunc(shellTools(), func(s string) bool {
		ok, err := path.Match(tool, s)
		return ok && err == nil
	})
}

// hasPaths reports whether a tool, or one that a glob of tools names, may be about a file. The files of a shell line are
// calls of their own.
func hasPaths(tool string) bool {
	return !slices.Contains(plainTools(), fsm.CanonicalTool(tool)) && !slices.Contains(shellTools(), tool)
}

// findMeantTool is the tool that a name in the wrong case means.
func findMeantTool(name string) string {
	for _, t := range slices.Concat(fileTools(), plainTools(), shellTools()) {
		if t != name && strings.EqualFold(t, name) {
			return t
		}
	}
	return ""
}
