package fsm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// readGraph reads a task graph and adds the phases that can never be done: a graph that is in force refuses who has a
// later turn in it, and nobody could go on where the earlier turn is that of an agent whom no state lets in. The graph
// may come from a run that is about to complete, which moves the machine first. Below strict such an agent may start all
// the same, and so it may while a person has lifted what states admit: then nothing is said.
func (st *step) readGraph(text string, from *Run) (tasks.Graph, []tasks.Mistake, bool) {
	g, all, found := tasks.Read(text)
	_, lifted := st.lifted(RulePipeline)
	if !found || tasks.Wrong(all) || st.d.Level < Strict || lifted || g.Mode == tasks.Team || st.s.Machine.State == "" {
		return g, all, found
	}
	w := way{p: st.p, g: g, here: st.s.Machine.State, doable: make([]bool, len(g.Phases))}
	if from != nil && from.active() {
		if to := st.leads(from, text); to != w.here {
			w.reached, w.here = []string{to}, ""
		}
	}
	if w.here != "" {
		w.reached = []string{w.here}
	}
	pr := tasks.Progress{}
	if old, ok := st.graph(); ok {
		pr = tasks.Carry(old, g, *st.s.Tasks.Progress)
	}
	for i := range g.Phases {
		s := g.Status(pr, i)
		w.doable[i] = s == tasks.Done || s == tasks.Running
	}
	return g, append(all, w.mistakes()...), found
}

// leads is where the completion of a run leads, as far as its message tells.
func (st *step) leads(r *Run, text string) string {
	in := st.state()
	if r.By != "" || r.Fired || r.Visit != st.s.Machine.Visit || r.Epoch != st.s.Machine.Epoch {
		return in.Name
	}
	for _, t := range in.Triggers {
		if MatchAgent(t.Agents, r.Type) && says(t, text) == nil {
			return t.To
		}
	}
	return in.Name
}

// locked reports whether the graph cannot be kept from here: the phases before this one are not done, nobody is at work,
// and whoever could do them or lead to where they may run is among those that the graph refuses. A person's reset, or an
// agent that led on too early, may have brought that about. Such a graph must not lock the session.
func (st *step) locked(g tasks.Graph, phase int) bool {
	if len(st.p.States) == 0 || st.s.busy() { // without states everybody may start
		return false
	}
	w := way{p: st.p, g: g, sure: true, reached: []string{st.s.Machine.State}, doable: make([]bool, len(g.Phases))}
	for i := range g.Phases {
		w.doable[i] = g.Status(*st.s.Tasks.Progress, i) == tasks.Done
	}
	w.over = slices.Clone(w.doable)
	if st.s.Machine.Worked {
		w.reach(st.state().OnStop)
	}
	w.run()
	return !w.free(phase)
}

// A way is how far the agents of a graph can come, and the machine with them, if all goes well. Whoever may be able to
// start is taken to be able to: what is then left over can certainly not be done. Or the other way round: only who is
// certain to be able to is.
type way struct {
	p       *Policy
	g       tasks.Graph
	sure    bool   // only what is certain counts
	here    string // a state in which agents may already be at work; "" where it has just been entered
	reached []string
	doable  []bool // by phase
	over    []bool // by phase: it is done already; nil where that does not matter
}

// run goes as far as it can.
func (w *way) run() {
	for before := -1; before != w.far(); {
		before = w.far()
		for i := range w.g.Phases {
			w.doable[i] = w.doable[i] || w.free(i) && len(w.barred(i)) == 0
		}
		for n := 0; n < len(w.reached); n++ {
			w.follow(w.reached[n])
		}
	}
}

// mistakes names what is left.
func (w *way) mistakes() (out []tasks.Mistake) {
	w.run()
	for i := range w.g.Phases {
		if w.doable[i] || !w.free(i) {
			continue // where it waits for another the mistake is that one's
		}
		for _, agent := range w.barred(i) {
			out = append(out, tasks.Mistake{Where: fmt.Sprintf("phases[%d].agent", i), What: w.why(agent)})
		}
	}
	return out
}

func (w *way) far() (n int) {
	for _, done := range w.doable {
		if done {
			n++
		}
	}
	return n + len(w.reached)
}

// free reports whether all that a phase waits for can be done.
func (w *way) free(phase int) bool {
	return !slices.ContainsFunc(w.g.Waits(tasks.Progress{}, phase), func(k int) bool { return !w.doable[k] })
}

// barred are the agents of a phase whom no state that is reached lets in.
func (w *way) barred(phase int) (out []string) {
	ph := w.g.Phases[phase]
	var names []string
	if len(ph.Teammates) == 0 {
		names = []string{ph.Agent}
	}
	for _, m := range ph.Teammates {
		if m.Name == "" || w.sure {
			names = append(names, m.Agent)
		}
	}
	for _, name := range names {
		if (w.sure || name != "" && !IsGlob(name)) && !slices.ContainsFunc(w.reached, func(s string) bool { return w.lets(s, name) }) {
			out = append(out, name)
		}
	}
	return out
}

// lets reports whether a state may let an agent of this name in. A plugin's prefix may stand on either side, and so may a
// pattern.
func (w *way) lets(state, name string) bool {
	in, _ := w.p.FindState(state)
	return slices.ContainsFunc(in.Triggers, func(t Trigger) bool {
		return slices.ContainsFunc(t.Agents, func(p string) bool { return matchOne(base(p), base(name)) || matchOne(base(name), base(p)) })
	})
}

func base(name string) string { return name[strings.LastIndex(name, ":")+1:] }

// follow goes on to where a state leads by agents that may start in it.
func (w *way) follow(state string) {
	in, _ := w.p.FindState(state)
	works := false
	for _, t := range in.Triggers {
		if !t.Helper && (state == w.here || slices.ContainsFunc(t.Agents, w.starts)) {
			w.reach(t.To)
			works = works || t.To == state || !w.sure
		}
	}
	if works {
		w.reach(in.OnStop)
	}
}

func (w *way) reach(state string) {
	if state != "" && !slices.Contains(w.reached, state) {
		w.reached = append(w.reached, state)
	}
}

// starts reports whether the graph lets an agent of a pattern start at some time: one that has no turn in it, or whose
// turn comes. Of a pattern there may be agents that have none.
func (w *way) starts(pattern string) bool {
	bound, left := false, false
	for i, ph := range w.g.Phases {
		names := []string{ph.Agent}
		for _, m := range ph.Teammates {
			names = append(names, m.Agent, m.Name)
		}
		if !slices.ContainsFunc(names, func(n string) bool {
			return n != "" && (matchOne(base(n), base(pattern)) || matchOne(base(pattern), base(n)))
		}) {
			continue
		}
		bound = true
		if w.sure && w.over[i] {
			continue // who has done his part and has another waits for that
		}
		if left = true; w.free(i) {
			return true
		}
	}
	return !bound || w.sure && !left || !w.sure && IsGlob(pattern)
}

// why says what is wrong with an agent, and who might do instead.
func (w *way) why(agent string) string {
	var may []string
	for _, s := range w.reached {
		for _, a := range w.p.NextAgents(s) {
			if !slices.Contains(may, a) {
				may = append(may, a)
			}
		}
	}
	text := fmt.Sprintf("no state that the pipeline can come to by then lets agent %q in", short(agent, 60))
	if len(may) > 0 {
		text += "; those that may run are " + short(strings.Join(may, ", "), 160)
	}
	return text
}
