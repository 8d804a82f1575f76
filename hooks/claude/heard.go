package claude

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// Heard is what the client makes of what a hook before a tool call gave back.
type Heard struct {
	Permission string // deny, ask, allow or defer; "" when the call goes on as if there were no hook
	Reason     string // what the model is told
	Message    string // what the user is shown
	Ignored    string // why what was said has no effect
}

// Hear reads the outcome of a PreToolUse hook as the client does (2.1.197 and 2.1.329, tried): one JSON object counts,
// whatever the exit code; else the exit code 2 blocks; all else is ignored, and the tool runs.
func Hear(stdout, stderr []byte, exit int) Heard {
	text := bytes.TrimSpace(stdout)
	var said reply
	err := json.Unmarshal(text, &said)
	switch {
	case exit == 2 && err != nil:
		return Heard{Permission: "deny", Reason: string(bytes.TrimSpace(stderr))}
	case len(text) == 0 && exit == 0:
		return Heard{}
	case len(text) == 0:
		return Heard{Ignored: "it said nothing"}
	case err != nil || text[0] != '{':
		return Heard{Ignored: "what it said is not one JSON object"}
	}
	return said.heard()
}

func (r reply) heard() Heard {
	h := Heard{Message: r.Message}
	s := r.Specific
	switch {
	case s != nil && s.Event != "PreToolUse":
		h.Ignored = "hookEventName is " + orNothing(s.Event) + ", expected PreToolUse"
	case s != nil && !slices.Contains([]string{"", "deny", "ask", "allow", "defer"}, s.Permission):
		h.Ignored = "permissionDecision is " + s.Permission + ", which is none"
	case !slices.Contains([]string{"", "block", "approve"}, r.Decision):
		h.Ignored = "decision is " + r.Decision + ", which is none"
	case r.Decision == "block":
		h.Permission, h.Reason = "deny", r.Reason
	case s != nil:
		h.Permission, h.Reason = s.Permission, s.Why
	}
	return h
}

func orNothing(s string) string {
	if strings.TrimSpace(s) == "" {
		return "missing"
	}
	return s
}
