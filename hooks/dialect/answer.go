package dialect

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// An Answer is what a client reads. Other clients drop the whole answer for a field that
// they do not know, so there is none that is not needed. There is no way to say "allow".
type Answer struct {
	Decision string    `json:"decision,omitempty"`
	Reason   string    `json:"reason,omitempty"`
	Message  string    `json:"systemMessage,omitempty"`
	Context  string    `json:"additionalContext,omitempty"`
	Specific *Specific `json:"hookSpecificOutput,omitempty"`
}

// Specific is what belongs to one kind of event.
type Specific struct {
	Event      string `json:"hookEventName"`
	Permission string `json:"permissionDecision,omitempty"`
	Why        string `json:"permissionDecisionReason,omitempty"`
	Context    string `json:"additionalContext,omitempty"`
}

// A Voice is how a host wants to be answered.
type Voice struct {
	Can  hooks.Set
	Flat bool // text stands on top of the answer; before a tool it stands in hookSpecificOutput all the same
}

// Reply writes the answer: one JSON object, or nothing at all.
func (v Voice) Reply(w io.Writer, event string, d fsm.Decision) error {
	if isSilent := d.Reason == "" && d.Inject == "" && len(d.Notices) == 0; isSilent && d.Verdict == fsm.Pass &&
		!d.Hold && d.Rule != guard.RuleOrder {
		return nil
	}
	r := v.build(event, d)
	if r == (Answer{}) {
		return nil
	}
	if _, err := w.Write(append(journal.Encode(&r), '\n')); err != nil {
		return fmt.Errorf("write answer: %w", err)
	}
	return nil
}

func (v Voice) build(event string, d fsm.Decision) (r Answer) {
	isBlocked := false // the agent goes on, and reads why; a command is answered in place of the model
	switch event {
	case "PreToolUse":
		r.Specific = v.object(event, &d)
	case "ConfigChange":
		isBlocked = d.Verdict == fsm.Deny
		if isBlocked && d.Rule == fsm.RuleProtect {
			d.Notices = slices.Concat(d.Notices, []string{"the changed settings would switch its hooks off (" +
				d.Reason + "); they apply when the client is started again"})
		}
	case "UserPromptExpansion":
		isBlocked = d.Rule == guard.RuleOrder
	case "Stop", "SubagentStop":
		isBlocked = d.Hold
	default:
		i := slices.IndexFunc(events, func(e Event) bool { return e.Name == event })
		if d.Inject == "" || i < 0 || events[i].takes == 0 || !v.Can.Has(events[i].takes) {
			break
		}
		if v.Flat {
			r.Context = d.Inject
		} else {
			r.Specific = &Specific{Event: event, Context: d.Inject}
		}
	}
	if len(d.Notices) > 0 {
		r.Message = visible.Text("pipeline: " + strings.Join(d.Notices, "\npipeline: "))
	}
	if isBlocked {
		r.Decision, r.Reason = "block", visible.Text(d.Reason)
	}
	return r
}

// object is a verdict in the client's words. A warning is context: the user's own
// permissions decide about the call. Where the client takes none, the user reads it.
func (v Voice) object(event string, d *fsm.Decision) *Specific {
	s, isAdvice := Specific{Event: event, Context: d.Inject}, d.Verdict == fsm.Warn || d.Verdict == fsm.Confine
	switch {
	case d.Verdict == fsm.Deny || d.Verdict == fsm.Ask && !v.Can.Has(hooks.Asks):
		s.Permission, s.Why = "deny", d.Reason
	case d.Verdict == fsm.Ask:
		s.Permission, s.Why = "ask", d.Reason
	case isAdvice:
		s.Context = strings.TrimSpace(d.Reason + "\n" + d.Inject)
	}
	if !v.Can.Has(hooks.InjectsRequest) {
		s.Context = ""
		if d.Reason != "" && isAdvice {
			d.Notices = slices.Concat(d.Notices, []string{d.Reason})
		}
	}
	if s == (Specific{Event: event}) {
		return nil
	}
	s.Why = visible.Text(s.Why)
	return &s
}
