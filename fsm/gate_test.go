package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// gated is a result of the gate in the way of a trigger, as the session stands.
func (pl *play) gated(e fsm.Event, ok bool) fsm.Event {
	pl.Helper()
	e.Session = "s1"
	g, key := pl.p.SelectGate(pl.s, e)
	if g == nil {
		pl.Fatalf("%s has no gate", e.Kind)
	}
	e.Facts.Gate = &fsm.GateResult{Key: key, OK: ok, Output: "what it printed"}
	return e
}

func TestHoldGate(t *testing.T) {
	p := free()
	p.Hold = fsm.Hold{Gate: &fsm.Gate{Run: "make test"}, Tries: 2}
	pl, stop := begin(t, p), fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}
	pl.do(pl.gated(stop, false)).held(fsm.RuleGate,
		"The command \"make test\" must succeed first, and fails. The end of what it printed:\nwhat it printed")
	pl.do(stop).over() // its result is missing
	tasked := *p
	tasked.Hold.Until = []string{"graph", "tasks"}
	both := begin(t, &tasked).task(tasks.HostTask{ID: "1", Subject: "write it", Status: "pending"})
	both.do(both.gated(stop, false)).held(fsm.RuleHold,
		"over yet. 1 task of the task list is open: 1 write it. The command")
	stop.Held = true
	pl.do(pl.gated(stop, true)).over().hears("")
	old := pl.gated(stop, false)
	old.Facts.Gate.Key = "another/1/turn ends"
	pl.do(old).over()
	pl.asks(main(), "dev", "1").starts("d", "dev")
	if g, _ := p.SelectGate(pl.s, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{IDs: []string{"d"}}}); g != nil {
		t.Error("a gate is run while an agent is at work")
	}
	if g, _ := p.SelectGate(pl.s, stop); g == nil {
		t.Error("no gate is run after an agent has died")
	}
}

// crossing is a pipeline with a gate on its only way on, and a way that must not be taken in its place.
func crossing() *fsm.Policy {
	p := free()
	p.Initial = "A"
	p.States = []fsm.State{{Name: "A", Triggers: []fsm.Trigger{
		{Name: "dev", Agents: []string{"dev"}, Says: "^DONE", To: "B", Gate: &fsm.Gate{Run: "make test", Tries: 2}},
		{Name: "*", Agents: []string{"*"}, To: "C"}}},
		{Name: "B", Triggers: []fsm.Trigger{{Name: "*", Agents: []string{"*"}, To: "A"}}},
		{Name: "C", Triggers: []fsm.Trigger{{Name: "*", Agents: []string{"*"}, To: "A"}}}}
	return p
}

func stopOf(id, agent, says string) fsm.Event {
	return fsm.Event{Kind: fsm.AgentStop, Agent: sub(id, agent), Text: says}
}

func TestGateOnAMove(t *testing.T) {
	pl := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	pl.do(pl.gated(stopOf("d", "dev", "DONE"), false)).held(fsm.RuleGate, "what it printed").in("A")
	pl.do(pl.gated(stopOf("d", "dev", "DONE"), true)).over().in("B").hears("")
}

func TestGateLetsGo(t *testing.T) {
	pl := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	for range 2 {
		pl.do(pl.gated(stopOf("d", "dev", "DONE"), false)).held(fsm.RuleGate, "make test").in("A")
	}
	pl.do(pl.gated(stopOf("d", "dev", "DONE"),
		false)).over().in("A").hears("agent dev was sent back 2 times and did not fix this").
		noted("it was sent back 2 times for gate and may end").
		noted("A stays: trigger dev: the gate is not passed: make test failed")
	pl.result("dev", "1",
		"d").told(`Agent "dev" came back, and "make test" does not succeed, so the pipeline stays in A.`)
}

// TestGateIsForItsMove: no other move is taken instead, one without a gate needs none, and a result counts where it was
// asked for.
func TestGateIsForItsMove(t *testing.T) {
	pl := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	if g, _ := pl.p.SelectGate(pl.s, stopOf("d", "dev", "BLOCKED")); g != nil {
		t.Error("another message takes a move without a gate")
	}
	late := pl.gated(stopOf("d", "dev", "DONE"), true)
	pl.asks(main(), "x", "2").starts("x", "x").stops("x", "x", "y").in("C").runs("y", "y", "y").in("A")
	pl.asks(main(), "dev", "3").starts("e", "dev")
	late.Agent = sub("e", "dev")
	pl.do(late).over().in("A").result("dev", "3", "e").told(`"make test" could not be tried`)
	pl.runs("z", "dev", "BLOCKED").in("C")
}

func TestGateLevels(t *testing.T) {
	p := crossing()
	p.Level = fsm.Guidance
	pl := begin(t, p).asks(main(), "dev", "1").starts("d", "dev")
	pl.do(pl.gated(stopOf("d", "dev", "DONE"), false)).over().in("B")
	lifted := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	e := lifted.gated(stopOf("d", "dev", "DONE"), false)
	e.Facts.Overrides.Bypasses = []fsm.Bypass{{ID: "1", Rule: fsm.RuleGate}}
	lifted.do(e).over().in("B").noted("bypass")
	late := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	e = late.gated(stopOf("d", "dev", "DONE"), false)
	e.Late = true
	late.do(e).over().in("A")
}
