package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
	"github.com/agent-pipeline/pipeline/hooks/guard"
)

// Reply writes the answer: one JSON object, or nothing at all.
func (c *call) Reply(w io.Writer, d fsm.Decision) error {
	if c.host.Env("CLAUDE_PLUGIN_ROOT") != "" {
		d = c.host.nameCommands(d)
	}
	return dialect.Voice{Can: c.host.Can()}.Reply(w, c.payload.Event, d)
}

// nameCommands writes our command in the texts for the person as they have to type it: with
// the prefix of the plugin, where only the plugin brings it.
func (h Host) nameCommands(d fsm.Decision) fsm.Decision {
	places := h.Places()
	for _, dir := range []string{places.Project, places.User} {
		if _, err := os.Stat(places.CommandFile(dir, "pipeline")); err == nil {
			return d
		}
	}
	name := func(text string) string { return strings.ReplaceAll(text, "/pipeline ", "/pipeline:pipeline ") }
	if d.Rule == guard.RuleOrder {
		d.Reason = name(d.Reason)
	}
	d.Notices = slices.Clone(d.Notices)
	for i := range d.Notices {
		d.Notices[i] = name(d.Notices[i])
	}
	return d
}

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
