package fsm

import (
	"strings"
	"testing"

	loop "github.com/looplab/fsm"
)

// breakEngine takes every transition out of looplab's table.
func breakEngine(t *testing.T) {
	newEngine = func(state string, _ []loop.EventDesc, callbacks map[string]loop.Callback) *loop.FSM {
		return loop.NewFSM(state, nil, callbacks)
	}
	t.Cleanup(func() { newEngine = loop.NewFSM })
}

// enginePolicy moves from A to B by an agent, by the turn's end and by a plan.
func enginePolicy() *Policy {
	return &Policy{Level: Strict, Initial: "A", States: []State{
		{Name: "A", OnPlan: "B", Triggers: []Trigger{{Name: "x done", Agents: []string{"x"}, To: "B"}}}, {Name: "B"}}}
}

// TestEngineError: an error of looplab is told. The machine does not go on as if nothing had
// happened.
func TestEngineError(t *testing.T) {
	for name, events := range map[string][]Event{
		"agent": {{Kind: ToolRequest, Tool: Tool{Name: "Agent", UseID: "u", Starts: &Start{How: ByAgent, Type: "x"}}},
			{Kind: AgentStart, Agent: Agent{ID: "a1", Type: "x"}}, {Kind: AgentStop, Agent: Agent{ID: "a1", Type: "x"}, Text: "it is done"}},
		"plan": {{Kind: ToolResult, Tool: Tool{Name: "ExitPlanMode", Planned: true, Plan: "do it"}}},
	} {
		for _, broken := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				if broken {
					breakEngine(t)
				}
				s, d, want := Session{}, Decision{}, "B"
				for _, e := range events {
					e.Session = "s"
					s, d = enginePolicy().Step(s, e)
				}
				if broken {
					want = "A"
				}
				told := strings.Contains(strings.Join(d.Notices, " "), "the state machine failed")
				queued := strings.Contains(s.Talk.PendingNotice+d.Inject, "the state machine failed")
				if s.Machine.State != want || told != broken || queued != broken {
					t.Errorf("in %s, told %q, queued %q, notes %q", s.Machine.State, d.Notices, s.Talk.PendingNotice, d.Notes)
				}
			})
		}
	}
}

// TestEngineErrorOfLeads: what agents lead to is not left out where the table is wrong.
func TestEngineErrorOfLeads(t *testing.T) {
	breakEngine(t)
	defer func() {
		if recover() == nil {
			t.Error("the broken machine has leads")
		}
	}()
	enginePolicy().FindLeads("A", "x")
}
