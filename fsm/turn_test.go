package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestTurnEnds(t *testing.T) {
	t.Run("before any work", func(t *testing.T) { // a question to the user completes nothing
		defaults(t).executing().ends().in("EXECUTING").noted("EXECUTING stays")
	})
	t.Run("helpers are no work", func(t *testing.T) {
		defaults(t).executing().runs("e", "Explore", "looked").ends().in("EXECUTING")
	})
	t.Run("while one runs", func(t *testing.T) {
		pl := defaults(t).executing().runs("b", "bash-developer", "done").asks(main(), "c-developer", "1").starts("c",
			"c-developer")
		pl.ends("c").in("EXECUTING").noted("still running")
		pl.stops("c", "c-developer", "done").notified("c", "completed").ends().in("COMPLETE")
	})
	t.Run("while the host says that one runs", func(t *testing.T) {
		pl := defaults(t).executing().runs("b", "bash-developer", "done").ends("never-seen").in("EXECUTING")
		pl.do(fsm.Event{Kind: fsm.TurnStop,
			Tasks: &fsm.Background{Workflow: true}}).in("EXECUTING").ends().in("COMPLETE")
	})
	t.Run("before the result was read", func(t *testing.T) { // 2.1.329: the stop comes between the end and its notification
		pl := defaults(t).executing().asks(main(), "bash-developer", "1").starts("b",
			"bash-developer").launched("bash-developer", "1", "b")
		pl.ends("b").in("EXECUTING").stops("b", "bash-developer",
			"done").ends().in("EXECUTING").noted("has not yet been given")
		pl.notified("b", "completed").ends().in("COMPLETE")
	})
	t.Run("back before it was said to be away", func(t *testing.T) { // 2.1.329: the launch's own result comes last
		pl := defaults(t).executing().asks(main(), "bash-developer", "1").starts("b", "bash-developer").stops("b",
			"bash-developer", "done")
		pl.launched("bash-developer", "1", "b").ends().in("EXECUTING").noted("has not yet been given")
		pl.notified("b", "completed").ends().in("COMPLETE")
	})
	t.Run("with the result in a later tool result", func(t *testing.T) { // 2.1.197 folds the notification into it
		pl := defaults(t).executing().asks(main(), "bash-developer", "1").starts("b",
			"bash-developer").launched("bash-developer", "1", "b")
		pl.stops("b", "bash-developer", "done").used("Read").ends().in("COMPLETE")
	})
	t.Run("results that nothing waits for", func(t *testing.T) {
		for name, r := range map[string]fsm.Run{
			"of a helper":       {Type: "Explore", Status: fsm.Done},
			"of an agent's own": {Type: "bash-developer", Status: fsm.Done, By: "b", Fired: true},
			"that never came":   {Type: "bash-developer", Status: fsm.Failed, Fired: true},
		} {
			pl := defaults(t).executing().runs("b", "bash-developer", "done")
			r.ID = "x"
			pl.s.Agents.Runs = append(pl.s.Agents.Runs, r)
			if pl.ends(); pl.s.Machine.State != "COMPLETE" || strings.Contains(strings.Join(pl.d.Notes, " "), "stays") {
				t.Errorf("%s: in %s; %q", name, pl.s.Machine.State, pl.d.Notes)
			}
		}
	})
	t.Run("the plan that was not read", func(t *testing.T) {
		pl := defaults(t).executing()
		pl.s.Agents.Runs[2].Delivered = false
		pl.runs("b", "bash-developer", "done")
		if !pl.s.Agents.Runs[2].Delivered {
			t.Error("a tool result hands over all that had ended before")
		}
	})
}

func TestLost(t *testing.T) {
	running := func(t *testing.T) *play {
		return defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	}
	t.Run("no longer listed", func(t *testing.T) {
		pl := running(t).ends().noted("no longer lists")
		pl.stops("g", "context-gatherer", "found after all").in("GATHERING")
	})
	t.Run("revived by a start", func(t *testing.T) {
		running(t).ends().starts("g", "context-gatherer").noted("was given up as lost").stops("g", "context-gatherer",
			"found").in("GATHERING")
	})
	t.Run("not at a mere prompt", func(t *testing.T) {
		pl := running(t).says("how is it going?")
		if len(pl.s.RunningAgents()) != 1 {
			t.Error("a background agent lives across prompts")
		}
	})
	t.Run("not by a compaction", func(t *testing.T) {
		pl := running(t).do(fsm.Event{Kind: fsm.Compacted})
		if len(pl.s.RunningAgents()) != 1 {
			t.Error("a compaction ends no agent")
		}
	})
	t.Run("a host that does not say", func(t *testing.T) {
		pl := running(t).do(fsm.Event{Kind: fsm.TurnStop})
		if len(pl.s.RunningAgents()) != 1 {
			t.Error("silence is no evidence")
		}
	})
	t.Run("agents of a workflow", func(t *testing.T) {
		pl := workflow(t).do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{Workflow: true}})
		if len(pl.s.RunningAgents()) != 1 || len(pl.s.Agents.Workflows) != 1 {
			t.Error("the host lists a workflow, not its agents")
		}
		pl.ends()
		if len(pl.s.RunningAgents()) != 0 || len(pl.s.Agents.Workflows) != 0 {
			t.Error("with the workflow its agents are gone")
		}
	})
}

// TestNothingPilesUp: the line of the journal that carries the session stays small, whatever happens.
func TestNothingPilesUp(t *testing.T) {
	pl := defaults(t).executing()
	for i := range 300 {
		pl.prompt(fmt.Sprint(i)).asks(main(), "bash-developer", pl.now.String())
		pl.starts("b", "bash-developer").stops("b", "bash-developer", "done")
		pl.runs("b"+pl.now.Format("150405"), "bash-developer", "done")
	}
	if n := len(pl.s.Agents.Runs); n > 24 {
		t.Errorf("%d agents remembered", n)
	}
	if n := len(written(t, pl.s)); n > 8<<10 {
		t.Errorf("the session takes %d bytes", n)
	}
	if n := len(pl.pending()); n > 24 {
		t.Errorf("%d admissions remembered", n)
	}
}
