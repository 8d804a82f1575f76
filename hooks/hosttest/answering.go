package hosttest

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

const reason = "IDLE does not let this agent start"

var denial = fsm.Decision{Verdict: fsm.Deny, StrictVerdict: fsm.Deny, Rule: fsm.RulePipeline, Reason: reason}

// replyTo returns what a call writes.
func replyTo(t testingT, name string, call hooks.Call, d fsm.Decision) string {
	t.Helper()
	var out bytes.Buffer
	if err := call.Reply(&out, d); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return out.String()
}

func checkDenies(t testingT, h hooks.Host, c Cases) {
	given, _ := c.roles(h.Can())
	for _, r := range given {
		if r.kind != fsm.ToolRequest {
			continue
		}
		if call, _, ok := readRole(t, h, r); ok {
			if out := replyTo(t, r.name, call, denial); !strings.Contains(out, reason) {
				t.Errorf("%s: the denial does not give its reason: %q", r.name, out)
			}
		}
	}
}

func checkDeniesBare(t testingT, h hooks.Host, c Cases) {
	if out := replyTo(t, c.RequestEvent, h.Bare(c.RequestEvent), denial); !strings.Contains(out, reason) {
		t.Errorf("the denial does not give its reason: %q", out)
	}
	replyTo(t, "an event without a name", h.Bare(""), denial)
	replyTo(t, "an event that is not known", h.Bare("no-such-event"), denial)
}

// checkPasses: without an objection there is no output.
func checkPasses(t testingT, h hooks.Host, c Cases) {
	given, _ := c.roles(h.Can())
	for _, r := range given {
		if call, _, ok := readRole(t, h, r); ok {
			if out := replyTo(t, r.name, call, fsm.Decision{}); out != "" {
				t.Errorf("%s: %q", r.name, out)
			}
		}
	}
}

// decisions are all verdicts, each with and without a text to inject and notices.
func decisions() []fsm.Decision {
	var out []fsm.Decision
	for _, v := range []fsm.Verdict{fsm.Pass, fsm.Warn, fsm.Ask, fsm.Deny} {
		for _, say := range []string{"", "say \"this\"\n\u2028\x01\xff"} {
			d := fsm.Decision{Verdict: v, StrictVerdict: fsm.Deny, Rule: fsm.RuleProtect, Inject: say}
			if v > fsm.Pass {
				d.Reason = "why " + say
			}
			out = append(out, d)
			d.Notices = []string{"tell " + say, "and that"}
			out = append(out, d)
		}
	}
	return out
}

func checkNeverApproves(t testingT, h hooks.Host, c Cases) {
	replyToAll(t, h, c, func(name, out string) {
		var v any
		if out != "" && json.Unmarshal([]byte(out), &v) == nil && hasApproval(v) {
			t.Errorf("%s approves: %s", name, out)
		}
	})
}

// hasApproval looks for a value that means yes to some client.
func hasApproval(v any) bool {
	switch v := v.(type) {
	case string:
		switch strings.ToLower(v) {
		case "allow", "approve", "accept", "yes":
			return true
		}
	case []any:
		for _, x := range v {
			if hasApproval(x) {
				return true
			}
		}
	case map[string]any:
		for _, x := range v {
			if hasApproval(x) {
				return true
			}
		}
	}
	return false
}

// checkWritesOne: an answer is one JSON value and a line end, or nothing.
func checkWritesOne(t testingT, h hooks.Host, c Cases) {
	replyToAll(t, h, c, func(name, out string) {
		if out == "" {
			return
		}
		if !json.Valid([]byte(out)) || strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "\n") {
			t.Errorf("%s: not one JSON value in one line: %q", name, out)
		}
	})
}

// replyToAll checks the answer to every role and every decision.
func replyToAll(t testingT, h hooks.Host, c Cases, check func(name, out string)) {
	t.Helper()
	given, _ := c.roles(h.Can())
	for _, r := range given {
		call, _, ok := readRole(t, h, r)
		if !ok {
			continue
		}
		for _, d := range decisions() {
			check(r.name+", "+d.Verdict.String(), replyTo(t, r.name, call, d))
		}
	}
}

func checkWriteError(t testingT, h hooks.Host, c Cases) {
	call, _, ok := readRole(t, h, role{name: "Request", payload: c.Request})
	if !ok {
		return
	}
	if err := call.Reply(broken{}, denial); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}
