package claude

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// reply is one answer to the client. Other clients drop the whole answer for a field that
// they do not know, so there is none that is not needed. There is no way to say "allow".
type reply struct {
	Decision string    `json:"decision,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Message  string    `json:"systemMessage,omitempty"`
	Specific *specific `json:"hookSpecificOutput,omitempty"`
}

type specific struct {
	Event      string `json:"hookEventName"`
	Permission string `json:"permissionDecision,omitempty"`
	Why        string `json:"permissionDecisionReason,omitempty"`
	Context    string `json:"additionalContext,omitempty"`
}

// Reply writes the answer: one JSON object, or nothing at all.
func (c *call) Reply(w io.Writer, d fsm.Decision) error {
	r := c.buildReply(d)
	if r == (reply{}) {
		return nil
	}
	body, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	if _, err := w.Write(append(body, '\n')); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

func (c *call) buildReply(d fsm.Decision) reply {
	var r reply
	notices := d.Notices
	switch event := c.payload.Event; event {
	case "PreToolUse":
		r.Specific = objectionTo(event, d)
	case "ConfigChange":
		if d.Verdict == fsm.Deny {
			r.Decision, r.Reason = "block", d.Reason
		}
		if d.Verdict == fsm.Deny && d.Rule == fsm.RuleProtect {
			notices = slices.Concat(notices, []string{"the changed settings would switch its hooks off (" + d.Reason +
				"); they apply when the client is started again"})
		}
	case "UserPromptExpansion":
		if d.Rule == hooks.RuleOrder { // answered in place of the model
			r.Decision, r.Reason = "block", c.host.nameCommand(d.Reason)
		}
	case "Stop", "SubagentStop":
		if d.Hold { // the agent goes on, and reads why
			r.Decision, r.Reason = "block", d.Reason
		}
	case "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStart":
		if d.Inject != "" {
			r.Specific = &specific{Event: event, Context: d.Inject}
		}
	}
	if len(notices) > 0 {
		r.Message = visible.Text(c.host.nameCommand("pipeline: " + strings.Join(notices, "\npipeline: ")))
	}
	r.Reason = visible.Text(r.Reason)
	if r.Specific != nil {
		r.Specific.Why = visible.Text(r.Specific.Why)
	}
	return r
}

// nameCommand writes our command in a text for the person as they have to type it: with the
// prefix of the plugin, where only the plugin brings it.
func (h Host) nameCommand(text string) string {
	if h.env("CLAUDE_PLUGIN_ROOT") == "" || !strings.Contains(text, "/pipeline ") {
		return text
	}
	places := h.Places()
	for _, dir := range []string{places.Project, places.User} {
		if _, err := os.Stat(places.CommandFile(dir, "pipeline")); err == nil {
			return text
		}
	}
	return strings.ReplaceAll(text, "/pipeline ", "/pipeline:pipeline ")
}

// objectionTo is a verdict in the client's words. A warning is context: the user's own
// permissions decide about the call.
func objectionTo(event string, d fsm.Decision) *specific {
	s := specific{Event: event, Context: d.Inject}
	switch d.Verdict {
	case fsm.Deny:
		s.Permission, s.Why = "deny", d.Reason
	case fsm.Ask:
		s.Permission, s.Why = "ask", d.Reason
	case fsm.Warn:
		s.Context = strings.TrimSpace(d.Reason + "\n" + d.Inject)
	}
	if s == (specific{Event: event}) {
		return nil
	}
	return &s
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
	var r reply
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
