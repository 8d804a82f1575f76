package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestStartingMovesNothing(t *testing.T) {
	defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer").in("IDLE").ends("g").in("IDLE")
}

func TestWhatMovesNothing(t *testing.T) {
	started := func(t *testing.T) *play {
		return defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	}
	t.Run("an empty message", func(t *testing.T) {
		started(t).stops("g", "context-gatherer", " \n").in("IDLE").noted("returned nothing").
			result("context-gatherer", "1", "g").told("stays in IDLE")
	})
	for _, text := range []string{"API Error: 400", "Error: no such file", "BLOCKED: I may not"} {
		t.Run(text, func(t *testing.T) {
			started(t).stops("g", "context-gatherer", text).in("IDLE").noted("failure").says("?").told("stays in IDLE")
		})
	}
	t.Run("an API error", func(t *testing.T) { // 2.1.197: StopFailure, then the call "completes"
		started(t).do(fsm.Event{Kind: fsm.AgentFailure, Agent: sub("g", "context-gatherer")}).in("IDLE").
			result("context-gatherer", "1", "g").in("IDLE").told("stays in IDLE")
	})
	t.Run("a failed call", func(t *testing.T) { // 2.1.329: PostToolUseFailure(Agent)
		pl := started(t).do(fsm.Event{Kind: fsm.ToolFailure,
			Tool: agentTool("context-gatherer", "1")}).in("IDLE").noted("failed")
		pl.ends().in("IDLE")
	})
	t.Run("cut short", func(t *testing.T) { // maxTurns: the call completes and there was no SubagentStop
		started(t).result("context-gatherer", "1", "g").in("IDLE").told("cut short")
	})
	t.Run("killed", func(t *testing.T) {
		started(t).notified("g", "killed").in("IDLE").told("was killed")
	})
	t.Run("stopped by TaskStop", func(t *testing.T) {
		started(t).do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "TaskStop",
			Result: fsm.Result{Task: "g"}}}).in("IDLE").noted("it was stopped")
	})
	t.Run("a phantom of the compaction", func(t *testing.T) {
		started(t).stops("unknown", "", "<summary>").in("IDLE").noted("phantom")
	})
	t.Run("one that no one started", func(t *testing.T) {
		defaults(t).stops("ghost", "context-gatherer", "found").in("IDLE").noted("phantom")
	})
	t.Run("one that an agent started", func(t *testing.T) {
		pl := defaults(t).runs("g", "context-gatherer", "found").asks(main(), "general-purpose", "1").starts("p",
			"general-purpose")
		pl.asks(sub("p", "general-purpose"), "context-refiner", "2").passes().starts("r", "context-refiner")
		pl.stops("r", "context-refiner", "refined").in("GATHERING").noted("not started by the main agent")
	})
	t.Run("a helper", func(t *testing.T) {
		defaults(t).runs("g", "context-gatherer", "found").runs("e", "Explore",
			"looked").in("GATHERING").holds("gathered", "found")
	})
}

func TestStartMissedButOnDisk(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "1")
	pl.spawn = &fsm.Spawn{Type: "context-gatherer", UseID: "1", Depth: 1}
	pl.stops("g", "context-gatherer", "found").in("GATHERING").noted("was not seen to start")
}

// TestParentage: the host's files correct what we guessed when two callers asked for the same type at once.
func TestParentage(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "found").asks(main(), "general-purpose", "1").starts("p",
		"general-purpose")
	pl.asks(sub("p", "general-purpose"), "context-refiner", "2").asks(main(), "context-refiner", "3")
	pl.starts("r1", "context-refiner").starts("r2", "context-refiner") // r1 is the main agent's, though it came first
	pl.spawn = &fsm.Spawn{Type: "context-refiner", UseID: "2", ParentID: "p", Depth: 2}
	pl.stops("r2", "context-refiner", "nested").in("GATHERING")
	pl.spawn = &fsm.Spawn{Type: "context-refiner", UseID: "3", Depth: 1}
	pl.stops("r1", "context-refiner", "mine").in("REFINING").holds("refined", "mine")
}

func TestTwoAtOnce(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "1").asks(main(), "context-gatherer", "2")
	pl.starts("a", "context-gatherer").starts("b", "context-gatherer")
	pl.stops("b", "context-gatherer", "first").in("GATHERING").stops("a", "context-gatherer",
		"second").in("GATHERING").noted("late")
	pl.holds("gathered", "first")
}

func TestSameIDAgain(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "v1").in("GATHERING")
	pl.starts("g", "context-gatherer").stops("g", "context-gatherer", "v2").in("GATHERING").holds("gathered",
		"v2").noted("replaces")
	pl.runs("r", "context-refiner", "refined").starts("g", "context-gatherer").stops("g", "context-gatherer", "v3")
	pl.in("REFINING").holds("gathered", "v3").holds("refined", "refined")
	if pl.s.Machine.Moves != 2 {
		t.Errorf("%d firings, expected 2", pl.s.Machine.Moves)
	}
}

// TestChildStillRuns: 2.1.329 in the TUI wakes the parent; with -p it does not, and notifies the main agent.
func TestChildStillRuns(t *testing.T) {
	nested := func(t *testing.T) *play {
		pl := defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
		pl.s.Agents.Runs = append(pl.s.Agents.Runs, fsm.Run{ID: "c", Type: "Explore", By: "g", Status: fsm.Running})
		return pl.stops("g", "context-gatherer", "for now").in("IDLE").noted("an agent of its own runs")
	}
	t.Run("woken", func(t *testing.T) {
		nested(t).stops("c", "Explore", "looked").starts("g", "context-gatherer").stops("g", "context-gatherer",
			"whole").
			in("GATHERING").holds("gathered", "whole")
	})
	t.Run("notified", func(t *testing.T) {
		nested(t).stops("c", "Explore", "looked").notified("g", "completed").in("GATHERING").holds("gathered",
			"for now")
	})
	t.Run("notified too early", func(t *testing.T) { // its own agent runs still
		nested(t).notified("g", "completed").in("IDLE").stops("c", "Explore", "looked").notified("g",
			"completed").in("GATHERING")
	})
	t.Run("notified before it stops", func(t *testing.T) {
		pl := defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer").notified("g",
			"completed").in("IDLE")
		pl.stops("g", "context-gatherer", "found").in("GATHERING")
	})
	t.Run("killed when it had ended", func(t *testing.T) {
		pl := defaults(t).runs("g", "context-gatherer", "found").notified("g", "killed")
		if r := pl.s.Agents.Runs[0]; r.Status != fsm.Done {
			t.Errorf("its status is %s", r.Status)
		}
	})
	t.Run("delivered by the notification", func(t *testing.T) {
		pl := nested(t).stops("c", "Explore", "looked").notified("g", "completed")
		if r := pl.s.Agents.Runs[0]; r.Status != fsm.Done || !r.Delivered {
			t.Errorf("%+v", r)
		}
	})
	t.Run("at the turn's end", func(t *testing.T) {
		nested(t).ends("c", "g").in("IDLE").ends("c").in("IDLE").stops("c", "Explore",
			"looked").ends("g").in("IDLE").ends().in("GATHERING")
		nested(t).stops("c", "Explore", "looked").do(fsm.Event{Kind: fsm.TurnStop}).in("GATHERING") // a host that lists none
	})
}

func TestSays(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "REVIEW", States: []fsm.State{
		{Name: "REVIEW", Triggers: []fsm.Trigger{
			{Name: "reviewer says /^APPROVED/", Agents: []string{"reviewer"}, Says: "^APPROVED", To: "DONE"},
			{Name: "reviewer", Agents: []string{"reviewer"}, To: "FIX"}}},
		{Name: "DONE", Triggers: []fsm.Trigger{{Name: "x", Agents: []string{"x"}, To: "DONE"}}},
		{Name: "FIX", Triggers: []fsm.Trigger{{Name: "x", Agents: []string{"x"}, To: "FIX"}}}}}
	begin(t, p).runs("a", "reviewer", "APPROVED, ship it").in("DONE")
	begin(t, p).runs("a", "reviewer", "not yet APPROVED").in("FIX")
}

// TestWokenByAnother: a message wakes an agent; it does not make it the messenger's.
func TestWokenByAnother(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "found").asks(main(), "context-refiner", "1").starts("r",
		"context-refiner")
	pl.asks(main(), "Explore", "2").starts("e", "Explore")
	e := starting(fsm.ByMessage, "", "r")
	e.Kind, e.Agent, e.Tool.Result = fsm.ToolResult, sub("e", "Explore"), fsm.Result{AgentID: "r"}
	pl.do(e).stops("r", "context-refiner", "refined").in("REFINING")
}
