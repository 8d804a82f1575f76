package fsm_test

import (
	"fmt"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func limited(l fsm.Limits) *fsm.Policy {
	p := free()
	p.Limits = l
	return p
}

func TestLimitRunning(t *testing.T) {
	pl := begin(t, limited(fsm.Limits{Running: 2})).asks(main(), "dev", "1").passes()
	pl.asks(main(), "dev", "1").passes().asks(main(), "dev", "1").passes() // the same call through more registrations
	pl.asks(main(), "dev", "2").passes().asks(main(), "dev",
		"3").denied("2 agents are at work or about to start, and at most 2 may run at once")
	if pl.d.Rule != fsm.RuleLimits {
		t.Errorf("rule %s", pl.d.Rule)
	}
	pl.starts("a", "dev").starts("b", "dev").asks(main(), "dev", "4").denied("come back: dev, dev")
	pl.asks(sub("a", "dev"), "dev", "5").denied("at most 2")
	pl.stops("a", "dev", "done").asks(main(), "dev", "6").passes().asks(main(), "dev", "7").denied("at most 2")
}

// TestLimitCountsNoDead: who died without a word, was stopped or failed does not count; nor does a call that came to
// nothing.
func TestLimitCountsNoDead(t *testing.T) {
	pl := begin(t, limited(fsm.Limits{Running: 1})).asks(main(), "dev", "1").starts("a", "dev").asks(main(), "dev",
		"2").denied("at most 1")
	pl.ends().asks(main(), "dev", "3").passes()
	pl.do(fsm.Event{Kind: fsm.ToolFailure, Agent: main(), Tool: agentTool("dev", "3")}).asks(main(), "dev",
		"4").passes()
	pl.ends().asks(main(), "dev", "5").passes().starts("b", "dev")
	pl.do(fsm.Event{Kind: fsm.AgentFailure, Agent: sub("b", "dev")}).asks(main(), "dev", "6").passes().starts("c",
		"dev")
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"}).asks(main(), "dev", "7").passes().starts("d", "dev")
	pl.ends("d").asks(main(), "dev", "8").denied("at most 1") // the host says it runs
	pl = begin(t, limited(fsm.Limits{Running: 1})).asks(main(), "dev",
		"1").passes().says("no, another way").asks(main(), "dev", "2").passes()
	pl.starts("e", "dev").asks(main(), "dev", "3").denied("at most 1")
}

// TestLimitIsExact also where it is larger than what a session without a limit would remember.
func TestLimitIsExact(t *testing.T) {
	for _, most := range []int{1, 8, 30, 50} {
		pl, n := begin(t, limited(fsm.Limits{Running: most})), 0
		for i := range 64 {
			if pl.asks(main(), "dev", fmt.Sprint(i)); pl.d.Verdict == fsm.Pass {
				n++
			}
		}
		if n != most {
			t.Errorf("%d may start, expected %d", n, most)
		}
	}
}

func TestLimitByEnvironment(t *testing.T) {
	for value, want := range map[string]int{"": 2, "1": 1, "3": 3, "0": 2, "-1": 2, "many": 2} {
		pl, n := begin(t, limited(fsm.Limits{Running: 2, RunningEnv: "MOST"})), 0
		for i := range 5 {
			pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: main(), Tool: agentTool("dev", fmt.Sprint(i)),
				Facts: fsm.Facts{Env: map[string]string{"MOST": value}}})
			if pl.d.Verdict == fsm.Pass {
				n++
			}
		}
		if n != want {
			t.Errorf("MOST=%q: %d, expected %d", value, n, want)
		}
	}
}

// TestLimitDepth: by the host's own note, else by the starts that were seen.
func TestLimitDepth(t *testing.T) {
	p := limited(fsm.Limits{Depth: 2})
	pl := begin(t, p).asks(main(), "dev", "1").passes().starts("a", "dev").asks(sub("a", "dev"), "dev",
		"2").passes().starts("b", "dev")
	pl.asks(sub("b", "dev"), "dev", "3").denied("This agent would run at depth 3, and agents may run 2 deep at most")
	pl.spawn = &fsm.Spawn{Depth: 1}
	pl.asks(sub("b", "dev"), "dev", "4").passes()
	pl.spawn = &fsm.Spawn{Depth: 2}
	pl.asks(sub("a", "dev"), "dev", "5").denied("depth 3")
	unseen := begin(t, p)
	unseen.spawn = &fsm.Spawn{Depth: 2}
	unseen.asks(sub("x", "dev"), "dev", "1").denied("depth 3")
	begin(t, limited(fsm.Limits{Depth: 1})).asks(main(), "dev", "1").passes().starts("a", "dev").asks(sub("a", "dev"),
		"dev", "2").denied("depth 2")
}

func TestLimitLevels(t *testing.T) {
	for level, want := range map[fsm.Level]fsm.Verdict{fsm.Observe: fsm.Pass, fsm.Guidance: fsm.Warn,
		fsm.AskFirst: fsm.Ask, fsm.Strict: fsm.Deny} {
		p := limited(fsm.Limits{Running: 1})
		p.Level = level
		if pl := begin(t, p).asks(main(), "dev", "1").asks(main(), "dev", "2"); pl.d.Verdict != want ||
			pl.d.StrictVerdict != fsm.Deny {
			t.Errorf("%s: %s, strict would %s", level, pl.d.Verdict, pl.d.StrictVerdict)
		}
	}
}
