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

// A planner is the part of a step that concerns the task graph.
type planner struct{ *step }

// graph is the session's task graph. Without one, or with one that cannot be read,
// agents have no order.
func (st planner) graph() (tasks.Graph, bool) {
	if st.s.Tasks.Progress == nil {
		return tasks.Graph{}, false
	}
	g, mistakes, found := tasks.Read(st.e.Facts.Captured[TasksCapture])
	if !found || tasks.Wrong(mistakes) {
		st.d.note("the task graph cannot be read: it has no effect")
		return tasks.Graph{}, false
	}
	return g, true
}

// carry is what is done of a new graph, by the progress in the present one.
func (st planner) carry(g tasks.Graph) tasks.Progress {
	if old, ok := st.graph(); ok {
		return tasks.Carry(old, g, *st.s.Tasks.Progress)
	}
	return tasks.Progress{}
}

// adopt makes a graph the session's.
func (st planner) adopt(g tasks.Graph, source string) {
	text, err := g.Encode()
	if err != nil {
		st.d.note("the task graph of " + source + " cannot be kept: " + err.Error())
		return
	}
	if pr := st.s.Tasks.Progress; pr != nil && pr.Graph == hashText(text) {
		return
	}
	st.store(g, st.carry(g), text)
	st.d.note(fmt.Sprintf("the task graph of %s is in force: %d phases", source, len(g.Phases)))
}

func (st planner) store(g tasks.Graph, pr tasks.Progress, text string) {
	if len(g.Phases) == 0 {
		st.s.Tasks.Progress = nil
		delete(st.s.Machine.Captures, TasksCapture)
		return
	}
	pr.Graph = hashText(text)
	st.s.Tasks.Progress = &pr
	ref := Ref{Hash: pr.Graph, Size: len(text)}
	st.s.Machine.setCapture(TasksCapture, ref)
	st.addCaptured(TasksCapture, text)
	st.d.Texts = append(st.d.Texts, Text{ref, text})
}

// readFile takes the graph from the file that the config names, whenever the file has
// changed. A plan that comes later by another way holds until the next change. The main
// agent gets the mistakes, to fix them.
func (st planner) readFile() {
	text := st.e.Facts.Graph
	key := promptKey(text)
	if text == "" || st.s.Tasks.GraphFile == key {
		return
	}
	st.s.Tasks.GraphFile = key
	file, message := st.p.Tasks.Graph, ""
	switch g, mistakes, found := st.read(text, nil); {
	case !found:
		message = noGraphIn(file)
	case tasks.Wrong(mistakes):
		message = graphMistakes("The task graph in "+file, tasks.Tell(mistakes, 600))
		st.d.note("the task graph in " + file + " has mistakes: the one before stays")
	default:
		st.adopt(g, file)
	}
	if st.e.Agent.IsMain() {
		st.d.inject(message)
	} else if message != "" {
		st.s.Talk.queueNotice(message)
	}
}

// readMessage reads the graph in an agent's final message. The mistakes are for that
// agent, to fix its plan.
func (st planner) readMessage(r *Run, text string) (g tasks.Graph, mistakes string) {
	t := st.p.Tasks
	if !st.p.takesGraphFrom(FromAgent) || r.Teammate || len(t.Agents) > 0 && !MatchAgent(t.Agents, r.Type) {
		return g, ""
	}
	g, all, found := st.read(text, r)
	if found && tasks.Wrong(all) {
		return tasks.Graph{}, tasks.Tell(all, 600)
	}
	return g, ""
}

// adoptMessage makes the graph in an agent's final message the session's.
func (st planner) adoptMessage(r *Run, text string) {
	if g, mistakes := st.readMessage(r, text); mistakes != "" {
		st.s.Talk.queueNotice(graphMistakes("The task graph of agent "+r.Type, short(mistakes, 300)))
	} else if len(g.Phases) > 0 {
		st.adopt(g, "agent "+r.Type)
	}
}

// takePlan takes the graph from a plan that the user has approved.
func (st planner) takePlan(plan string) {
	st.s.Tasks.Planned = true
	if !st.p.takesGraphFrom(FromPlan) {
		return
	}
	switch g, mistakes, found := st.read(plan, nil); {
	case !found:
	case tasks.Wrong(mistakes):
		st.d.inject(graphMistakes("The task graph in the approved plan", tasks.Tell(mistakes, 600)))
	default:
		st.adopt(g, "the approved plan")
	}
}

// takeHostTask takes up a change of the host's own tasks: for what is open, and for the
// graph, if that is made of them.
func (st planner) takeHostTask(t tasks.HostTask) {
	st.s.Tasks.updateOpen(t)
	if !st.p.takesGraphFrom(FromHost) {
		return
	}
	g, pr := tasks.Graph{}, tasks.Progress{}
	if st.s.Tasks.Progress != nil {
		old, ok := st.graph()
		if !ok || old.Source != tasks.FromHost {
			return // a plan holds over the list that is kept of it
		}
		g, pr = old, *st.s.Tasks.Progress
	}
	g, pr, mistakes := tasks.Amend(g, pr, t)
	if tasks.Wrong(mistakes) {
		st.d.inject(graphMistakes("The task list", tasks.Tell(mistakes, 400)))
	}
	text, err := g.Encode()
	if err != nil {
		st.d.note("the host's tasks cannot be kept: " + err.Error())
		return
	}
	st.store(g, pr, text)
}

// begin notes in the graph that an agent has begun its phase. A teammate stands there
// by its own name.
func (st planner) begin(r *Run) {
	if st.s.Tasks.Progress == nil || r.Quarantined != "" {
		return
	}
	name := r.Type
	if r.Teammate && r.Name != "" {
		name = r.Name
	}
	if g, ok := st.graph(); ok {
		pr := g.Start(*st.s.Tasks.Progress, name, r.ID, matchOne)
		st.s.Tasks.Progress = &pr
	}
}

// whyWaits is why the graph does not let an agent start yet; empty if it does.
func (st planner) whyWaits(start Start, agent string) string {
	if start.How != ByAgent && start.How != BySkill ||
		start.How == ByAgent && start.Name != "" && st.s.Agents.hasTeam() {
		return ""
	}
	g, ok := st.graph()
	if !ok {
		return ""
	}
	pending := 0
	for _, a := range st.s.Agents.Pending {
		if sameAgent(a.Type, agent) && st.isExpected(a) {
			pending++
		}
	}
	o := g.May(*st.s.Tasks.Progress, agent, pending, matchOne)
	if len(o.First) == 0 {
		return ""
	}
	if st.isLocked(g, o.Phase) {
		st.d.note("no agent could start if the plan's order applied here: it does not bind agent " + short(agent, 60))
		return ""
	}
	return waitsInPlan(agent, g.Phases[o.Phase].String(), o.First, phaseNames(g, g.Ready(*st.s.Tasks.Progress)))
}

func phaseNames(g tasks.Graph, phases []int) (out []string) {
	for _, i := range phases {
		out = append(out, g.Phases[i].String())
	}
	return out
}

// read reads a task graph and adds the phases that can never be done. A graph refuses
// agents whose turn is later, so the session would be stuck if no state admits the
// agent of an earlier phase. The graph may come from a run that is about to complete,
// which moves the machine first. Below strict such an agent may start all the same, and
// so it may while a person bypasses what states admit: then there is no mistake.
func (st planner) read(text string, from *Run) (tasks.Graph, []tasks.Mistake, bool) {
	g, all, found := tasks.Read(text)
	_, bypassed := st.findBypass(RulePipeline)
	here := st.s.Machine.State
	if !found || tasks.Wrong(all) || st.level < Strict || bypassed || g.Mode == tasks.Team || here == "" {
		return g, all, found
	}
	f := forecast{p: st.p, g: g, here: here, reached: []string{here}, doable: make([]bool, len(g.Phases))}
	if from != nil && from.isActive() && st.mayMove(from) {
		if t, ok := st.findMatchingTrigger(from, text); ok && t.To != here {
			f.reached, f.here = []string{t.To}, ""
		}
	}
	pr := st.carry(g)
	for i := range g.Phases {
		s := g.Status(pr, i)
		f.doable[i] = s == tasks.Done || s == tasks.Running
	}
	return g, append(all, f.findMistakes()...), found
}

// isLocked reports whether the graph cannot be kept from here: the phases before this
// one are not done, no agent runs, and the graph refuses every agent that could do them
// or lead to where they may run. A reset may have brought that about, or an agent that
// led on too early. Such a graph must not lock the session.
func (st *situation) isLocked(g tasks.Graph, phase int) bool {
	if len(st.p.States) == 0 || st.s.Agents.isBusy() { // without states every agent may start
		return false
	}
	f := forecast{p: st.p, g: g, certain: true, reached: []string{st.s.Machine.State},
		doable: make([]bool, len(g.Phases))}
	for i := range g.Phases {
		f.doable[i] = g.Status(*st.s.Tasks.Progress, i) == tasks.Done
	}
	f.done = slices.Clone(f.doable)
	if st.s.Machine.Worked {
		f.reach(st.state().OnStop)
	}
	f.run()
	return !f.isFree(phase)
}
