package fsm

import (
	"fmt"
	"slices"

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

// currentGraph is the session's task graph. Without one, or with one that cannot be read,
// agents have no order.
func (pl planner) currentGraph() (tasks.Graph, bool) {
	if pl.s.Tasks.Progress == nil {
		return tasks.Graph{}, false
	}
	g, mistakes, found := tasks.ReadGraph(pl.e.Facts.Captured[TasksCapture])
	if !found || tasks.HasErrors(mistakes) {
		pl.d.note("the task graph cannot be read: it has no effect")
		return tasks.Graph{}, false
	}
	return g, true
}

// carryProgress is what is done of a new graph, by the progress in the present one.
func (pl planner) carryProgress(g tasks.Graph) tasks.Progress {
	if old, ok := pl.currentGraph(); ok {
		return tasks.CarryProgress(old, g, *pl.s.Tasks.Progress)
	}
	return tasks.Progress{}
}

// adoptGraph makes a graph the session's. Capture names the text that it was read from, if that is
// kept: they go together.
func (pl planner) adoptGraph(g tasks.Graph, source, capture string) {
	text := g.Encode()
	pl.s.Tasks.Capture = capture
	if pr := pl.s.Tasks.Progress; pr != nil && pr.Graph == hashText(text) {
		return
	}
	pl.storeGraph(g, pl.carryProgress(g), text)
	pl.d.note(fmt.Sprintf("the task graph of %s is in force: %d phases", source, len(g.Phases)))
}

func (pl planner) storeGraph(g tasks.Graph, pr tasks.Progress, text string) {
	if len(g.Phases) == 0 {
		pl.s.dropGraph()
		return
	}
	pr.Graph = hashText(text)
	pl.s.Tasks.Progress = &pr
	ref := Ref{Hash: pr.Graph, Size: len(text)}
	pl.s.Machine.setCapture(TasksCapture, ref)
	pl.addCaptured(TasksCapture, text)
	pl.d.Texts = append(pl.d.Texts, Text{ref, text})
}

// readFile takes the graph from the file that the config names, whenever the file has
// changed. A plan that comes later by another way holds until the next change. The main
// agent gets the mistakes, to fix them.
func (pl planner) readFile() {
	text := pl.e.Facts.Graph
	key := promptKey(text)
	if text == "" || pl.s.Tasks.GraphFile == key {
		return
	}
	pl.s.Tasks.GraphFile = key
	file, message := pl.p.Tasks.Graph, ""
	switch g, mistakes, found := pl.readGraph(text, pl.s.Machine.State, true); {
	case !found:
		message = "There is no task graph in " + file + ": neither JSON nor a ```json block with \"phases\"."
	case mistakes != "":
		message = graphMistakes("The task graph in "+file, mistakes)
		pl.d.note("the task graph in " + file + " has mistakes: the one before stays")
	default:
		pl.adoptGraph(g, file, "")
	}
	if pl.e.Agent.IsMain() {
		pl.d.inject(message)
	} else {
		pl.s.Talk.queueNotice(PendingNotice{Why: message})
	}
}

// findMistakes says what is wrong with the graph in the final message of an agent that is about to
// complete, for that agent to fix its plan. By then the machine may stand elsewhere.
func (pl planner) findMistakes(r *Run, text string) string {
	at, runs := pl.s.Machine.State, true
	if leads := pl.mover().listMatching(r, text); r.isActive() && pl.mover().mayMove(r) && len(leads) > 0 {
		at, runs = leads[0].To, leads[0].To == at
	}
	_, mistakes, _ := pl.readMessage(r, text, at, runs)
	return mistakes
}

// readMessage reads the graph in an agent's final message, or without an agent in an approved plan, as readGraph
// does.
func (pl planner) readMessage(r *Run, text, at string, runs bool) (g tasks.Graph, mistakes string, found bool) {
	t := pl.p.Tasks
	if r != nil && (!pl.p.takesGraphFrom(FromAgent) || r.Teammate ||
		len(t.Agents) > 0 && !MatchAgent(t.Agents, r.Type)) {
		return g, "", false
	}
	return pl.readGraph(text, at, runs)
}

// adoptMessage makes the graph in a text the session's that moved the machine: in an agent's final message, or
// without an agent in a plan that the user has approved. A text that takes the place of the one with the graph
// takes its graph's place too.
func (pl planner) adoptMessage(r *Run, text, capture string, moved bool) {
	if r == nil && !pl.p.takesGraphFrom(FromPlan) {
		return
	}
	g, mistakes, _ := pl.readMessage(r, text, pl.s.Machine.State, !moved)
	source := "the approved plan"
	switch {
	case r != nil:
		source = "agent " + r.Type
		if mistakes != "" {
			why := graphMistakes("The task graph of "+source, short(mistakes, 300))
			pl.s.Talk.queueNotice(PendingNotice{Why: why})
		}
	case mistakes != "":
		pl.d.inject(graphMistakes("The task graph in "+source, mistakes))
	}
	switch {
	case mistakes == "" && len(g.Phases) > 0:
		pl.adoptGraph(g, source, capture)
	case capture != "" && capture == pl.s.Tasks.Capture:
		pl.s.dropGraph()
	}
}

// takeHostTask takes up a change of the host's own tasks: for what is open, and for the
// graph, if that is made of them.
func (pl planner) takeHostTask(t tasks.HostTask) {
	pl.s.Tasks.updateOpen(t)
	if !pl.p.takesGraphFrom(FromHost) {
		return
	}
	g, pr := tasks.Graph{}, tasks.Progress{}
	if pl.s.Tasks.Progress != nil {
		old, ok := pl.currentGraph()
		if !ok || old.Source != tasks.FromHost {
			return // a plan holds over the list that is kept of it
		}
		g, pr = old, *pl.s.Tasks.Progress
	}
	g, pr, mistakes := tasks.AmendGraph(g, pr, t)
	if tasks.HasErrors(mistakes) {
		pl.d.inject(graphMistakes("The task list", tasks.DescribeMistakes(mistakes, 400)))
	}
	pl.storeGraph(g, pr, g.Encode())
}

// beginPhase notes in the graph that an agent has begun its phase. A teammate stands there
// by its own name.
func (pl planner) beginPhase(r *Run) {
	if pl.s.Tasks.Progress == nil || r.Quarantined != "" {
		return
	}
	name := r.Type
	if r.Teammate && r.Name != "" {
		name = r.Name
	}
	if g, ok := pl.currentGraph(); ok {
		pr := g.Start(*pl.s.Tasks.Progress, name, r.ID, NamesAgent)
		pl.s.Tasks.Progress = &pr
	}
}

// whyWaits is why the graph does not let an agent start yet; empty if it does.
func (pl planner) whyWaits(start Start, agent string) string {
	if start.How != ByAgent && start.How != BySkill ||
		start.How == ByAgent && start.Name != "" && pl.s.Agents.hasTeam() {
		return ""
	}
	g, ok := pl.currentGraph()
	if !ok {
		return ""
	}
	pending := 0
	for _, r := range pl.s.Agents.Runs {
		if sameAgent(r.Type, agent) && pl.isExpected(r) {
			pending++
		}
	}
	o := g.MayStart(*pl.s.Tasks.Progress, agent, pending, NamesAgent)
	if len(o.First) == 0 {
		return ""
	}
	if pl.isLocked(g, o.Phase) {
		pl.d.note("no agent could start if the plan's order applied here: it does not bind agent " + short(agent, 60))
		return ""
	}
	text := fmt.Sprintf("Agent %q has its turn in phase %s of the plan, which waits for: %s.",
		short(agent, 60), short(g.Phases[o.Phase].String(), 60), listShort(o.First, 140))
	if ready := phaseNames(g, g.Ready(*pl.s.Tasks.Progress)); len(ready) > 0 {
		text += " Ready now: " + listShort(ready, 120) + "."
	}
	return text
}

func phaseNames(g tasks.Graph, phases []int) (out []string) {
	for _, i := range phases {
		out = append(out, g.Phases[i].String())
	}
	return out
}

// readGraph reads a task graph, and says what is wrong with it: phases that can never be done, too. A graph refuses
// agents whose turn is later, so the session would be stuck if no state admits the
// agent of an earlier phase. Its work begins in the state named, where agents may run already.
// Below strict such an agent may start all the same, and so it may while a person bypasses what
// states admit: then there is no mistake.
func (pl planner) readGraph(text, at string, runs bool) (g tasks.Graph, mistakes string, found bool) {
	g, all, found := tasks.ReadGraph(text)
	_, bypassed := pl.findBypass(RulePipeline)
	if found && !tasks.HasErrors(all) && pl.level == Strict && !bypassed && g.Mode != tasks.Team && at != "" {
		f := forecast{table: pl.table(), g: g, reached: []string{at}, doable: make([]bool, len(g.Phases))}
		if runs {
			f.here = at
		}
		pr := pl.carryProgress(g)
		for i := range g.Phases {
			s := g.Status(pr, i)
			f.doable[i] = s == tasks.Done || s == tasks.Running
		}
		all = append(all, f.findMistakes()...)
	}
	if found && tasks.HasErrors(all) {
		mistakes = tasks.DescribeMistakes(all, 600)
	}
	return g, mistakes, found
}

// isLocked reports whether the graph cannot be kept from here: the phases before this
// one are not done, no agent runs, and the graph refuses every agent that could do them
// or lead to where they may run. A reset may have brought that about, or an agent that
// led on too early. Such a graph must not lock the session.
func (st *situation) isLocked(g tasks.Graph, phase int) bool {
	if len(st.p.States) == 0 || slices.ContainsFunc(st.s.Agents.Runs, Run.isActive) {
		return false // without states every agent may start
	}
	f := forecast{table: st.table(), g: g, certain: true, reached: []string{st.s.Machine.State},
		doable: make([]bool, len(g.Phases))}
	for i := range g.Phases {
		f.doable[i] = g.Status(*st.s.Tasks.Progress, i) == tasks.Done
	}
	f.done = slices.Clone(f.doable)
	if st.s.Machine.Worked {
		f.reachState(st.state().OnStop)
	}
	f.run()
	return !f.isFree(phase)
}
