package claude_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// TestHear: the cases of what was tried with the client.
func TestHear(t *testing.T) {
	deny := `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`
	for _, c := range []struct {
		name, out, err string
		exit           int
		want           claude.Heard
	}{
		{"silence", "", "", 0, claude.Heard{}},
		{"a denial", deny, "", 0, claude.Heard{Permission: "deny", Reason: "no"}},
		{"with blanks around", "\n " + deny + "\n", "", 0, claude.Heard{Permission: "deny", Reason: "no"}},
		{"with another exit code", deny, "", 3, claude.Heard{Permission: "deny", Reason: "no"}},
		{"and exit 2", deny, "x", 2, claude.Heard{Permission: "deny", Reason: "no"}},
		{"exit 2", "", "stop\n", 2, claude.Heard{Permission: "deny", Reason: "stop"}},
		{"the older form", `{"decision":"block","reason":"no"}`, "", 0, claude.Heard{Permission: "deny", Reason: "no"}},
		{"for the user", `{"systemMessage":"hello"}`, "", 0, claude.Heard{Message: "hello"}},
		{"text before", "hello\n" + deny, "", 0, claude.Heard{Ignored: "its answer is not one JSON object"}},
		{"text after", deny + "\nhello", "", 0, claude.Heard{Ignored: "its answer is not one JSON object"}},
		{"cut off", deny[:60], "", 0, claude.Heard{Ignored: "its answer is not one JSON object"}},
		{"null", "null", "", 0, claude.Heard{Ignored: "its answer is not one JSON object"}},
		{"no event", `{"hookSpecificOutput":{"permissionDecision":"deny"}}`, "", 0,
			claude.Heard{Ignored: "hookEventName is missing, expected PreToolUse"}},
		{"another event", `{"hookSpecificOutput":{"hookEventName":"Stop","permissionDecision":"deny"}}`, "", 0,
			claude.Heard{Ignored: "hookEventName is Stop, expected PreToolUse"}},
		{"a bad verdict", `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"no"}}`, "", 0,
			claude.Heard{Ignored: "permissionDecision is no, which is not a decision"}},
		{"at the top", `{"permissionDecision":"deny"}`, "", 0, claude.Heard{}},
		{"a bad decision", `{"decision":"deny"}`, "", 0,
			claude.Heard{Ignored: "decision is deny, which is not a decision"}},
		{"not found", "", "sh: 1: x: not found", 127, claude.Heard{Ignored: "it gave no answer"}},
	} {
		if got := claude.Hear([]byte(c.out), []byte(c.err), c.exit); got != c.want {
			t.Errorf("%s: %+v, expected %+v", c.name, got, c.want)
		}
	}
}
