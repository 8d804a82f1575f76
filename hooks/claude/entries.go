package claude

import "github.com/agent-pipeline/pipeline/hooks/claude/settings"

// registered lists the events that we are called for, by the client's name and by the one we are called with.
func registered() [][2]string {
	return [][2]string{
		{"SessionStart", "session-start"}, {"UserPromptSubmit", "user-prompt-submit"}, {"UserPromptExpansion", "user-prompt-expansion"},
		{"PreToolUse", "pre-tool-use"}, {"PostToolUse", "post-tool-use"}, {"PostToolUseFailure", "post-tool-use-failure"},
		{"SubagentStart", "subagent-start"}, {"SubagentStop", "subagent-stop"}, {"Stop", "stop"}, {"StopFailure", "stop-failure"},
		{"SessionEnd", "session-end"}, {"ConfigChange", "config-change"},
	}
}

// Entries are the hooks to register: the binary in exec form, which saves a shell (7 ms by measurement). A client that
// waits for us longer than `timeout` seconds goes on without us; an agent's end is worth the longest wait.
func Entries(binary string, failClosed bool) []settings.Entry {
	var out []settings.Entry
	for _, r := range registered() {
		e := settings.Entry{Event: r[0], Command: binary, Args: []string{"hook", "--host", "claude", r[1]}, Timeout: 10}
		switch r[0] {
		case "SubagentStop", "Stop": // a gate may be run
			e.Timeout = 600
		case "PostToolUse": // checks may be
			e.Timeout = 120
		}
		e.OnFailureBlock = failClosed && r[0] == "PreToolUse"
		out = append(out, e)
	}
	return out
}

// eventName is the client's name of an event that we were called with.
func eventName(kebab string) string {
	for _, r := range registered() {
		if r[1] == kebab || r[0] == kebab {
			return r[0]
		}
	}
	return ""
}
