package rehearse

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
)

// A Call is a tool call as people write it: Bash(git push), Write(src/main.go),
// Agent(bash-developer), mcp__github__list.
type Call struct{ Tool, Argument string }

// toolName and wholeCall are compiled where they are used: every hook call would pay
// for a pattern that is compiled at the start.
func toolName() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z_][\w.:-]*`) }

func wholeCall() *regexp.Regexp {
	return regexp.MustCompile(`(?s)^([A-Za-z_][\w.:-]*)(?:\((.*)\))?$`)
}

// ParseCall reads a call.
func ParseCall(text string) (Call, error) {
	m := wholeCall().FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return Call{}, fmt.Errorf("found %q, expected a call such as 'Bash(git push)' or 'Write(main.go)'", text)
	}
	return Call{m[1], m[2]}, nil
}

// String is the call as it was written.
func (c Call) String() string {
	if c.Argument == "" {
		return c.Tool
	}
	return c.Tool + "(" + c.Argument + ")"
}

// inputKey is the member of a tool's input that its argument stands for.
func inputKey(tool string) string {
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
	return "path" // Grep, Glob, and most tools of others
}

// Input is what the client would give the tool. An argument that is a JSON object is
// the whole input.
func (c Call) Input() map[string]any {
	var whole map[string]any
	if strings.HasPrefix(c.Argument, "{") && json.Unmarshal([]byte(c.Argument), &whole) == nil {
		return whole
	}
	in := map[string]any{}
	if c.Argument != "" {
		in[inputKey(c.Tool)] = c.Argument
	}
	return in
}

// payload is what the client sends before the call is made.
func (c Call) payload(use string) map[string]any {
	return map[string]any{"tool_name": c.Tool, "tool_use_id": use, "tool_input": c.Input()}
}
