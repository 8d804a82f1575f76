package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func planOf(agents ...string) string {
	var phases []string
	for i, a := range agents {
		phases = append(phases, fmt.Sprintf(`{"id": "p%d", "agent": %q, "depends_on": [%s]}`, i, a,
			map[bool]string{true: fmt.Sprintf(`"p%d"`, i-1)}[i > 0]))
	}
	return "The plan.\n```json\n{\"phases\": [" + strings.Join(phases, ", ") + "]}\n```"
}

// twoPlanners brings a session to REFINING, with two orchestrators under way.
func twoPlanners(t *testing.T) *play {
	pl := defaults(t).runs("g", "context-gatherer", "gathered").runs("r", "context-refiner", "refined")
	pl.asks(main(), "strategic-orchestrator", "1").passes().asks(main(), "strategic-orchestrator", "2").passes()
	return pl.starts("o1", "strategic-orchestrator").starts("o2", "strategic-orchestrator")
}

// TestOnePlan: agents are briefed with the plan whose order binds them.
func TestOnePlan(t *testing.T) {
	first, second := planOf("bash-a", "bash-b"), planOf("c-a", "c-b")
	t.Run("two planners", func(t *testing.T) {
		pl := twoPlanners(t).stops("o1", "strategic-orchestrator", first).in("EXECUTING").
			stops("o2", "strategic-orchestrator", second).in("EXECUTING")
		pl.holds("orchestration", first)
		if graph := pl.texts[pl.s.Machine.Captures["tasks"].Hash]; !strings.Contains(graph, "bash-a") {
			t.Errorf("agents are held to the order of another plan: %s", graph)
		}
	})
	t.Run("after a reset", func(t *testing.T) {
		pl := twoPlanners(t).do(fsm.Event{Kind: fsm.Reset, Text: "wrong plan"}).in("IDLE").
			stops("o1", "strategic-orchestrator", first).in("IDLE").holds("orchestration", "").holds("tasks", "")
		if pl.s.Tasks.Progress != nil {
			t.Error("the plan binds")
		}
	})
	t.Run("of a helper's agent", func(t *testing.T) {
		pl := defaults(t).runs("g", "context-gatherer", "gathered").runs("r", "context-refiner", "refined")
		pl.asks(main(), "Explore", "e").passes().starts("e", "Explore")
		pl.asks(sub("e", "Explore"), "strategic-orchestrator", "1").passes()
		pl.do(fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "o", Type: "strategic-orchestrator", Parent: "e",
			Basis: "agent_id"}})
		pl.stops("o", "strategic-orchestrator", first).in("REFINING").holds("tasks", "")
	})
	t.Run("rejected by a person", func(t *testing.T) {
		p := states(t)
		for i := range p.States {
			if p.States[i].Name == "REFINING" {
				for k := range p.States[i].Triggers {
					if p.States[i].Triggers[k].To == "EXECUTING" {
						p.States[i].Triggers[k].Gate = &fsm.Gate{Person: "read the plan"}
					}
				}
			}
		}
		pl := begin(t, p).runs("g", "context-gatherer", "gathered").runs("r", "context-refiner", "refined")
		pl.runs("o", "strategic-orchestrator", first).in("REFINING").holds("tasks", "")
		again := *pl
		again.do(fsm.Event{Kind: fsm.Reject, Text: "no"}).in("REFINING").holds("tasks", "")
		pl.do(fsm.Event{Kind: fsm.Approve}).in("EXECUTING").holds("orchestration", first)
		if pl.s.Tasks.Progress == nil {
			t.Error("the approved plan does not bind")
		}
	})
	t.Run("cleared together", func(t *testing.T) {
		pl := twoPlanners(t).stops("o1", "strategic-orchestrator", first).runs("g2", "context-gatherer",
			"new").in("GATHERING")
		pl.holds("orchestration", "").holds("tasks", "")
		if pl.s.Tasks.Progress != nil {
			t.Error("the order of the plan before binds")
		}
	})
	t.Run("replaced together", func(t *testing.T) {
		p := shipped(t, "presets/everyday.yaml")
		pl := begin(t, p).runs("o", "strategic-orchestrator", first).in("EXECUTING").
			runs("o2", "strategic-orchestrator", "no order").holds("plan", "no order").holds("tasks", "")
		if pl.s.Tasks.Progress != nil {
			t.Error("the order of the plan before binds")
		}
	})
}

// TestPlanIsNoWork: a second plan does not carry the first one out.
func TestPlanIsNoWork(t *testing.T) {
	pl := begin(t, shipped(t, "presets/everyday.yaml")).runs("o", "strategic-orchestrator", "one").
		runs("o2", "strategic-orchestrator", "two").ends().in("EXECUTING")
	pl.says("go on").runs("b", "bash-developer", "done").ends().in("COMPLETE")
}

// TestInterruptedAgents: an interruption ends the foreground agents of its turn. Agents in the background
// go on, and whoever shows a sign of life was not over.
func TestInterruptedAgents(t *testing.T) {
	prompt := func(pl *play, id string) *play { return pl.do(fsm.Event{Kind: fsm.Prompt, Prompt: id, Text: "x"}) }
	pl := prompt(defaults(t), "1")
	pl.asks(main(), "context-gatherer", "a").passes().starts("g", "context-gatherer")
	prompt(pl, "2").asks(main(), "context-gatherer", "b").passes()
	if n := len(pl.s.RunningAgents()); n != 0 {
		t.Errorf("%d agents run", n)
	}
	pl.uses(sub("g", "context-gatherer"), "Read").passes()
	if n := len(pl.s.RunningAgents()); n != 1 {
		t.Errorf("%d agents run after a sign of life", n)
	}

	p := states(t)
	p.Limits = fsm.Limits{Running: 8}
	pl = prompt(begin(t, p), "1").executing()
	for i := range 8 {
		id := fmt.Sprint("b", i)
		prompt(pl, id).asks(main(), "bash-developer", id).passes().starts(id, "bash-developer")
	}
	pl = prompt(begin(t, states(t)), "1").executing()
	pl.asks(main(), "bash-developer", "a").passes().starts("b", "bash-developer").launched("bash-developer", "a", "b")
	if prompt(pl, "2"); len(pl.s.RunningAgents()) != 1 {
		t.Error("an agent in the background ended with the turn")
	}
}

// TestDelivered: an agent whose result was delivered is over as soon as its own agents are.
func TestDelivered(t *testing.T) {
	pl := defaults(t).executing()
	pl.asks(main(), "bash-developer", "a").passes().starts("b", "bash-developer")
	pl.asks(sub("b", "bash-developer"), "Explore", "c").passes()
	pl.do(fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "e", Type: "Explore", Parent: "b", Basis: "agent_id"}})
	pl.stops("b", "bash-developer", "done").result("bash-developer", "a", "b")
	pl.stops("e", "Explore", "found")
	if running := pl.s.RunningAgents(); len(running) != 0 {
		t.Errorf("%+v", running)
	}
}

// TestParentEnds: what an agent had started is over when the agent fails or is lost.
func TestParentEnds(t *testing.T) {
	pl := defaults(t).executing()
	pl.asks(main(), "bash-developer", "a").passes().starts("b", "bash-developer")
	pl.do(fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "e", Type: "Explore", Parent: "b", Basis: "agent_id"}})
	pl.do(fsm.Event{Kind: fsm.AgentFailure, Agent: sub("b", "bash-developer"), Text: "API Error"})
	if running := pl.s.RunningAgents(); len(running) != 0 {
		t.Errorf("%+v", running)
	}
}

// TestTwoStarts: of two agents that are started at once, the second is told of the first.
func TestTwoStarts(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "a").passes()
	pl.asks(main(), "Explore", "b").denied("context-gatherer is running; end your turn")
}

// TestNoticesHold: what is told is worded when it is told.
func TestNoticesHold(t *testing.T) {
	pl := twoPlanners(t).stops("o2", "strategic-orchestrator", "").stops("o1", "strategic-orchestrator",
		"the plan").in("EXECUTING")
	pl.used("Read").told("The plan is ready")
	if strings.Contains(pl.d.Inject, "stays in REFINING") || strings.Contains(pl.d.Inject, "Start it again") {
		t.Errorf("told %q", pl.d.Inject)
	}
	twoPlanners(t).stops("o2", "strategic-orchestrator", "").used("Read").told("returned nothing")
}
