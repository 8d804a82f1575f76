package fsm

import (
	"fmt"
	"strings"
	"testing"

	loop "github.com/looplab/fsm"
)

// enginePolicy moves from A to B by an agent and by a plan.
func enginePolicy() *Policy {
	return &Policy{Level: Strict, Initial: "A", States: []State{
		{Name: "A", OnPlan: "B", Triggers: []Trigger{{Name: "x done", Agents: []string{"x"}, To: "B"}}}, {Name: "B"}}}
}

// stepBy takes a step with another table of states than the policy's.
func stepBy(states *Table, s Session, e Event) (Session, Decision) {
	e.Session = "s"
	st := newStep(enginePolicy(), s, e)
	st.states = states
	st.run()
	return st.s, st.Decision
}

func startX() []Event {
	return []Event{{Kind: ToolRequest, Tool: Tool{Name: "Agent", UseID: "u", Starts: &Start{How: ByAgent, Type: "x"},
		Parts: []Part{{Tool: "Agent"}}}},
		{Kind: AgentStart, Agent: Agent{ID: "a1", Type: "x"}}}
}

// TestEngineError: an error of looplab is told. The machine does not go on as if nothing had
// happened.
func TestEngineError(t *testing.T) {
	for name, events := range map[string][]Event{
		"agent": append(startX(), Event{Kind: AgentStop, Agent: Agent{ID: "a1", Type: "x"}, Text: "it is done"}),
		"plan":  {{Kind: ToolResult, Tool: Tool{Name: "ExitPlanMode", Planned: true, Plan: "do it"}}},
	} {
		for _, broken := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				states := enginePolicy().NewTable()
				if broken {
					states.transitions = nil
				}
				s, d, want := Session{}, Decision{}, "B"
				for _, e := range events {
					s, d = stepBy(states, s, e)
				}
				if broken {
					want = "A"
				}
				told := strings.Contains(strings.Join(d.Notices, " "), "the state machine failed")
				queued := strings.Contains(fmt.Sprint(s.Talk.Notices)+d.Inject, "the state machine failed")
				if s.Machine.State != want || told != broken || queued != broken {
					t.Errorf("in %s, told %q, queued %+v, notes %q", s.Machine.State, d.Notices, s.Talk.Notices,
						d.Notes)
				}
			})
		}
	}
}

// TestLooplabIsAsked: who may start is looplab's answer. With an engine that knows no transition
// nobody may, whoever has started is quarantined, and nothing moves.
func TestLooplabIsAsked(t *testing.T) {
	broken := enginePolicy().NewTable()
	broken.engine = loop.NewFSM("A", nil, nil)
	s, d := stepBy(broken, Session{}, startX()[0])
	if d.Verdict != Deny || !strings.Contains(d.Reason, "may not run") {
		t.Errorf("the start gets %s: %s", d.Verdict, d.Reason)
	}
	if s, _ = stepBy(broken, s, startX()[1]); s.Agents.Runs[0].Quarantined == "" {
		t.Errorf("%+v", s.Agents.Runs)
	}
	s, _ = stepBy(nil, Session{}, startX()[0])
	s, _ = stepBy(nil, s, startX()[1])
	if s, d = stepBy(broken, s, Event{Kind: AgentStop, Agent: Agent{ID: "a1", Type: "x"},
		Text: "done"}); s.Machine.State != "A" {
		t.Errorf("in %s: %q", s.Machine.State, d.Notes)
	}
	if leads := broken.FindLeads("A", "x"); len(leads) > 0 || len(broken.Next("A")) > 0 {
		t.Errorf("leads %+v, next %v", leads, broken.Next("A"))
	}
}

// TestFindLeads: of the triggers that ask for the same message the first counts, and none after one that asks for
// nothing.
func TestFindLeads(t *testing.T) {
	p := &Policy{Initial: "A", States: []State{{Name: "A"}, {Name: "B"}}}
	for i, says := range []string{"^X", "^X", "^Y", "", "^Z"} {
		p.States[0].Triggers = append(p.States[0].Triggers,
			Trigger{Name: fmt.Sprint(i), Agents: []string{"dev"}, Says: says, To: "B"})
	}
	var got []string
	for _, lead := range p.NewTable().FindLeads("A", "dev") {
		got = append(got, lead.Name)
	}
	if strings.Join(got, " ") != "0 2 3" {
		t.Errorf("%q", got)
	}
}
