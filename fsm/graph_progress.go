package fsm

import (
	"fmt"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// begun, ended and freed follow an agent's part in the graph.
func (st *step) begun(r *Run) {
	if st.s.Tasks.Progress == nil || r.Quarantined != "" {
		return
	}
	if g, ok := st.graph(); ok {
		pr := g.Start(*st.s.Tasks.Progress, st.partOf(r), r.ID, same)
		st.s.Tasks.Progress = &pr
	}
}

// partOf is the name by which the graph knows an agent: a teammate by its own.
func (st *step) partOf(r *Run) string {
	if r.Teammate && r.Name != "" {
		return r.Name
	}
	return r.Type
}

func (st *step) ended(r *Run, ok bool) {
	if st.s.Tasks.Progress != nil {
		pr := st.s.Tasks.Progress.Stop(r.ID, ok)
		st.s.Tasks.Progress = &pr
	}
}

func (st *step) freed(run string) {
	if st.s.Tasks.Progress != nil {
		pr := st.s.Tasks.Progress.Lose(run)
		st.s.Tasks.Progress = &pr
	}
}

// freeAll gives back what was taken of the graph by whoever ran before the session began anew: a fork takes over how far
// its parent has come, but not who is at work there.
func (st *step) freeAll() {
	if st.s.Tasks.Progress == nil {
		return
	}
	for _, run := range st.s.Tasks.Progress.Live() {
		st.freed(run)
	}
}

// leftOver says what of the graph is not done.
func leftOver(g tasks.Graph, pr tasks.Progress) string {
	left := g.Left(pr)
	if len(left) == 0 {
		return ""
	}
	text := fmt.Sprintf("%d of %d phases of the plan are not done: %s", len(left), len(g.Phases), short(strings.Join(left, ", "), 300))
	if ready := names(g, g.Ready(pr)); len(ready) > 0 {
		text += "; ready now: " + short(strings.Join(ready, ", "), 200)
	}
	return text + "."
}
