package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A toolCall is a call as people write it: Bash(git push), Write(src/main.go), Agent(bash-developer), mcp__github__list.
type toolCall struct{ tool, arg string }

// toolName and wholeCall are compiled where they are used: what is compiled at the start, every hook call pays for.
func toolName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][\w.:-]*`) }

func wholeCall() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^([A-Za-z_][\w.:-]*)(?:\((.*)\))?$`)
}

func parseCall(text string) (toolCall, error) {
	m := wholeCall().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return toolCall{}, usageError{fmt.Sprintf("found %s, expected a call such as 'Bash(git push)' or 'Write(main.go)'", quote(text))}
	}
	return toolCall{m[1], m[2]}, nil
}

// String is the call as it was written.
func (c toolCall) String() string {
	if c.arg == "" {
		return c.tool
	}
	return c.tool + "(" + c.arg + ")"
}

// argument is the input that a tool's argument stands for.
func argument(tool string) string {
	switch tool {
	case "Bash", "PowerShell":
		return "command"
	case "Read", "Write", "Edit", "MultiEdit":
		return "file_path"
	case "NotebookEdit", "NotebookRead":
		return "notebook_path"
	case "Agent", "Task", "SubagentTask", "AgentTask":
		return "subagent_type"
	case "Skill", "SlashCommand":
		return "skill"
	case "SendMessage":
		return "to"
	case "TaskStop", "KillShell":
		return "task_id"
	case "WebFetch":
		return "url"
	case "WebSearch":
		return "query"
	}
	return "path" // Grep, Glob, and what tools of others are most often told
}

// input is what the client would give the tool. An argument that is a JSON object is the whole input.
func (c toolCall) input() map[string]any {
	var whole map[string]any
	if strings.HasPrefix(c.arg, "{") && json.Unmarshal([]byte(c.arg), &whole) == nil {
		return whole
	}
	in := map[string]any{}
	if c.arg != "" {
		in[argument(c.tool)] = c.arg
	}
	return in
}
