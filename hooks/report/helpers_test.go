package report

import (
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

// A writer makes a journal, a record a minute.
type writer struct {
	testing.TB
	j     *journal.Journal
	state fsm.Session
	now   time.Time
	step  time.Duration
	use   int
}

// kept is a store of one session, and what writes its journal.
func kept(t testing.TB, id string) (session.Store, *writer) {
	store := session.Store{Dir: t.TempDir()}
	return store, inside(t, store, id)
}

func inside(t testing.TB, store session.Store, id string) *writer {
	t.Helper()
	if err := os.MkdirAll(store.Path(id), 0o700); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(store.Path(id))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return &writer{TB: t, j: j, state: fsm.Session{ID: id, Machine: fsm.Machine{State: "IDLE", Visit: 1}}, now: noon,
		step: time.Minute}
}

func (w *writer) add(r journal.Record) *writer {
	w.Helper()
	if r.Level == "" {
		r.Level = "strict"
	}
	r.Event.Time, r.State, r.Policy = w.now, w.state, "29576c901ca4"
	w.now = w.now.Add(w.step)
	if err := w.j.Append(&r, false); err != nil {
		w.Fatal(err)
	}
	return w
}

func (w *writer) kind(k fsm.Kind) *writer { return w.add(journal.Record{Event: fsm.Event{Kind: k}}) }

// asks adds a tool request; of the main agent if agent is empty.
func (w *writer) asks(agent, tool string, with journal.Record, parts ...fsm.Part) *writer {
	w.use++
	with.Event.Kind, with.Event.Tool.Name, with.Role = fsm.ToolRequest, tool, "orchestrator"
	if with.Event.Tool.UseID == "" {
		with.Event.Tool.UseID = fmt.Sprint("use", w.use)
	}
	if agent != "" {
		with.Event.Agent.ID, with.Event.Agent.Type, with.Role = agent, "c-developer", "subagent"
	}
	with.Event.Dir, with.Event.Tool.Parts = "/p", parts
	return w.add(with)
}

func reads(path string) fsm.Part { return fsm.Part{Tool: "Read", Path: path} }

func runs(words ...string) fsm.Part { return fsm.Part{Tool: "Bash", Words: words} }

func denied(rule string) journal.Record {
	return journal.Record{Verdict: "deny", Rule: rule, RuleType: "T_" + rule, Where: "pipeline.yaml:7",
		Reason: `No. Delegate it: Agent(subagent_type="c-developer", prompt="…").`, Proposed: "c-developer"}
}

func starts(agent, state string) journal.Record {
	r := denied("pipeline")
	r.Event.Tool.Starts = &fsm.Start{How: fsm.ByAgent, Type: agent}
	return r
}

// begins adds an agent's start.
func (w *writer) begins(id, agent string) *writer {
	w.state.Agents.Runs = append(w.state.Agents.Runs,
		fsm.Run{ID: id, Type: agent, How: fsm.ByAgent, Visit: w.state.Machine.Visit, Status: fsm.Running})
	return w.add(journal.Record{Event: fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: id, Type: agent}}})
}

// stops adds an agent's stop, how it ended, and where that moved the machine.
func (w *writer) stops(id string, how fsm.Status, to string) *writer {
	agents := append([]fsm.Run{}, w.state.Agents.Runs...)
	r := journal.Record{Event: fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: id}}}
	for i := range agents {
		if agents[i].ID == id {
			agents[i].Status = how
			r.Event.Agent.Type = agents[i].Type
		}
	}
	w.state.Agents.Runs = agents
	return w.moves(r, r.Event.Agent.Type, to)
}

func (w *writer) moves(r journal.Record, trigger, to string) *writer {
	if to != "" {
		r.Moves = []fsm.Move{{Trigger: trigger, Agent: r.Event.Agent.Type, AgentID: r.Event.Agent.ID,
			From: w.state.Machine.State, To: to}}
		w.state.Machine.State = to
		w.state.Machine.Visit++
	}
	return w.add(r)
}

// life is a session with a bit of everything.
func life(w *writer) {
	w.kind(fsm.SessionStart).kind(fsm.Prompt)
	w.asks("", "Read", journal.Record{}, reads("/p/a.go")).asks("", "Read", denied("read-budget"), reads("/p/a.go"))
	w.asks("", "Agent", starts("c-developer", "IDLE"), fsm.Part{Tool: "Agent"})
	w.asks("", "Agent", journal.Record{Event: fsm.Event{Tool: fsm.Tool{Starts: &fsm.Start{How: fsm.ByAgent,
		Type: "context-gatherer"}}}}, fsm.Part{Tool: "Agent"})
	w.begins("a1", "context-gatherer").asks("a1", "Read", journal.Record{}, reads("/p/b.go")).stops("a1", fsm.Done,
		"GATHERING")
	w.asks("", "Bash", denied("no-building"), runs("git", "push")).asks("", "Bash", denied("no-building"),
		runs("git", "push"))
	w.begins("a2", "c-developer").begins("a3", "c-developer")
	w.asks("a2", "Edit", journal.Record{}, fsm.Part{Tool: "Edit", Path: "/p/a.go"}).asks("a3", "Bash",
		journal.Record{}, runs("make"))
	w.stops("a2", fsm.Done, "").stops("a3", fsm.Failed, "")
	w.moves(journal.Record{Event: fsm.Event{Kind: fsm.TurnStop}}, fsm.TurnEnds, "COMPLETE")
	w.kind(fsm.SessionEnd)
}
