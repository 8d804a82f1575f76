package fsm

import (
	"strings"
	"testing"

	loop "github.com/looplab/fsm"
)

// TestLooplabIsAsked: who may start and what moves the machine is looplab's answer. With an engine
// that knows no transition nobody may start, and nothing moves.
func TestLooplabIsAsked(t *testing.T) {
	p := &Policy{Level: Strict, Initial: "A", States: []State{
		{Name: "A", Triggers: []Trigger{{Name: "dev", Agents: []string{"dev"}, To: "B"}}}, {Name: "B"}}}
	ask := Event{Kind: ToolRequest, Session: "s", Tool: Tool{Name: "Agent", UseID: "1", Starts: &Start{How: ByAgent, Type: "dev"},
		Parts: []Part{{Tool: "Agent"}}}}
	for _, isBroken := range []bool{false, true} {
		with := func(s Session, e Event) (Session, Decision) {
			st := newStep(p, s, e)
			if isBroken {
				st.states = &Table{p, loop.NewFSM("A", nil, nil)}
			}
			st.run()
			return st.s, st.d
		}
		_, d := with(Session{ID: "s"}, ask)
		if (d.Verdict == Deny) != isBroken {
			t.Errorf("broken %v: the start gets %s: %s", isBroken, d.Verdict, d.Reason)
		}
		s, _ := p.Step(Session{ID: "s"}, ask)
		s, _ = p.Step(s, Event{Kind: AgentStart, Session: "s", Agent: Agent{ID: "d", Type: "dev"}})
		s, d = with(s, Event{Kind: AgentStop, Session: "s", Agent: Agent{ID: "d", Type: "dev"}, Text: "done"})
		if (s.Machine.State == "A") != isBroken {
			t.Errorf("broken %v: in %s; %s", isBroken, s.Machine.State, strings.Join(d.Notes, "; "))
		}
	}
}
