package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// agreed is a pipeline in which dev must finish with DONE and a file; the helper must too.
func agreed() *fsm.Policy {
	p := free()
	p.Initial = "A"
	p.Agents = []fsm.AgentInfo{{Name: "dev", Returns: `^DONE\|(?P<file>\S+)$`, Tries: 2},
		{Name: "helper", Returns: "^OK", Tries: 1}}
	p.States = []fsm.State{{Name: "A", Triggers: []fsm.Trigger{{Name: "helper", Agents: []string{"helper"}, To: "A",
		Helper: true}, {Name: "*", Agents: []string{"*"}, To: "B"}}},
		{Name: "B", Triggers: []fsm.Trigger{{Name: "*", Agents: []string{"*"}, To: "A"}}}}
	return p
}

func TestReturns(t *testing.T) {
	pl := begin(t, agreed()).asks(main(), "dev", "1").starts("d", "dev")
	pl.stops("d", "dev", "I am done.").held(fsm.RuleReturns,
		"Your final message does not have the agreed form. It must match this regular expression: ^DONE").in("A")
	pl.stops("d", "dev", "  DONE|out.txt\n").over().in("B").hears("")
	other := begin(t, agreed()).runs("x", "other", "I am done.").in("B")
	other.runs("y", "other", "again").in("A")
}

func TestReturnsAFileThatExists(t *testing.T) {
	p := agreed()
	for text, want := range map[string]string{"DONE|out.txt": "out.txt", " DONE|~/x\n": "~/x", "nothing": "",
		"DONE|": ""} {
		if got := p.FindReturnedFile("dev", text); got != want {
			t.Errorf("%q names %q, expected %q", text, got, want)
		}
	}
	p.Agents[0].Returns = `(?<file>\w+)` // as Go writes it since 1.22
	if p.FindReturnedFile("dev", "here") != "here" || p.FindReturnedFile("helper", "OK") != "" {
		t.Error("the file is not found")
	}
	pl := begin(t, agreed()).asks(main(), "dev", "1").starts("d", "dev")
	e := stopOf("d", "dev", "DONE|out.txt")
	e.Facts.Absent = "out.txt"
	pl.do(e).held(fsm.RuleReturns,
		"Your final message names the file out.txt, which does not exist. Write it, then finish with the same "+
			"message.").in("A")
	pl.stops("d", "dev", "DONE|out.txt").over().in("B")
}

// TestReturnsFailed: after so many times it counts as failed, and the main agent hears of it, also of a helper.
func TestReturnsFailed(t *testing.T) {
	pl := begin(t, agreed()).asks(main(), "dev", "1").starts("d", "dev").stops("d", "dev", "no").stops("d", "dev",
		"no").held(fsm.RuleReturns, "^DONE")
	pl.stops("d", "dev", "no").over().in("A")
	pl.result("dev", "1",
		"d").told(`Agent "dev" came back 3 times without the agreed form, so the pipeline stays in A.`)
	if r := pl.s.Agents.Runs[0]; r.Status != fsm.Failed {
		t.Errorf("%+v", r)
	}
	pl.asks(main(), "helper", "2").starts("h", "helper").stops("h", "helper", "no").held(fsm.RuleReturns,
		"^OK").stops("h", "helper", "no").over()
	pl.result("helper", "2", "h").told(`Agent "helper" came back 2 times without the agreed form: it counts as failed.`)
	plan := planned(t, from(fsm.FromAgent), plan)
	plan.p.Agents = []fsm.AgentInfo{{Name: "Explore", Returns: "^OK", Tries: 1}}
	plan.asks(main(), "Explore", "1").starts("e", "Explore").stops("e", "Explore", "no").stops("e", "Explore",
		"no").marks("x").asks(main(), "dev", "2").denied("look")
}

// TestReturnsBegin again for an agent that is woken, and hold for one that waited for an agent of its own.
func TestReturnsBegin(t *testing.T) {
	pl := begin(t, agreed()).asks(main(), "dev", "1").starts("d", "dev").stops("d", "dev", "no").stops("d", "dev",
		"no").stops("d", "dev", "no").over()
	wake := fsm.Tool{Name: "SendMessage", UseID: "w", Starts: &fsm.Start{How: fsm.ByMessage, Name: "d"}}
	pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: main(), Tool: wake}).passes().starts("d", "dev").stops("d", "dev",
		"no").held(fsm.RuleReturns, "^DONE")
	for text, want := range map[string]string{"no": "A", "DONE|x": "B"} {
		pl := begin(t, agreed()).asks(main(), "dev", "1").starts("d", "dev").asks(sub("d", "dev"), "other",
			"2").starts("o", "other")
		pl.stops("d", "dev", text).over().stops("o", "other", "y").ends().in(want)
	}
}

// TestReturnsOfAMate: a member of a team hands its work over in messages.
func TestReturnsOfAMate(t *testing.T) {
	pl := begin(t, agreed()).mate("dev", "ann").passes().starts("ann@team", "ann")
	pl.stops("ann@team", "ann", "I am idle.").over()
	if r := pl.s.Agents.Runs[0]; r.Type != "dev" || r.Status != fsm.Done {
		t.Errorf("%+v", r)
	}
}

func TestReturnsLevels(t *testing.T) {
	for level, tells := range map[fsm.Level]string{fsm.Observe: "",
		fsm.Guidance: "Agent dev: Your final message does not have the agreed form"} {
		p := agreed()
		p.Level = level
		pl := begin(t, p).asks(main(), "dev", "1").starts("d", "dev").stops("d", "dev",
			"no").over().in("B").noted("it came back with a flaw (returns)")
		if pl.d.StrictVerdict != fsm.Deny {
			t.Errorf("%s: strict would %s", level, pl.d.StrictVerdict)
		}
		pl.result("dev", "1", "d").told(tells)
	}
	for _, e := range []fsm.Event{{Late: true},
		{Facts: fsm.Facts{Overrides: fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1", Rule: fsm.RuleReturns}}}}}} {
		stop := stopOf("d", "dev", "no")
		stop.Late, stop.Facts = e.Late, e.Facts
		begin(t, agreed()).asks(main(), "dev", "1").starts("d", "dev").do(stop).over().in("B")
	}
}

// TestReturnsIsReported once to the main agent, and only of its own agents.
func TestReturnsIsReported(t *testing.T) {
	fails := func(pl *play, id, agent string) *play {
		for range 3 {
			pl.stops(id, agent, "no")
		}
		return pl
	}
	pl := fails(begin(t, agreed()).asks(main(), "dev", "1").starts("d", "dev"), "d", "dev").over()
	if n := len(pl.s.Talk.Notices); n != 1 {
		t.Errorf("of a worker: %+v", pl.s.Talk.Notices)
	}
	for _, agent := range []string{"dev", "helper"} {
		pl := begin(t, agreed()).asks(main(), "other", "1").starts("o", "other")
		fails(pl.asks(sub("o", "other"), agent, "2").starts("n", agent), "n", agent).over()
		if n := len(pl.s.Talk.Notices); pl.run("n").Status != fsm.Failed || n != 0 {
			t.Errorf("of an agent's %s: %+v", agent, pl.s.Talk.Notices)
		}
	}
}

// TestReturnsOfOneThatWaited: at its end the form counts where the level binds and nothing lifts it. A text that is
// lost completes nothing.
func TestReturnsOfOneThatWaited(t *testing.T) {
	waiting := func(level fsm.Level) *play {
		p := agreed()
		p.Level = level
		pl := begin(t, p).asks(main(), "dev", "1").starts("d", "dev")
		pl.asks(sub("d", "dev"), "other", "2").starts("o", "other")
		return pl.stops("d", "dev", "no").in("A").stops("o", "other", "y")
	}
	waiting(fsm.Strict).ends().in("A")
	waiting(fsm.Guidance).ends().in("B")
	waiting(fsm.Strict).ordered("", fsm.Bypass{Rule: fsm.RuleReturns}).ends().in("B")
	lost := waiting(fsm.Guidance)
	lost.s, lost.d = lost.p.Step(lost.s, fsm.Event{Kind: fsm.TurnStop, Session: "s1", Tasks: &fsm.Background{}})
	lost.in("A").noted("agent d (dev) left no text that could be found: it moves nothing")
}

// TestReturnsGraphs: a graph in the message of an agent that moves nothing any more is for where the machine stands,
// and where agents may run already.
func TestReturnsGraphs(t *testing.T) {
	move := func(agent, to string) fsm.Trigger { return fsm.Trigger{Name: agent, Agents: []string{agent}, To: to} }
	keeps := move("planner", "A")
	keeps.Capture = "plan"
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", Tasks: fsm.TaskSource{From: []string{fsm.FromAgent}},
		States: []fsm.State{{Name: "A", Triggers: []fsm.Trigger{keeps, move("lead", "B")}},
			{Name: "B", Triggers: []fsm.Trigger{move("maker", "B")}}}}
	const late = `{"phases":[{"id":"a","agent":"maker"},{"id":"b","agent":"lead","after":["a"]}]}`
	pl := begin(t, p).runs("p", "planner", "Words.").marks("none").starts("p", "planner")
	pl.stops("p", "planner", `{"phases":[{"id":"a","agent":"nobody"}]}`).held(fsm.RuleTasks, `admits agent "nobody"`)
	pl.stops("p", "planner", late).over().marks("").holds("plan", late)
}
