package fsm_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestWalk(t *testing.T) {
	pl := defaults(t).in("IDLE").says("build").told("context-gatherer")
	pl.asks(main(), "context-gatherer", "1").passes().starts("g", "context-gatherer").in("IDLE").told("")
	pl.stops("g", "context-gatherer", "found 42").in("GATHERING").holds("gathered", "found 42")
	pl.result("context-gatherer", "1", "g").told("context-refiner")
	pl.asks(main(), "context-refiner", "2").passes().starts("r", "context-refiner").told("found 42")
	pl.stops("r", "context-refiner", "only 42 matters").in("REFINING").holds("refined", "only 42 matters")
	pl.result("context-refiner", "2", "r").told("strategic-orchestrator")
	pl.asks(main(), "strategic-orchestrator", "3").passes().starts("o",
		"strategic-orchestrator").told("only 42 matters")
	pl.stops("o", "strategic-orchestrator", "the plan").in("EXECUTING").holds("orchestration", "the plan")
	pl.result("strategic-orchestrator", "3", "o").told("The plan is ready")
	pl.asks(main(), "bash-developer", "4").passes().starts("b", "bash-developer").told("the plan")
	pl.stops("b", "bash-developer", "done").in("EXECUTING").result("bash-developer", "4", "b").told("")
	pl.ends().in("COMPLETE").says("next").told("carried out")
	pl.runs("g2", "context-gatherer", "found 43").in("GATHERING").holds("gathered", "found 43").holds("refined",
		"").holds("orchestration", "")
	if pl.s.Machine.Moves != 6 {
		t.Errorf("%d firings, expected 6", pl.s.Machine.Moves)
	}
}

func TestOrchestratingPreset(t *testing.T) {
	pl := begin(t, shipped(t, "presets/orchestrating.yaml")).in("IDLE")
	pl.asks(main(), "Explore", "x").denied("IDLE")
	pl.runs("g", "context-gatherer", "found").in("REFINING").runs("r", "context-refiner", "refined").in("ORCHESTRATING")
	pl.runs("o", "strategic-orchestrator", "plan").in("EXECUTING").runs("c", "c-developer", "done").in("EXECUTING")
	pl.ends().in("COMPLETE").runs("g2", "context-gatherer", "found").in("REFINING")
}

// TestAllowlists is the table of the default pipeline: who may start where.
func TestAllowlists(t *testing.T) {
	table := map[string][]string{
		"IDLE":      {"context-gatherer"},
		"GATHERING": {"context-gatherer", "context-refiner", "Explore", "Plan", "general-purpose"},
		"REFINING": {"context-gatherer", "context-refiner", "strategic-orchestrator", "Explore", "Plan",
			"general-purpose"},
		"EXECUTING": {"context-gatherer", "bash-developer", "nix-developer", "c-developer", "Explore", "Plan",
			"general-purpose"},
		"COMPLETE": {"context-gatherer"},
	}
	all := []string{"context-gatherer", "context-refiner", "strategic-orchestrator", "Explore", "Plan",
		"general-purpose",
		"bash-developer", "nix-developer", "c-developer", "fork", "claude", "python-developer", "statusline-setup"}
	p := states(t)
	for state, allowed := range table {
		for _, agent := range all {
			pl := begin(t, p)
			pl.do(fsm.Event{Kind: fsm.Reset, Source: state}).asks(main(), agent, "1")
			if want := slices.Contains(allowed, agent); want != (pl.d.Verdict == fsm.Pass) {
				t.Errorf("%s in %s: %s, expected allowed=%v", agent, state, pl.d.Verdict, want)
			}
			if pl.in(state).d.Verdict == fsm.Deny && (pl.d.Rule != fsm.RulePipeline ||
				!strings.HasPrefix(pl.d.Where, "pipeline.yaml:")) {
				t.Errorf("%s in %s: denied by %s at %q", agent, state, pl.d.Rule, pl.d.Where)
			}
		}
	}
}

func TestStartingOver(t *testing.T) {
	t.Run("a new gathering", func(t *testing.T) {
		for _, in := range []string{"GATHERING", "REFINING", "EXECUTING"} {
			pl := defaults(t).executing().do(fsm.Event{Kind: fsm.Reset, Source: in}).in(in)
			pl.runs("g2", "context-gatherer", "found 43").in("GATHERING").holds("gathered", "found 43")
			if in != "GATHERING" {
				pl.holds("refined", "").holds("orchestration", "")
			}
		}
	})
	t.Run("refined again", func(t *testing.T) {
		pl := defaults(t).runs("g", "context-gatherer", "found").runs("r", "context-refiner", "v1").in("REFINING")
		pl.runs("r2", "context-refiner", "v2").in("REFINING").holds("refined", "v2")
	})
}

func TestStatesAreOptional(t *testing.T) {
	pl := begin(t, &fsm.Policy{Level: fsm.Strict})
	pl.asks(main(), "anyone", "1").passes().starts("a", "anyone").uses(sub("a", "anyone"), "Write").passes()
	pl.stops("a", "anyone", "done").in("").says("hello").told("")
	pl.ends().in("")
}

func TestLevels(t *testing.T) {
	for level, want := range map[fsm.Level]fsm.Verdict{fsm.Strict: fsm.Deny, fsm.AskFirst: fsm.Ask,
		fsm.Guidance: fsm.Warn, fsm.Observe: fsm.Pass} {
		p := *states(t)
		p.Level = level
		pl := begin(t, &p).asks(main(), "bash-developer", "1")
		if pl.d.Verdict != want || pl.d.StrictVerdict != fsm.Deny {
			t.Errorf("%s: %s, would be %s; expected %s, deny", level, pl.d.Verdict, pl.d.StrictVerdict, want)
		}
		barred := map[fsm.Level]fsm.Verdict{fsm.Strict: fsm.Deny, fsm.AskFirst: fsm.Deny, fsm.Guidance: fsm.Warn,
			fsm.Observe: fsm.Pass}[level]
		pl.starts("z", "nix-developer").uses(sub("z", "nix-developer"), "Write").gets(barred, "")
	}
}

func TestOffTracksNothing(t *testing.T) {
	p := *states(t)
	pl := begin(t, &p).runs("g", "context-gatherer", "found").in("GATHERING")
	p.Level = fsm.Off
	pl.asks(main(), "bash-developer", "1").passes().noted("off")
	seen := pl.s
	pl.runs("r", "context-refiner", "refined")
	if len(pl.s.Agents.Runs) != len(seen.Agents.Runs) {
		t.Error("an agent was tracked while the level was off")
	}
	p.Level = fsm.Strict
	pl.says("on again").in("IDLE").noted("begins at IDLE").asks(main(), "context-refiner", "2").denied("IDLE")
}

func TestReset(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "found").asks(main(), "context-refiner", "1").starts("r",
		"context-refiner")
	pl.do(fsm.Event{Kind: fsm.Reset, Text: "stuck"}).in("IDLE").holds("gathered", "")
	pl.stops("r", "context-refiner", "refined").in("IDLE").noted("before the reset")
	pl.says("again").told("context-gatherer").runs("g2", "context-gatherer", "found").in("GATHERING")
	pl.do(fsm.Event{Kind: fsm.Reset, Source: "REFINING"}).in("REFINING").holds("gathered", "found")
}

func TestToldOncePerState(t *testing.T) {
	pl := defaults(t).says("one").told("context-gatherer agent with the task")
	pl.says("two").told("The pipeline is in state IDLE; start one of: context-gatherer.")
	pl.asks(main(), "context-gatherer", "1").starts("g", "context-gatherer").launched("context-gatherer", "1",
		"g").told("")
	pl.ends("g").stops("g", "context-gatherer", "found").notified("g", "completed").told("context-refiner")
	pl.says("three").told("").used("Read").told("")
	pl.do(fsm.Event{Kind: fsm.Compacted}).told("If you are the main agent: ")
	pl.told("context-refiner").says("four").told("")
}

func TestCompactedAgentIsBriefedAgain(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "found 42").asks(main(), "context-refiner", "1").starts("r",
		"context-refiner")
	pl.do(fsm.Event{Kind: fsm.Compacted, Agent: sub("r", "context-refiner")}).told("found 42")
}

func TestResumeAndFork(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "found 42").asks(main(), "context-refiner", "1").starts("r",
		"context-refiner")
	old := pl.s
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"}).in("GATHERING").noted("lost").told("GATHERING")
	pl.stops("r", "context-refiner", "refined").in("REFINING")

	forked := &play{TB: t, p: pl.p, texts: map[string]string{}, now: pl.now}
	forked.do(fsm.Event{Kind: fsm.SessionStart, Source: "fork",
		Facts: fsm.Facts{Parent: &old, Captured: pl.captured()}}).in("GATHERING").noted("forked from")
	forked.holds("gathered", "found 42").runs("r2", "context-refiner", "refined").in("REFINING")
	if !pl.p.IsNeeded(fsm.NeedParent, fsm.Session{}, fsm.Event{Kind: fsm.SessionStart, Source: "fork"}) {
		t.Error("a fork must be told of its parent")
	}
}

func TestStateThatTheConfigLost(t *testing.T) {
	pl := defaults(t)
	pl.s.Machine.State = "GONE"
	pl.says("hello").in("IDLE").noted("state GONE is unknown to the policy").
		hears("this session's state GONE is in no config any more: it begins at IDLE again")
}
