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
	t.Run("a plan without a text", func(t *testing.T) {
		pl := begin(t, planning(t)).approves(main(), "", false).in("EXECUTING")
		if _, ok := pl.s.Machine.Captures["orchestration"]; ok {
			t.Error("nothing was captured")
		}
	})
}
