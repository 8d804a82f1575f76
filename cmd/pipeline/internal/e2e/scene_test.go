package e2e

import (
	"os"
	"testing"
)

// scene is a project with one agent, a model and a recording hook.
func scene(t *testing.T) (*Project, *Model, *Log) {
	t.Helper()
	t.Parallel()
	p := NewProject(t)
	p.Agent("gatherer", "[[gatherer]]")
	return p, NewModel(t), p.Record()
}

// denyHook is settings in which every call of the tool is denied.
func denyHook(tool, reason string) map[string]any {
	answer := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"` + reason + `"}}`
	hook := map[string]any{"type": "command", "command": "echo '" + answer + "'"}
	entry := map[string]any{"matcher": tool, "hooks": []any{hook}}
	return map[string]any{"hooks": map[string]any{"PreToolUse": []any{entry}}}
}

func kill(when Cond) Option { return Signal(os.Kill, when) }
