package claude

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

// reply is one answer to the client. Fields that it does not know make other clients drop the whole answer, so there is
// none that is not needed. There is no way to say "allow".
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
	r := c.answer(d)
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

func (c *call) answer(d fsm.Decision) reply {
	var r reply
	tell := d.Notices
	switch event := c.payload.Event; event {
	case "PreToolUse":
		r.Specific = objection(event, d)
	case "ConfigChange":
		if d.Verdict == fsm.Deny {
			r.Decision, r.Reason = "block", d.Reason
		}
		if d.Verdict == fsm.Deny && d.Rule == fsm.RuleProtect {
			tell = slices.Concat(tell, []string{"the changed settings would switch its hooks off (" + d.Reason +
				"); they apply when the client is started again"})
		}
	case "UserPromptExpansion":
		if d.Rule == hooks.RuleOrder { // answered in the model's place
			r.Decision, r.Reason = "block", d.Reason
		}
	case "Stop", "SubagentStop":
		if d.Hold { // the agent goes on, and is told why
			r.Decision, r.Reason = "block", d.Reason
		}
	case "SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "SubagentStart":
		if d.Inject != "" {
			r.Specific = &specific{Event: event, Context: d.Inject}
		}
	}
	if len(tell) > 0 {
		r.Message = "pipeline: " + strings.Join(tell, "\npipeline: ")
	}
	return r
}

// objection is a verdict in the client's words. A warning is context: the call goes the way of the user's permissions.
func objection(event string, d fsm.Decision) *specific {
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
