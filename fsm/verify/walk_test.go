package verify_test

import (
	"fmt"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A walker finds out by force what a policy comes to: it plays every agent with every message, event by event, in every
// session that differs in what the next event may depend on.
type walker struct {
	p    *fsm.Policy
	seen map[string]fsm.Session
	todo []fsm.Session
	way  map[[2]string]fsm.Verdict // between states: the most lenient answer to the start
	dead map[string]bool           // states in which some agent could start none
	work map[string]fsm.Verdict    // the most lenient answer to the start of who works in a state and stays
	ids  int
}

func walk(p *fsm.Policy) *walker {
	w := &walker{p: p, seen: map[string]fsm.Session{}, way: map[[2]string]fsm.Verdict{}, dead: map[string]bool{},
		work: map[string]fsm.Verdict{}}
	s, _ := p.Step(fsm.Session{}, fsm.Event{Kind: fsm.SessionStart, Session: "s", Source: "startup"})
	w.meet(s)
	for len(w.todo) > 0 {
		s, w.todo = w.todo[0], w.todo[1:]
		w.from(s)
	}
	return w
}

// meet keeps a session to go on from, unless one like it is known.
func (w *walker) meet(s fsm.Session) {
	key := fmt.Sprint(s.Machine.State, s.Machine.Worked, s.Budgets.Recent)
	for _, r := range w.p.Main.List {
		for _, b := range s.Budgets.Uses {
			if b.Rule == r.Name {
				key += fmt.Sprint(" ", b.Rule, b.Used)
			}
		}
	}
	if _, known := w.seen[key]; !known {
		w.seen[key] = s
		w.todo = append(w.todo, s)
	}
}

// from plays all that the main agent can do next.
func (w *walker) from(s fsm.Session) {
	started := false
	for _, agent := range everybody() {
		for _, text := range w.texts(s.Machine.State) {
			w.ids++
			if after, v := w.plays(s, agent, text, fmt.Sprint("a", w.ids)); v < fsm.Deny {
				started = true
				w.goes(s, after, v)
				if after.Machine.State == s.Machine.State && after.Machine.Worked && !s.Machine.Worked {
					w.work[s.Machine.State] = min(v, w.works(s.Machine.State))
				}
			}
		}
	}
	after, _ := w.p.Step(s, fsm.Event{Kind: fsm.TurnStop, Session: "s", Tasks: &fsm.Background{}})
	w.goes(s, after, w.works(s.Machine.State))
	if st := w.p.FindState(s.Machine.State); len(st.Triggers) > 0 {
		w.dead[s.Machine.State] = w.dead[s.Machine.State] || !started
	}
}

// texts are the messages that a state tells apart.
func (w *walker) texts(state string) []string {
	in := w.p.FindState(state)
	if slices.ContainsFunc(in.Triggers, func(t fsm.Trigger) bool { return t.Says != "" }) {
		return []string{"done", "yes", "no"}
	}
	return []string{"done"}
}

// works is the answer to the start of those who can work in a state and stay.
func (w *walker) works(state string) fsm.Verdict {
	if v, ok := w.work[state]; ok {
		return v
	}
	return fsm.Deny
}

func (w *walker) goes(from, to fsm.Session, v fsm.Verdict) {
	key := [2]string{from.Machine.State, to.Machine.State}
	if old, ok := w.way[key]; !ok || v < old {
		w.way[key] = v
	}
	w.meet(to)
}

// plays an agent from its request to its result.
func (w *walker) plays(s fsm.Session, agent, text, id string) (fsm.Session, fsm.Verdict) {
	tool := start(agent, "use-"+id)
	s, d := w.p.Step(s, fsm.Event{Kind: fsm.ToolRequest, Session: "s", Tool: tool})
	if d.Verdict == fsm.Deny {
		return s, fsm.Deny
	}
	who := fsm.Agent{ID: id, Type: agent}
	s, _ = w.p.Step(s, fsm.Event{Kind: fsm.AgentStart, Session: "s", Agent: who})
	s, _ = w.p.Step(s, fsm.Event{Kind: fsm.AgentStop, Session: "s", Agent: who, Text: text})
	tool.Result = fsm.Result{AgentID: id, Done: true}
	s, _ = w.p.Step(s, fsm.Event{Kind: fsm.ToolResult, Session: "s", Tool: tool})
	return s, d.Verdict
}

func start(agent, use string) fsm.Tool {
	return fsm.Tool{Name: "Agent", UseID: use, Parts: []fsm.Part{{Tool: "Agent"}},
		Input:  map[string]string{"subagent_type": agent},
		Starts: &fsm.Start{How: fsm.ByAgent, Type: agent}}
}

func (w *walker) states() (out []string) {
	for _, s := range w.seen {
		if !slices.Contains(out, s.Machine.State) {
			out = append(out, s.Machine.State)
		}
	}
	return out
}

// distance is how many moves a state is away from another; -1 where it cannot be reached.
func (w *walker) distance(from string, to ...string) int {
	far := map[string]int{from: 0}
	for queue := []string{from}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		if slices.Contains(to, at) {
			return far[at]
		}
		for way := range w.way {
			if _, been := far[way[1]]; way[0] == at && !been {
				far[way[1]] = far[at] + 1
				queue = append(queue, way[1])
			}
		}
	}
	return -1
}
