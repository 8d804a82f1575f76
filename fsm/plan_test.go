package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// planning is the default table, in which an approved plan leads from IDLE to EXECUTING.
func planning(t *testing.T) *fsm.Policy {
	p := *states(t)
	p.States = append([]fsm.State(nil), p.States...)
	for i := range p.States {
		switch st := &p.States[i]; st.Name {
		case "IDLE":
			st.OnPlan, st.Capture = "EXECUTING", "orchestration"
		case "EXECUTING":
			st.Inject = "Do it: {{ .Context.orchestration }}"
		}
	}
	return &p
}

// approves is the result of a call that shows a plan.
func (pl *play) approves(by fsm.Agent, plan string, unasked bool) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: by,
		Tool: fsm.Tool{Name: "ExitPlanMode", UseID: "p", Planned: true, Plan: plan, Unasked: unasked}})
}

func TestApprovedPlan(t *testing.T) {
	pl := begin(t, planning(t)).approves(main(), "first this, then that", false).in("EXECUTING")
	pl.told("Do it: first this, then that").holds("orchestration", "first this, then that")
	want := fsm.Move{Trigger: fsm.PlanApproved, From: "IDLE", To: "EXECUTING", Capture: "orchestration"}
	if len(pl.d.Moves) != 1 || pl.d.Moves[0] != want || len(pl.d.Notes) > 0 {
		t.Errorf("recorded %+v; %q", pl.d.Moves, pl.d.Notes)
	}
	pl.asks(main(), "bash-developer", "1").passes().starts("b", "bash-developer").told("first this, then that")
	pl.stops("b", "bash-developer", "done").used("Read").ends().in("COMPLETE")

	t.Run("what moves nothing", func(t *testing.T) {
		begin(t, planning(t)).approves(main(), "x", true).in("IDLE").noted("did not ask")
		begin(t, planning(t)).approves(sub("a", "Plan"), "x", false).in("IDLE")
		begin(t, planning(t)).used("ExitPlanMode").in("IDLE") // only the host's word counts
		begin(t, planning(t)).do(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "ExitPlanMode", UseID: "p",
			Parts: []fsm.Part{{Tool: "ExitPlanMode"}}}}).in("IDLE")
		begin(t, states(t)).approves(main(), "x", false).in("IDLE")
		begin(t, planning(t)).executing().approves(main(), "x", false).in("EXECUTING")
	})
	t.Run("beside what was captured before", func(t *testing.T) {
		p := planning(t)
		for i := range p.States {
			if st := &p.States[i]; st.Name == "GATHERING" {
				st.OnPlan, st.Capture = "EXECUTING", "orchestration"
			} else if st.Name == "EXECUTING" {
				st.Inject = "After {{ .Context.gathered }}: {{ .Context.orchestration }}"
			}
		}
		begin(t, p).runs("g", "context-gatherer", "found").approves(main(), "a plan",
			false).in("EXECUTING").told("After found: a plan")
	})
	t.Run("a state that keeps no plan", func(t *testing.T) {
		p := planning(t)
		for i := range p.States {
			p.States[i].Capture = ""
		}
		if pl := begin(t, p).approves(main(), "x", false).in("EXECUTING"); len(pl.s.Machine.Captures) > 0 {
			t.Errorf("%v", pl.s.Machine.Captures)
		}
	})
	t.Run("a plan without a text", func(t *testing.T) {
		pl := begin(t, planning(t)).approves(main(), "", false).in("EXECUTING")
		if _, ok := pl.s.Machine.Captures["orchestration"]; ok {
			t.Error("nothing was captured")
		}
	})
}
