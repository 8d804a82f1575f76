package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestLimitForgetsWhomTheLostWanted: an agent that was let in for another one counts as coming only while that one is
// at work; else two such would fill the limit for ever.
func TestLimitForgetsWhomTheLostWanted(t *testing.T) {
	pl := begin(t, &fsm.Policy{Level: fsm.Strict, Limits: fsm.Limits{Running: 2}})
	pl.asks(main(), "a", "u1").passes().starts("a1", "a").asks(sub("a1", "a"), "b", "u2").passes()
	pl.asks(main(), "c", "u3").denied("2 agents are at work or about to start")
	pl.ends("a1").asks(main(), "c", "u3").denied("2 agents are at work or about to start")
	pl.ends().asks(main(), "c", "u3").passes() // a1 is lost, and b never came
	pl.asks(main(), "d", "u4").passes().starts("c1", "c").starts("d1", "d")
	pl.asks(main(), "e", "u5").denied("at most 2 may run at once")
}

// TestWhoStartsIsWhoIsWanted: what an agent had asked for that is lost does not take the place of what the main agent
// asks for now.
func TestWhoStartsIsWhoIsWanted(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "u1").starts("g1", "context-gatherer")
	pl.asks(sub("g1", "context-gatherer"), "context-gatherer", "u2").passes().ends()
	pl.asks(main(), "context-gatherer", "u3").passes().starts("g2", "context-gatherer")
	pl.stops("g2", "context-gatherer", "found").in("GATHERING")
}

// TestTurnIsOfWhoIsWanted: nor does it take that one's turn in a plan.
func TestTurnIsOfWhoIsWanted(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Tasks: fsm.TaskSource{From: []string{fsm.FromPlan}}}
	plan := `{"phases":[{"id":"one","agent":"dev"},{"id":"two","agent":"dev","after":["one"]}]}`
	pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "ExitPlanMode", Planned: true,
		Plan: plan}})
	pl.asks(main(), "scout", "u1").starts("s1", "scout").asks(sub("s1", "scout"), "dev", "u2").passes()
	pl.asks(main(), "dev", "u3").denied("which waits for: one (dev)")
	pl.ends().asks(main(), "dev", "u4").passes()
}
