package fsm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// A forecast is how far the agents of a graph can come, and the machine with them, if
// all goes well. It assumes that an agent which may be able to start can start; what is
// then left over can certainly not be done. With certain it is the other way round.
type forecast struct {
	table   *Table
	g       tasks.Graph
	certain bool   // only agents that can certainly start count
	here    string // a state in which agents may already run; "" where it has just been entered
	reached []string
	doable  []bool // by phase
	done    []bool // by phase: it is done already
}

// newForecast begins in a state. What runs can be done, but not for certain.
func (mv mover) newForecast(g tasks.Graph, pr tasks.Progress, at string, certain bool) *forecast {
	f := &forecast{table: mv.table(), g: g, certain: certain, reached: []string{at}}
	for i := range g.Phases {
		s := g.Status(pr, i)
		f.done = append(f.done, s == tasks.Done)
		f.doable = append(f.doable, s == tasks.Done || s == tasks.Running && !certain)
	}
	return f
}

// run goes as far as it can: it lets phases be done whose agents may start, and goes on to where a state leads by
// agents that may start in it.
func (f *forecast) run() {
	for again := true; again; {
		before := len(f.reached)
		again = false
		for i := range f.g.Phases {
			if !f.doable[i] && f.isFree(i) && len(f.findRefused(i)) == 0 {
				f.doable[i], again = true, true
			}
		}
		for n := 0; n < len(f.reached); n++ {
			state, works := f.reached[n], false
			in, _ := f.table.p.FindState(state)
			for _, t := range f.table.List(state) {
				if !t.Helper && (state == f.here || slices.ContainsFunc(t.Agents, f.mayStart)) {
					f.reachState(t.To)
					works = works || t.isWork(state) || !f.certain
				}
			}
			if works {
				f.reachState(in.OnStop)
			}
			if !f.certain {
				f.reachState(in.OnPlan)
			}
		}
		again = again || len(f.reached) > before
	}
}

// findMistakes names the agents because of which phases cannot be done.
func (f *forecast) findMistakes() (out []tasks.Mistake) {
	f.run()
	var may []string
	for _, s := range f.reached {
		may = append(may, f.table.Next(s)...)
	}
	for i := range f.g.Phases {
		if f.doable[i] || !f.isFree(i) {
			continue // a phase that waits for another is that one's mistake
		}
		for _, agent := range f.findRefused(i) {
			what := fmt.Sprintf("no state that the pipeline can reach by then admits agent %q", short(agent, 60))
			if len(may) > 0 {
				what += "; those that may run are " + listShort(unique(may), 160)
			}
			out = append(out, tasks.Mistake{Where: fmt.Sprintf("phases[%d].agent", i), What: what})
		}
	}
	return out
}

// isFree reports whether everything that a phase waits for can be done.
func (f *forecast) isFree(phase int) bool {
	return !slices.ContainsFunc(f.g.Waits(tasks.Progress{}, phase), func(k int) bool { return !f.doable[k] })
}

// findRefused lists the agents of a phase that no reached state admits.
func (f *forecast) findRefused(phase int) []string {
	ph := f.g.Phases[phase]
	var names []string
	if len(ph.Teammates) == 0 {
		names = []string{ph.Agent}
	}
	for _, m := range ph.Teammates {
		if m.Name == "" || f.certain {
			names = append(names, m.Agent)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool {
		isMeant := func(pattern string) bool { return mayBeSame(pattern, name) }
		return !f.certain && (name == "" || IsGlob(name)) || slices.ContainsFunc(f.reached, func(state string) bool {
			return slices.ContainsFunc(f.table.List(state),
				func(t Trigger) bool { return slices.ContainsFunc(t.Agents, isMeant) })
		})
	})
}

// mayBeSame: either name may be a pattern, or have a plugin's prefix.
func mayBeSame(a, b string) bool {
	a, b = a[strings.LastIndex(a, ":")+1:], b[strings.LastIndex(b, ":")+1:]
	return NamesAgent(a, b) || NamesAgent(b, a)
}

func (f *forecast) reachState(state string) {
	if state != "" && !slices.Contains(f.reached, state) {
		f.reached = append(f.reached, state)
	}
}

// mayStart reports whether the graph lets an agent of a pattern start at some time: it
// has no turn in the graph, or its turn comes. A pattern may also stand for agents
// without a turn.
func (f *forecast) mayStart(pattern string) bool {
	hasTurn, left := false, false
	for i, ph := range f.g.Phases {
		names := []string{ph.Agent}
		for _, m := range ph.Teammates {
			names = append(names, m.Agent, m.Name)
		}
		if !slices.ContainsFunc(names, func(n string) bool { return n != "" && mayBeSame(n, pattern) }) {
			continue
		}
		hasTurn = true
		if f.certain && f.done[i] {
			continue // an agent that has done its phase and has another waits for that
		}
		if left = true; f.isFree(i) {
			return true
		}
	}
	return !hasTurn || f.certain && !left || !f.certain && IsGlob(pattern)
}
