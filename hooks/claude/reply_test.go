package claude_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

var verdicts = []fsm.Verdict{fsm.Pass, fsm.Warn, fsm.Ask, fsm.Deny}

// reply is what an event is answered, as it stands on standard output.
func reply(t testing.TB, event string, d fsm.Decision) string {
	t.Helper()
	var out bytes.Buffer
	if err := call(t, host(nil), payload(event, "")).Reply(&out, d); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// TestReplies holds the answer to each event, for each verdict, with and without something to say.
func TestReplies(t *testing.T) {
	var out strings.Builder
	for _, event := range events() {
		for _, v := range verdicts {
			for _, inject := range []string{"", "INJECT"} {
				for _, tell := range [][]string{nil, {"ONE", "TWO"}} {
					d := fsm.Decision{Verdict: v, Inject: inject, Notices: tell}
					if v > fsm.Pass {
						d.Reason, d.Rule = "REASON", fsm.RuleProtect
					}
					got := reply(t, event, d)
					if got == "" {
						got = "nothing\n"
					}
					fmt.Fprintf(&out, "%s %v%s%s: %s", event, v, mark(inject != "", " inject"), mark(tell != nil,
						" tell"), got)
				}
			}
		}
	}
	golden(t, "replies.golden", out.String())
}

func mark(is bool, name string) string {
	if is {
		return name
	}
	return ""
}

// answer is all that we may ever write.
type answer struct {
	Decision *string `json:"decision"`
	Reason   *string `json:"reason"`
	Message  *string `json:"systemMessage"`
	Specific *struct {
		Event      *string `json:"hookEventName"`
		Permission *string `json:"permissionDecision"`
		Why        *string `json:"permissionDecisionReason"`
		Context    *string `json:"additionalContext"`
	} `json:"hookSpecificOutput"`
}

// parse checks the form of an answer: nothing, or one JSON object of known keys and a line end.
func parse(t failer, event, out string) answer {
	t.Helper()
	var a answer
	if out == "" {
		return a
	}
	if strings.Count(out, "\n") != 1 || !strings.HasSuffix(out, "}\n") || !strings.HasPrefix(out, "{") ||
		!utf8.ValidString(out) {
		t.Fatalf("not one object in one line: %q", out)
	}
	dec := json.NewDecoder(strings.NewReader(out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil || dec.More() {
		t.Fatalf("%v: %s", err, out)
	}
	if a == (answer{}) {
		t.Fatalf("an answer that says nothing: %s", out)
	}
	if a.Decision != nil && (*a.Decision != "block" || event != "ConfigChange" && event != "UserPromptExpansion") {
		t.Fatalf("decision: %s", out)
	}
	if s := a.Specific; s != nil {
		if s.Event == nil || *s.Event != event {
			t.Fatalf("hookEventName: %s", out)
		}
		if p := s.Permission; p != nil && (*p != "deny" && *p != "ask" || event != "PreToolUse") {
			t.Fatalf("permissionDecision: %s", out)
		}
	}
	return a
}

type failer interface {
	Helper()
	Fatalf(format string, args ...any)
}

// Whatever is decided: we never approve, a denial is always one, and what is written is what the client understands.
func TestReplyHolds(t *testing.T) {
	known := append(events(), "PermissionRequest", "Notification")
	rapid.Check(t, func(rt *rapid.T) {
		texts := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "allow", "approve", "\x00\x1f\x7f",
			"a\xffb", "\u2028\u2029", `"}`, "<script>"}))
		d := fsm.Decision{
			Verdict:       rapid.SampledFrom(verdicts).Draw(rt, "verdict"),
			StrictVerdict: rapid.SampledFrom(verdicts).Draw(rt, "would"),
			Rule: rapid.SampledFrom([]string{"", fsm.RulePipeline, fsm.RuleProtect, guard.RuleOrder,
				"allow"}).Draw(rt, "rule"),
			Where:  texts.Draw(rt, "where"),
			Reason: texts.Draw(rt, "reason"), Inject: texts.Draw(rt, "inject"),
			Notices: rapid.SliceOfN(texts, 0, 3).Draw(rt, "tell"), Notes: rapid.SliceOfN(texts, 0, 2).Draw(rt, "notes"),
		}
		event := rapid.SampledFrom(known).Draw(rt, "event")
		tell := slices.Clone(d.Notices)
		a := parse(rt, event, reply(t, event, d))
		if !slices.Equal(tell, d.Notices) {
			rt.Fatalf("the decision was changed: %q", d.Notices)
		}
		holds(rt, event, d, a)
	})
}

// holds checks that an answer says what was decided, and no more.
func holds(t failer, event string, d fsm.Decision, a answer) {
	denies := a.Specific != nil && a.Specific.Permission != nil && *a.Specific.Permission == "deny"
	if (event == "PreToolUse" && d.Verdict == fsm.Deny) != denies {
		t.Fatalf("%s, %v: denied: %v", event, d.Verdict, denies)
	}
	ordered := event == "UserPromptExpansion" && d.Rule == guard.RuleOrder
	if blocks := a.Decision != nil; (event == "ConfigChange" && d.Verdict == fsm.Deny || ordered) != blocks {
		t.Fatalf("%s, %v: blocked: %v", event, d.Verdict, blocks)
	}
	if len(d.Notices) > 0 && a.Message == nil {
		t.Fatalf("the user was told nothing of %q", d.Notices)
	}
	quiet := !ordered && d.Verdict == fsm.Pass && d.Inject == "" && len(d.Notices) == 0
	if quiet && a != (answer{}) {
		t.Fatalf("nothing to say, and yet: %+v", a)
	}
	// What makes an agent that wants to stop go on, or a prompt go away, is none of a verdict's business.
	if slices.Contains([]string{"Stop", "SubagentStop", "SessionEnd", "StopFailure", "UserPromptExpansion"}, event) &&
		!ordered && (a.Specific != nil || a.Decision != nil) {
		t.Fatalf("%s was answered: %+v", event, a)
	}
}

// TestReplyTexts: what is hard to write as JSON arrives whole. What a person reads, unlike the context, has
// control characters made visible.
func TestReplyTexts(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"control characters": {"a\x00\x07\x1b[31m\r\n\tb", "a\x00\x07\x1b[31m\r\n\tb"},
		"invalid UTF-8":      {"a\xff\xfeb", "a\ufffd\ufffdb"},
		"half a character":   {"a\xe2\x82", "a\ufffd\ufffd"},
		"line separators":    {"a\u2028b\u2029c", "a\u2028b\u2029c"},
		"quotes and tags":    {`"}</x>\ &`, `"}</x>\ &`},
		"beyond the plane":   {"𝔘🧪", "𝔘🧪"},
		"60,000 characters":  {strings.Repeat("ä", 60_000), strings.Repeat("ä", 60_000)},
	} {
		a := parse(t, "PreToolUse", reply(t, "PreToolUse", fsm.Decision{Verdict: fsm.Deny, Reason: test.text,
			Inject: test.text, Notices: []string{test.text}}))
		shown := visible.Text(test.want)
		if *a.Specific.Permission != "deny" || *a.Specific.Why != shown || *a.Specific.Context != test.want {
			t.Errorf("%s: got %q", name, *a.Specific.Why)
		}
		if *a.Message != "pipeline: "+shown {
			t.Errorf("%s: told %q", name, *a.Message)
		}
	}
}

// TestBare: a call whose payload could not be read is answered by the event it was registered for.
func TestBare(t *testing.T) {
	deny := fsm.Decision{Verdict: fsm.Deny, Rule: fsm.RulePipeline, Reason: "REASON", Notices: []string{"TELL"}}
	const told = `"systemMessage":"pipeline: TELL"`
	for event, want := range map[string]string{
		"pre-tool-use":  `{` + told + `,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"REASON"}}`,
		"PreToolUse":    `{` + told + `,"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"REASON"}}`,
		"config-change": `{"decision":"block","reason":"REASON",` + told + `}`,
		"subagent-stop": `{` + told + `}`,
		"":              `{` + told + `}`,
		"no-such-event": `{` + told + `}`,
	} {
		var out bytes.Buffer
		if err := host(nil).Bare(event).Reply(&out, deny); err != nil || out.String() != want+"\n" {
			t.Errorf("%s: %v, got %s", event, err, out.String())
		}
	}
	c := host(nil).Bare("pre-tool-use")
	if c.Spawn() != nil || c.Parent() != "" || c.Tampered() != "" {
		t.Error("a call of which nothing is known knows something")
	}
}

// Where the answer cannot be written, that is an error: the caller has another way to be heard.
func TestReplyToAClosedPipe(t *testing.T) {
	err := call(t, host(nil), payload("PreToolUse", "")).Reply(closed{}, fsm.Decision{Verdict: fsm.Deny, Reason: "x"})
	if err == nil || !strings.HasPrefix(err.Error(), "write answer: ") {
		t.Errorf("got %v", err)
	}
}

type closed struct{}

func (closed) Write([]byte) (int, error) { return 0, fmt.Errorf("broken pipe") }

// TestReplyIsVisible: what a person reads steers no terminal.
func TestReplyIsVisible(t *testing.T) {
	d := fsm.Decision{Verdict: fsm.Deny, Reason: "a\x1b[31mb\u202e", Notices: []string{"c\u009bd"}}
	for _, event := range []string{"PreToolUse", "Stop"} {
		d.Hold = event == "Stop"
		var out bytes.Buffer
		if err := call(t, host(nil), payload(event, `"tool_name":"Read"`)).Reply(&out, d); err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`a\\u001b[31mb\\u202e`, `c\\u009bd`} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("%s: expected %s in %s", event, want, out.String())
			}
		}
	}
}
