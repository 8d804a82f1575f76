package fsm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
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

func same(pattern, name string) bool { return MatchAgent([]string{pattern}, name) }

// graph is the session's task graph; none, or one that cannot be read, binds nobody.
func (st *step) graph() (tasks.Graph, bool) {
	if st.s.Tasks.Progress == nil {
		return tasks.Graph{}, false
	}
	g, mistakes, found := tasks.Read(st.e.Facts.Captured[TasksCapture])
	if !found || tasks.Wrong(mistakes) {
		st.d.note("the task graph cannot be read: it binds nobody")
		return tasks.Graph{}, false
	}
	return g, true
}

// takes reports whether graphs come from there.
func (p *Policy) takes(from string) bool { return slices.Contains(p.Tasks.From, from) }

// follows reports whether an event may concern the graph: then its text must be at hand.
func (p *Policy) follows(s Session, e Event) bool {
	switch e.Kind {
	case ToolRequest:
		return s.Tasks.Progress != nil && (e.Tool.Starts != nil || !e.Agent.IsMain() && s.run(e.Agent.ID) == nil)
	case ToolResult:
		return s.Tasks.Progress != nil && (e.Tool.Task != nil || e.Tool.Plan != "")
	case AgentStart, AgentStop, TurnStop, SessionStart, Prompt:
		return s.Tasks.Progress != nil
	}
	return false
}

// adopt puts a graph in force, with what was done of it before.
func (st *step) adopt(g tasks.Graph, whose string) {
	text, err := g.Encode()
	if err != nil {
		st.d.note("the task graph of " + whose + " cannot be kept: " + err.Error())
		return
	}
	sum := sha256.Sum256([]byte(text))
	hash := hex.EncodeToString(sum[:])
	pr := tasks.Progress{}
	if st.s.Tasks.Progress != nil && st.s.Tasks.Progress.Graph == hash {
		return
	}
	if old, ok := st.graph(); ok {
		pr = tasks.Carry(old, g, *st.s.Tasks.Progress)
	}
	st.store(g, pr, text, hash)
	st.d.note(fmt.Sprintf("the task graph of %s is in force: %d phases", whose, len(g.Phases)))
}

func (st *step) store(g tasks.Graph, pr tasks.Progress, text, hash string) {
	if len(g.Phases) == 0 {
		st.s.Tasks.Progress = nil
		delete(st.s.Machine.Captures, TasksCapture)
		return
	}
	pr.Graph = hash
	st.s.Tasks.Progress = &pr
	if st.s.Machine.Captures == nil {
		st.s.Machine.Captures = map[string]Ref{}
	}
	ref := Ref{Hash: hash, Size: len(text)}
	st.s.Machine.Captures[TasksCapture] = ref
	captured := map[string]string{} // the caller's map is not ours to write to; what is decided next goes by the new graph
	maps.Copy(captured, st.e.Facts.Captured)
	captured[TasksCapture] = text
	st.e.Facts.Captured = captured
	st.d.Texts = append(st.d.Texts, Text{ref, text})
}

// fromFile takes the graph from the file that the config names, whenever the file has changed: a plan that came later by
// another way holds until then. What is wrong in it is told to the main agent, which can mend it.
func (st *step) fromFile() {
	text := st.e.Facts.Graph
	key := promptKey(text)
	if text == "" || st.s.Tasks.GraphFile == key {
		return
	}
	st.s.Tasks.GraphFile = key
	switch g, mistakes, found := st.readGraph(text, nil); {
	case !found:
		st.tellMain(noGraph(st.p.Tasks.Graph))
	case tasks.Wrong(mistakes):
		st.tellMain(wrongGraph("The task graph in "+st.p.Tasks.Graph, tasks.Tell(mistakes, 600)))
		st.d.note("the task graph in " + st.p.Tasks.Graph + " has mistakes: the one before stays")
	default:
		st.adopt(g, st.p.Tasks.Graph)
	}
}

// tellMain tells the main agent at once if the event is its own, else as soon as it can be told.
func (st *step) tellMain(text string) {
	if st.e.Agent.IsMain() {
		st.inject(text)
	} else {
		st.owe(text)
	}
}

// fromMessage takes the graph from what an agent said last. The mistakes in it are for that agent, to mend its plan.
func (st *step) fromMessage(r *Run, text string) (g tasks.Graph, mistakes string) {
	if !st.p.takes(FromAgent) || r.Teammate || len(st.p.Tasks.Agents) > 0 && !MatchAgent(st.p.Tasks.Agents, r.Type) {
		return g, ""
	}
	g, all, found := st.readGraph(text, r)
	if found && tasks.Wrong(all) {
		return tasks.Graph{}, tasks.Tell(all, 600)
	}
	return g, ""
}

// planned takes the graph from a plan that the user has approved.
func (st *step) planned(plan string) {
	st.s.Tasks.Planned = true
	if !st.p.takes(FromPlan) {
		return
	}
	g, all, found := st.readGraph(plan, nil)
	switch {
	case !found:
	case tasks.Wrong(all):
		st.inject(wrongGraph("The task graph in the approved plan", tasks.Tell(all, 600)))
	default:
		st.adopt(g, "the approved plan")
	}
}

// before is why the graph does not let an agent start yet; empty if it does.
func (st *step) before(start Start, agent string) string {
	if start.How != ByAgent && start.How != BySkill || start.Name != "" && start.How == ByAgent && st.team() {
		return ""
	}
	g, ok := st.graph()
	if !ok {
		return ""
	}
	o := g.May(*st.s.Tasks.Progress, agent, st.letIn(agent), same)
	if len(o.First) == 0 {
		return ""
	}
	if st.locked(g, o.Phase) {
		st.d.note("nobody could start if the plan's order held here: it does not bind agent " + short(agent, 60))
		return ""
	}
	return notYet(agent, g.Phases[o.Phase].String(), o.First, names(g, g.Ready(*st.s.Tasks.Progress)))
}

// team reports whether a team is at work: its members order their work among themselves.
func (st *step) team() bool {
	return slices.ContainsFunc(st.s.Agents.Runs, func(r Run) bool { return r.Teammate && r.active() })
}

func (st *step) letIn(agent string) (n int) {
	for _, a := range st.s.Agents.Pending {
		if sameAgent(a.Type, agent) && st.expected(a) {
			n++
		}
	}
	return n
}

func names(g tasks.Graph, phases []int) (out []string) {
	for _, i := range phases {
		out = append(out, g.Phases[i].String())
	}
	return out
}
