package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// Heard is what the client understands of the answer of a hook before a tool call.
type Heard struct {
	Permission string // deny, ask, allow or defer; "" when the call goes on as if there were no hook
	Reason     string // what the model reads
	Message    string // what the user reads
	Ignored    string // why the answer has no effect
}

// Hear reads the outcome of a PreToolUse hook as the client does (2.1.197 and 2.1.329,
// tried): one JSON object counts, whatever the exit code; else the exit code 2 blocks;
// everything else is ignored, and the tool runs.
func Hear(stdout, stderr []byte, exit int) Heard {
	text := bytes.TrimSpace(stdout)
	var r dialect.Answer
	err := json.Unmarshal(text, &r)
	switch {
	case exit == 2 && err != nil:
		return Heard{Permission: "deny", Reason: string(bytes.TrimSpace(stderr))}
	case len(text) == 0 && exit == 0:
		return Heard{}
	case len(text) == 0:
		return Heard{Ignored: "it gave no answer"}
	case err != nil || text[0] != '{':
		return Heard{Ignored: "its answer is not one JSON object"}
	}
	h, s := Heard{Message: r.Message}, r.Specific
	switch {
	case s != nil && s.Event != "PreToolUse":
		h.Ignored = "hookEventName is " + cmp.Or(strings.TrimSpace(s.Event), "missing") + ", expected PreToolUse"
	case s != nil && !slices.Contains([]string{"", "deny", "ask", "allow", "defer"}, s.Permission):
		h.Ignored = "permissionDecision is " + s.Permission + ", which is not a decision"
	case !slices.Contains([]string{"", "block", "approve"}, r.Decision):
		h.Ignored = "decision is " + r.Decision + ", which is not a decision"
	case r.Decision == "block":
		h.Permission, h.Reason = "deny", r.Reason
	case s != nil:
		h.Permission, h.Reason = s.Permission, s.Why
	}
	return h
}
