package dialect

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/guard"
)

func answer(t *testing.T, v Voice, event string, d fsm.Decision) string {
	t.Helper()
	var b bytes.Buffer
	if err := v.Reply(&b, event, d); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

// TestKeys: no answer has a key that a strict client does not know. One drops the whole answer for such a key, and the
// tool runs.
func TestKeys(t *testing.T) {
	top := []string{"decision", "reason", "systemMessage", "hookSpecificOutput"}
	below := []string{"hookEventName", "permissionDecision", "permissionDecisionReason", "additionalContext"}
	for _, event := range []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart",
		"SubagentStop", "Stop", "SessionEnd", ""} {
		for _, v := range []fsm.Verdict{fsm.Pass, fsm.Warn, fsm.Ask, fsm.Deny} {
			out := answer(t, Voice{Can: hooks.Everything}, event,
				fsm.Decision{Verdict: v, Reason: "r", Inject: "i", Hold: true,
					Notices: []string{"n"}, Proposed: "x", Rule: "y", Where: "z"})
			var whole map[string]any
			if out != "" && json.Unmarshal([]byte(out), &whole) != nil {
				t.Fatalf("%s: %s", event, out)
			}
			specific, _ := whole["hookSpecificOutput"].(map[string]any)
			for key := range whole {
				if !slices.Contains(top, key) {
					t.Errorf("%s: %s in %s", event, key, out)
				}
			}
			for key := range specific {
				if !slices.Contains(below, key) {
					t.Errorf("%s: %s in %s", event, key, out)
				}
			}
		}
	}
}

// TestVoices: text stands where the client looks for it; a warning that it does not show the agent, the user reads.
func TestVoices(t *testing.T) {
	flat, plain := Voice{Can: hooks.Everything, Flat: true}, Voice{Can: hooks.Everything}
	mute := Voice{Can: hooks.Everything &^ (hooks.InjectsRequest | hooks.InjectsAgent)}
	inject := fsm.Decision{Inject: "TEXT"}
	deaf := Voice{Can: hooks.Everything &^ hooks.Asks}
	question := fsm.Decision{Verdict: fsm.Ask, Reason: "MAY \x1b[31mI", Inject: "TEXT"}
	tampered := fsm.Decision{Verdict: fsm.Deny, Rule: fsm.RuleProtect, Reason: "REMOVED"}
	warning := fsm.Decision{Verdict: fsm.Warn, Reason: "CAREFUL"}
	for _, c := range []struct {
		voice Voice
		event string
		d     fsm.Decision
		want  string
	}{
		{flat, "PostToolUse", inject, `{"additionalContext":"TEXT"}`},
		{plain, "PostToolUse", inject, `{"hookSpecificOutput":{"hookEventName":"PostToolUse","additionalContext":"TEXT"}}`},
		{flat, "PreToolUse", inject, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"TEXT"}}`},
		{plain, "PreToolUse", question, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"ask",` +
			`"permissionDecisionReason":"MAY \\u001b[31mI","additionalContext":"TEXT"}}`},
		{deaf, "PreToolUse", question, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny",` +
			`"permissionDecisionReason":"MAY \\u001b[31mI","additionalContext":"TEXT"}}`},
		{plain, "PreToolUse", fsm.Decision{Reason: "no objection"}, ``},
		{plain, "ConfigChange", fsm.Decision{}, ``},
		{plain, "ConfigChange", tampered, `{"decision":"block","reason":"REMOVED","systemMessage":"pipeline: the changed ` +
			`settings would switch its hooks off (REMOVED); they apply when the client is started again"}`},
		{plain, "ConfigChange", fsm.Decision{Verdict: fsm.Deny, Reason: "R"}, `{"decision":"block","reason":"R"}`},
		{plain, "UserPromptExpansion", fsm.Decision{Rule: guard.RuleOrder, Reason: "R"},
			`{"decision":"block","reason":"R"}`},
		{plain, "UserPromptExpansion", fsm.Decision{Rule: "other", Reason: "R"}, ``},
		{plain, "Stop", fsm.Decision{Hold: true, Reason: "GO \x1b ON"}, `{"decision":"block","reason":"GO \\u001b ON"}`},
		{plain, "Notification", inject, ``},
		{mute, "SubagentStart", inject, ``},
		{mute, "PreToolUse", inject, ``},
		{mute, "PreToolUse", warning, `{"systemMessage":"pipeline: CAREFUL"}`},
		{plain, "PreToolUse", warning, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"CAREFUL"}}`},
	} {
		if got := answer(t, c.voice, c.event, c.d); got != c.want {
			t.Errorf("%s: %s, want %s", c.event, got, c.want)
		}
	}
}
