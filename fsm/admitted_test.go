package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestAdmittedIn: what an agent may do depends on the state that let it start. It neither widens
// nor vanishes when the session moves on while the agent works.
func TestAdmittedIn(t *testing.T) {
	p := states(t)
	p.Subagents.List = []fsm.Rule{{Name: "early", Verdict: fsm.Deny, Tools: []string{"Write"},
		AdmittedIn: []string{"IDLE", "GATHERING", "REFINING"}}}
	pl := begin(t, p).runs("g", "context-gatherer", "found")
	pl.asks(main(), "Explore", "e").passes().starts("x", "Explore")
	pl.runs("r", "context-refiner", "refined").runs("o", "strategic-orchestrator", "plan").in("EXECUTING")
	pl.uses(sub("x", "Explore"), "Write").denied(`agent "Explore" that started in GATHERING`)
	pl.asks(main(), "bash-developer", "b").passes().starts("y", "bash-developer")
	pl.uses(sub("y", "bash-developer"), "Write").passes()
	pl.runs("g2", "context-gatherer", "a new task").in("GATHERING")
	pl.uses(sub("y", "bash-developer"), "Write").passes() // it is still at work
	pl.asks(main(), "Plan", "q").passes().starts("q", "Plan")
	pl.uses(sub("q", "Plan"), "Write").denied("started in GATHERING")
}
