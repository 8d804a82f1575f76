package fsm

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// TasksCapture is the name under which the text of the task graph is kept.
const TasksCapture = "tasks"

// Where a graph may come from.
const (
	FromAgent = "agent"
	FromPlan  = "plan"
	FromHost  = "host"
)

// currentGraph is the session's task graph, and the progress in it. Without one, or with one that cannot be read,
// agents have no order.
func (mv mover) currentGraph() (g tasks.Graph, pr tasks.Progress, ok bool) {
	if mv.s.Progress == nil {
		return g, pr, false
	}
	current, mistakes, found := tasks.ReadGraph(mv.e.Facts.Captured[TasksCapture])
	if !found || tasks.HasErrors(mistakes) {
		mv.note("the task graph cannot be read: it has no effect")
		return g, pr, false
	}
	return current, *mv.s.Progress, true
}

// adoptGraph makes a graph the session's. Capture names the text that it was read from, if that is
// kept: they go together.
func (mv mover) adoptGraph(g tasks.Graph, source, capture string) {
	text := g.Encode()
	mv.s.Tasks.Capture = capture
	if pr := mv.s.Progress; pr != nil && pr.Graph == hashText(text) {
		return
	}
	old, pr, _ := mv.currentGraph()
	mv.storeGraph(g, tasks.CarryProgress(old, g, pr), text)
	mv.note("the task graph of %s is in force: %d phases", source, len(g.Phases))
}

func (mv mover) storeGraph(g tasks.Graph, pr tasks.Progress, text string) {
	if len(g.Phases) == 0 {
		mv.s.dropGraph()
		return
	}
	pr.Graph = hashText(text)
	mv.s.Progress = &pr
	mv.capture(TasksCapture, mv.keepText(text, ""), text)
}

// readFile takes the graph from the file that the config names, whenever the file has
// changed. A plan that comes later by another way holds until the next change. The main
// agent gets the mistakes, to fix them.
func (mv mover) readFile() {
	text := mv.e.Facts.Graph
	key := promptKey(text)
	if text == "" || mv.s.GraphFile == key {
		return
	}
	mv.s.GraphFile = key
	file, message := mv.p.Tasks.Graph, ""
	switch g, mistakes, found := mv.readGraph(text, mv.s.State, true); {
	case !found:
		message = "There is no task graph in " + file + ": neither JSON nor a ```json block with \"phases\"."
	case mistakes != "":
		message = graphMistakes("The task graph in "+file, mistakes)
		mv.note("the task graph in %s has mistakes: the one before stays", file)
	default:
		mv.adoptGraph(g, file, "")
	}
	if mv.e.Agent.IsMain() {
		mv.inject(message)
	} else {
		mv.queueNotice(PendingNotice{Why: message})
	}
}

// readMessage reads the graph in an agent's final message, or without an agent in an approved plan, as readGraph
// does.
func (mv mover) readMessage(r *Run, text, at string, runs bool) (g tasks.Graph, mistakes string) {
	t := mv.p.Tasks
	if r != nil && (!mv.p.takesGraphFrom(FromAgent) || r.Teammate ||
		len(t.Agents) > 0 && !MatchAgent(t.Agents, r.Type)) {
		return g, ""
	}
	g, mistakes, _ = mv.readGraph(text, at, runs)
	return g, mistakes
}

// adoptMessage makes the graph in a text the session's that moved the machine: in an agent's final message, or
// without an agent in a plan that the user has approved. A text that takes the place of the one with the graph
// takes its graph's place too.
func (mv mover) adoptMessage(r *Run, text, capture string, moved bool) {
	if r == nil && !mv.p.takesGraphFrom(FromPlan) {
		return
	}
	g, mistakes := mv.readMessage(r, text, mv.s.State, !moved)
	source := "the approved plan"
	switch {
	case r != nil:
		source = "agent " + r.Type
		if mistakes != "" {
			why := graphMistakes("The task graph of "+source, short(mistakes, 300))
			mv.queueNotice(PendingNotice{Why: why})
		}
	case mistakes != "":
		mv.inject(graphMistakes("The task graph in "+source, mistakes))
	}
	switch {
	case mistakes == "" && len(g.Phases) > 0:
		mv.adoptGraph(g, source, capture)
	case capture != "" && capture == mv.s.Tasks.Capture:
		mv.s.dropGraph()
	}
}

// takeHostTask takes up a change of the host's own tasks: for what is open, and for the
// graph, if that is made of them.
func (mv mover) takeHostTask(t tasks.HostTask) {
	open := &mv.s.Tasks.Open
	isMeant := func(o OpenTask) bool { return o.ID == t.ID }
	switch i := slices.IndexFunc(*open, isMeant); {
	case t.Status == "completed" || t.Status == "deleted":
		*open = slices.DeleteFunc(*open, isMeant)
	case i < 0:
		mv.s.Tasks.addOpen(t.ID, t.Subject)
	case i < maxSubjects && t.Subject != "":
		(*open)[i].Subject = shortSubject(t.Subject)
	}
	if !mv.p.takesGraphFrom(FromHost) {
		return
	}
	g, pr, _ := mv.currentGraph()
	if mv.s.Progress != nil && g.Source != tasks.FromHost {
		return // a plan holds over the list that is kept of it
	}
	g, pr, mistakes := tasks.AmendGraph(g, pr, t)
	if tasks.HasErrors(mistakes) {
		mv.inject(graphMistakes("The task list", tasks.DescribeMistakes(mistakes, 400)))
	}
	mv.storeGraph(g, pr, g.Encode())
}

// beginPhase notes in the graph that an agent has begun its phase. A teammate stands there
// by its own name.
func (mv mover) beginPhase(r *Run) {
	if r.Quarantined != "" {
		return
	}
	name := r.Type
	if r.Teammate && r.Name != "" {
		name = r.Name
	}
	if g, pr, ok := mv.currentGraph(); ok {
		pr = g.Start(pr, name, r.ID, NamesAgent)
		mv.s.Progress = &pr
	}
}

// whyWaits is why the graph does not let an agent start yet; empty if it does.
func (mv mover) whyWaits(start Start, agent string) string {
	if start.How != ByAgent && start.How != BySkill ||
		start.How == ByAgent && start.Name != "" && mv.s.hasTeam() {
		return ""
	}
	g, pr, _ := mv.currentGraph()
	pending := mv.s.listRuns(func(r Run) bool { return sameAgent(r.Type, agent) && mv.isExpected(r) })
	o := g.MayStart(pr, agent, len(pending), NamesAgent)
	if len(o.First) == 0 {
		return ""
	}
	// A graph that cannot be kept from here must not lock the session: the phases before this one are not done, no
	// agent runs, and the graph refuses every agent that could do them or lead to where they may run. A reset may have
	// brought that about, or an agent that led on too early. Without states every agent may start.
	if len(mv.p.States) > 0 && !slices.ContainsFunc(mv.s.Runs, Run.isActive) {
		f := mv.newForecast(g, pr, mv.s.State, true)
		if mv.s.Worked {
			f.reachState(mv.state().OnStop)
		}
		if f.run(); !f.isFree(o.Phase) {
			mv.note("no agent could start if the plan's order applied here: it does not bind agent %s",
				short(agent, 60))
			return ""
		}
	}
	text := fmt.Sprintf("Agent %q has its turn in phase %s of the plan, which waits for: %s.",
		short(agent, 60), short(g.Phases[o.Phase].String(), 60), listShort(o.First, 140))
	if ready := g.Describe(g.Ready(pr)); len(ready) > 0 {
		text += " Ready now: " + listShort(ready, 120) + "."
	}
	return text
}

// readGraph reads a task graph, and says what is wrong with it: phases that can never be done, too. A graph refuses
// agents whose turn is later, so the session would be stuck if no state admits the
// agent of an earlier phase. Its work begins in the state named, where agents may run already.
// Below strict such an agent may start all the same, and so it may while a person bypasses what
// states admit: then there is no mistake.
func (mv mover) readGraph(text, at string, runs bool) (g tasks.Graph, mistakes string, found bool) {
	g, all, found := tasks.ReadGraph(text)
	if g.Phases != nil && mv.level == Strict && g.Mode != tasks.Team && at != "" &&
		mv.findBypass(RulePipeline) == nil {
		old, pr, _ := mv.currentGraph()
		f := mv.newForecast(g, tasks.CarryProgress(old, g, pr), at, false)
		if runs {
			f.here = at
		}
		all = append(all, f.findMistakes()...)
	}
	if found && tasks.HasErrors(all) {
		mistakes = tasks.DescribeMistakes(all, 600)
	}
	return g, mistakes, found
}

// A forecast is how far the agents of a graph can come, and the machine with them, if
// all goes well. It assumes that an agent which may be able to start can start; what is
// then left over can certainly not be done. With certain it is the other way round.
type forecast struct {
	*Table
	tasks.Graph

	certain bool   // only agents that can certainly start count
	here    string // a state in which agents may already run; "" where it has just been entered
	reached []string
	doable  []bool // by phase
	done    []bool // by phase: it is done already
}

// newForecast begins in a state. What runs can be done, but not for certain.
func (mv mover) newForecast(g tasks.Graph, pr tasks.Progress, at string, certain bool) *forecast {
	f := &forecast{Table: mv.table(), Graph: g, certain: certain, reached: []string{at}}
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
		for i := range f.Phases {
			if !f.doable[i] && f.isFree(i) && len(f.findRefused(i)) == 0 {
				f.doable[i], again = true, true
			}
		}
		for n := 0; n < len(f.reached); n++ {
			state, works := f.reached[n], false
			for _, t := range f.List(state) { // the end of a turn comes after what may be worked here
				leads := !t.Helper && (state == f.here || slices.ContainsFunc(t.Agents, f.mayStart))
				switch t.Name {
				case TurnEnds:
					leads = works
				case PlanApproved:
					leads = !f.certain
				}
				if leads {
					f.reachState(t.To)
					works = works || t.isWork(state) || !f.certain
				}
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
		may = append(may, f.Next(s)...)
	}
	for i := range f.Phases {
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
	return !slices.ContainsFunc(f.Waits(tasks.Progress{}, phase), func(k int) bool { return !f.doable[k] })
}

// findRefused lists the agents of a phase that no reached state admits.
func (f *forecast) findRefused(phase int) []string {
	ph := f.Phases[phase]
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
			return slices.ContainsFunc(f.List(state),
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
	for i, ph := range f.Phases {
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
