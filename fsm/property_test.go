package fsm_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
)

var names = []string{"gatherer", "refiner", "planner", "bash-dev", "c-dev", "helper"}

// hasMoved reports whether the state has changed.
func hasMoved(d fsm.Decision) bool {
	return slices.ContainsFunc(d.Moves, func(m fsm.Move) bool { return m.From != m.To })
}

// somePolicy draws a pipeline of a few states, with every kind of trigger.
func somePolicy(t *rapid.T) *fsm.Policy {
	p := &fsm.Policy{Initial: "Q0", Fails: []string{"^API Error"}, Fingerprint: "x",
		Level: fsm.Level(rapid.IntRange(int(fsm.Observe), int(fsm.Strict)).Draw(t, "level"))}
	n := rapid.IntRange(1, 4).Draw(t, "states")
	state := func(label string) string { return fmt.Sprint("Q", rapid.IntRange(0, n-1).Draw(t, label)) }
	for i := range n {
		st := fsm.State{Name: fmt.Sprint("Q", i), Inject: "say", Brief: "brief {{ .Context.c }}"}
		for _, agent := range rapid.SliceOfNDistinct(rapid.SampledFrom(append(names, "bash-*")), 1, 4,
			rapid.ID[string]).Draw(t, "agents") {
			st.Triggers = append(st.Triggers, fsm.Trigger{Name: agent, Agents: []string{agent}, To: state("to"),
				Capture: "c"})
		}
		if rapid.Bool().Draw(t, "stops") {
			st.OnStop = state("on stop")
		}
		p.States = append(p.States, st)
	}
	return p
}

// someEvent draws anything a host may send, in any order, lost, doubled or late.
func someEvent(t *rapid.T, n int) fsm.Event {
	id := fmt.Sprint("a", rapid.IntRange(0, 5).Draw(t, "id"))
	name := rapid.SampledFrom(append(names, "", "stranger", "Bash_Dev")).Draw(t, "name")
	e := fsm.Event{Kind: rapid.SampledFrom(fsm.Kinds()[:14]).Draw(t, "kind"),
		Session: "s", Time: time.Unix(int64(n), 0).UTC(), Text: rapid.SampledFrom([]string{"", "done",
			"API Error"}).Draw(t, "text"),
		Source: rapid.SampledFrom([]string{"startup", "resume", "clear"}).Draw(t, "source"),
		Origin: rapid.SampledFrom([]fsm.Origin{fsm.Person, fsm.Notification}).Draw(t, "origin"),
		Notice: fsm.Notice{Task: id, Status: rapid.SampledFrom([]string{"completed", "killed"}).Draw(t, "status")}}
	if rapid.Bool().Draw(t, "by a subagent") || e.Kind == fsm.AgentStart || e.Kind == fsm.AgentStop ||
		e.Kind == fsm.AgentFailure {
		e.Agent = sub(id, name)
	}
	if e.Kind == fsm.ToolRequest || e.Kind == fsm.ToolResult || e.Kind == fsm.ToolFailure {
		how := rapid.SampledFrom([]fsm.How{fsm.ByAgent, fsm.ByAgent, fsm.BySkill, fsm.ByWorkflow,
			fsm.ByMessage}).Draw(t, "how")
		e.Tool = agentTool(name, fmt.Sprint("u", rapid.IntRange(0, 3).Draw(t, "use")))
		e.Tool.Starts.How, e.Tool.Starts.Name = how, id
		e.Tool.Result = fsm.Result{AgentID: id, Done: rapid.Bool().Draw(t, "done")}
	}
	if rapid.Bool().Draw(t, "tasks") {
		e.Tasks = &fsm.Background{IDs: rapid.SliceOfN(rapid.SampledFrom([]string{"a0", "a1", "a2"}), 0, 2).Draw(t,
			"running")}
	}
	return e
}

func TestStepHolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := somePolicy(t)
		var s fsm.Session
		for n := range rapid.IntRange(1, 60).Draw(t, "events") {
			e := someEvent(t, n)
			e.Facts.Captured = map[string]string{"c": "kept"}
			before := written(t, s)
			after, d := p.Step(s, e)
			if before != written(t, s) {
				t.Fatalf("%s changed the session it was given", e.Kind)
			}
			check(t, p, s, after, e, d)
			s = after
		}
	})
}

func check(t *rapid.T, p *fsm.Policy, before, s fsm.Session, e fsm.Event, d fsm.Decision) {
	if p.FindState(s.Machine.State).Name == "" {
		t.Fatalf("%s led to %q, which is no state", e.Kind, s.Machine.State)
	}
	if p.Level <= fsm.Guidance && d.Verdict > fsm.Warn {
		t.Fatalf("%s stops a call: %s", p.Level, d.Reason)
	}
	if d.Verdict > d.StrictVerdict {
		t.Fatalf("%s is stricter than strict: %s", p.Level, d.Verdict)
	}
	if d.Verdict > fsm.Pass && (d.Reason == "" || d.Rule == "") {
		t.Fatalf("%s objects without a word", e.Kind)
	}
	if before.ID != "" && before.Machine.State != s.Machine.State && !hasMoved(d) {
		t.Fatalf("%s moved from %s to %s and does not say so", e.Kind, before.Machine.State, s.Machine.State)
	}
	if hasMoved(d) && e.Kind != fsm.AgentStop && e.Kind != fsm.TurnStop && e.Kind != fsm.Prompt {
		t.Fatalf("%s is no evidence that anything was completed", e.Kind)
	}
	if hasMoved(d) && e.Kind == fsm.Prompt && e.Origin == fsm.Person {
		t.Fatal("a person's prompt moved the machine")
	}
	remedies(t, p, s, d)
}

// remedies: what a denial proposes may be done at once, so there is always a legal next move.
func remedies(t *rapid.T, p *fsm.Policy, s fsm.Session, d fsm.Decision) {
	next := p.NewTable().Next(s.Machine.State)
	if len(next) == 0 {
		t.Fatalf("no way on from %s", s.Machine.State)
	}
	for _, agent := range next {
		if fsm.IsGlob(agent) {
			agent = "bash-anything"
		}
		e := fsm.Event{Kind: fsm.ToolRequest, Session: "s", Tool: agentTool(agent, "remedy")}
		if _, answer := p.Step(s, e); answer.Verdict != fsm.Pass {
			t.Fatalf("%q proposes %s, which is refused: %s", d.Reason, agent, answer.Reason)
		}
	}
}

// TestRandomWalkCompletes: from wherever a random session has come to, the shipped pipeline can be walked to its end.
func TestRandomWalkCompletes(t *testing.T) {
	p := states(t)
	rapid.Check(t, func(rt *rapid.T) {
		pl := begin(t, p)
		for n := range rapid.IntRange(0, 30).Draw(rt, "events") {
			e := someEvent(rt, n)
			e.Time = time.Time{}
			pl.do(e)
		}
		pl.ends().do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"})
		pl.runs("w1", "context-gatherer", "found").in("GATHERING").runs("w2", "context-refiner", "refined").
			runs("w3", "strategic-orchestrator", "plan").in("EXECUTING").runs("w4", "c-developer",
			"done").ends().in("COMPLETE")
	})
}

func TestNextIsSortedByUse(t *testing.T) {
	p := states(t)
	if got := p.NewTable().Next("REFINING"); !slices.Equal(got,
		[]string{"strategic-orchestrator", "context-refiner", "context-gatherer", "Explore", "Plan",
			"general-purpose"}) {
		t.Errorf("%q", got)
	}
	p = &fsm.Policy{Initial: "A", States: []fsm.State{{Name: "A"}, {Name: "B", Triggers: []fsm.Trigger{
		{Name: "helper", Agents: []string{"helper"}, To: "B", Helper: true},
		{Name: "back", Agents: []string{"back"}, To: "A"},
		{Name: "works", Agents: []string{"works"}, To: "B"},
		{Name: "on", Agents: []string{"on"}, To: "C"}}}, {Name: "C"}}}
	if got := p.NewTable().Next("B"); !slices.Equal(got, []string{"on", "works", "back", "helper"}) {
		t.Errorf("%q", got)
	}
}
