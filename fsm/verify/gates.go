package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// gated finds states that are left, and ends that are reached, only if a gate's command succeeds. That may well be what
// is meant; but while the command fails the pipeline stays where it is.
func gated(x *explored) []Finding {
	var out []Finding
	for _, name := range x.order {
		open, gates := x.exits(name)
		if open || len(gates) == 0 {
			continue
		}
		out = append(out, Finding{Severity: Note, Where: gates[0].Place, Names: []string{name}, Trace: x.trace[name],
			Text: fmt.Sprintf("state %s is left only if %s", name, succeed(gates)),
			Hint: "while it fails, pipeline reset --to STATE leads out, and pipeline bypass on --rule gate lifts it"})
	}
	return out
}

// exits are the ways out of a state: whether one has no gate, and the triggers of those that have.
func (x *explored) exits(state string) (open bool, gates []fsm.Trigger) {
	for _, agent := range x.candidates(state) {
		if x.easiest(x.fresh(state), agent) == fsm.Deny {
			continue
		}
		for _, l := range x.p.FindLeads(state, agent) {
			known := slices.ContainsFunc(gates, func(t fsm.Trigger) bool { return t.Name == l.Trigger.Name })
			switch {
			case l.Trigger.Gate == nil && l.To != state, l.Trigger.Gate == nil && !l.Trigger.Helper && x.state(state).OnStop != "":
				return true, nil
			case l.Trigger.Gate != nil && !known && (l.To != state || x.state(state).OnStop != ""):
				gates = append(gates, l.Trigger)
			}
		}
	}
	return false, gates
}

func succeed(gates []fsm.Trigger) string {
	var runs []string
	for _, t := range gates {
		if run := fmt.Sprintf("`%s`", t.Gate.Run); !slices.Contains(runs, run) {
			runs = append(runs, run)
		}
	}
	return strings.Join(runs, " or ") + " succeeds"
}
