package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestInterrupted: a turn is held for an open task, but not the one that follows an interruption.
func TestInterrupted(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Hold: fsm.Hold{Until: []string{"tasks", "plan"}, Tries: 3}}
	planned := fsm.Event{Kind: fsm.ToolResult, Session: "s",
		Tool: fsm.Tool{Name: "ExitPlanMode", Planned: true, Plan: "Words."}}
	done := fsm.Event{Kind: fsm.ToolResult, Session: "s", Tool: fsm.Tool{Name: "TodoWrite", Listed: true}}
	prompt := func(id string) fsm.Event { return fsm.Event{Kind: fsm.Prompt, Session: "s", Text: "go on", Prompt: id} }
	stop := fsm.Event{Kind: fsm.TurnStop, Session: "s", Tasks: &fsm.Background{}}
	for name, test := range map[string]struct {
		events []fsm.Event
		held   bool
	}{
		"a turn as any other":                          {[]fsm.Event{prompt("1"), stop}, true},
		"typed while it runs":                          {[]fsm.Event{prompt("1"), prompt("1"), stop}, true},
		"interrupted, then another":                    {[]fsm.Event{prompt("1"), prompt("2"), stop}, false},
		"and the one after that":                       {[]fsm.Event{prompt("1"), prompt("2"), stop, prompt("3"), stop}, true},
		"its failure was told":                         {[]fsm.Event{prompt("1"), {Kind: fsm.TurnFailure, Session: "s"}, prompt("2"), stop}, true},
		"the client was started again":                 {[]fsm.Event{prompt("1"), {Kind: fsm.SessionStart, Session: "s", Source: "resume"}, prompt("2"), stop}, true},
		"a notification does not interrupt":            {[]fsm.Event{prompt("1"), {Kind: fsm.Prompt, Session: "s", Origin: fsm.Notification, Prompt: "2"}, stop}, true},
		"a host that tells no prompts apart":           {[]fsm.Event{prompt(""), prompt(""), stop}, true},
		"a turn that was held is still going":          {[]fsm.Event{prompt("1"), stop, prompt("2"), stop}, false},
		"a plan, and a prompt that is typed meanwhile": {[]fsm.Event{prompt("1"), planned, prompt("1"), done, stop}, true},
		"interrupted, with a plan, and failed":         {[]fsm.Event{prompt("1"), planned, prompt("2"), {Kind: fsm.TurnFailure, Session: "s"}, done, prompt("3"), stop}, false},
	} {
		s := fsm.Session{ID: "s", Tasks: fsm.Tasks{Open: []fsm.OpenTask{{ID: "1", Subject: "left"}}}}
		var d fsm.Decision
		for _, e := range test.events {
			s, d = p.Step(s, e)
		}
		if d.Hold != test.held {
			t.Errorf("%s: held %v, expected %v (%q)", name, d.Hold, test.held, d.Notes)
		}
	}
}
