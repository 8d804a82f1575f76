package fsm_test

import (
	"fmt"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// budgeted is a policy that lets an agent read once for each prompt.
func budgeted() *fsm.Policy {
	return &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{{Name: "one", Tools: []string{"Read"},
		Verdict: fsm.Deny, Budgeted: true, Budget: 1, ResetOn: []string{"prompt"}}}}}
}

func (pl *play) cron(prompt string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "CronCreate", UseID: "c", Prompt: prompt,
		Parts: []fsm.Part{{Tool: "CronCreate"}}}}).passes()
}

// TestScheduledRefillsNothing: a prompt that an agent has had scheduled is no person's, by whichever way it is known.
func TestScheduledRefillsNothing(t *testing.T) {
	for name, schedule := range map[string]func(pl *play){
		"the call":        func(pl *play) { pl.cron("read on") },
		"the turn's end":  func(pl *play) { pl.do(fsm.Event{Kind: fsm.TurnStop, Crons: []string{"else", "read on"}}) },
		"spaced as it is": func(pl *play) { pl.cron(" read \n on ") },
	} {
		t.Run(name, func(t *testing.T) {
			pl := begin(t, budgeted()).says("go").does("1", file("Read", "/a")).passes().did("1", "Read").does("2",
				file("Read", "/b")).denied("one")
			schedule(pl)
			pl.says("read on").noted("a scheduled prompt").does("3", file("Read", "/c")).denied("one")
			pl.s.Talk.Notices = []fsm.PendingNotice{{Why: "what is new"}}
			pl.says("read on").told("what is new")
			pl.says("read on!").does("4", file("Read", "/d")).passes()
		})
	}
}

// TestExpects: each is remembered, words alone count, and nothing is no prompt.
func TestExpects(t *testing.T) {
	pl := begin(t, budgeted())
	for i := range 20 {
		pl.cron(fmt.Sprint("prompt ", i)).cron(fmt.Sprint("prompt ", i))
	}
	pl.cron("").cron("  ")
	for text, want := range map[string]bool{"prompt 0": true, "prompt 19": true, "prompt  4 ": true, "prompt": false,
		"": false, " ": false} {
		if got := pl.s.IsScheduled(text); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	if n := len(pl.s.Turn.Scheduled); n != 20 {
		t.Errorf("%d are remembered", n)
	}
}
