package config

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// filed, spoken and shells are tools by what rules can ask of them: a file, nothing, a command. What a client may add
// is in none of them, and may have anything.

func filed() []string {
	return []string{"Read", "Write", "Edit", "MultiEdit", "NotebookEdit", "NotebookRead", "Delete", "Grep", "Glob", "LS"}
}

func spoken() []string {
	return []string{"Agent", "AskUserQuestion", "BashOutput", "CronCreate", "CronDelete", "CronList", "EnterPlanMode", "ExitPlanMode",
		"ScheduleWakeup", "SendMessage", "Skill", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate",
		"TodoWrite", "ToolSearch", "WebFetch", "WebSearch", "Workflow"}
}

func shells() []string { return []string{"Bash", "Monitor", "PowerShell"} }

// currentTools are the names under which calls of the tools come to rules, whatever they were called in older clients.
func currentTools(names []string) []string {
	var out []string
	for _, n := range names {
		out = append(out, fsm.CanonicalTool(n))
	}
	return out
}

// hasCommands reports whether a tool, or one that a glob of tools names, may run commands.
func hasCommands(tool string) bool {
	return strings.HasPrefix(tool, "mcp__") || slices.ContainsFunc(shells(), func(s string) bool {
		ok, err := path.Match(tool, s)
		return ok && err == nil
	})
}

// hasPaths reports whether a tool, or one that a glob of tools names, may be about a file. The files of a shell line are
// calls of their own.
func hasPaths(tool string) bool {
	return !slices.Contains(spoken(), fsm.CanonicalTool(tool)) && !slices.Contains(shells(), tool)
}

// meantTool is the tool that a name in the wrong case means.
func meantTool(name string) string {
	for _, t := range slices.Concat(filed(), spoken(), shells()) {
		if t != name && strings.EqualFold(t, name) {
			return t
		}
	}
	return ""
}
