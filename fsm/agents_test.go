package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestStartingMovesNothing(t *testing.T) {
	defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer").in("IDLE").ends("g").in("IDLE")
}

func TestWhatMovesNothing(t *testing.T) {
	started := func(t *testing.T) *play {
		return defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	}
	t.Run("an empty message", func(t *testing.T) {
		started(t).stops("g", "context-gatherer", " \n").in("IDLE").noted("returned nothing").
			result("context-gatherer", "1", "g").told("stays in IDLE")
	})
	for _, text := range []string{"API Error: 400", "Error: no such file", "BLOCKED: I may not"} {
		t.Run(text, func(t *testing.T) {
			started(t).stops("g", "context-gatherer", text).in("IDLE").noted("failure").says("?").told("stays in IDLE")
		})
	}
	t.Run("an API error", func(t *testing.T) { // 2.1.197: StopFailure, then the call "completes"
		started(t).do(fsm.Event{Kind: fsm.AgentFailure, Agent: sub("g", "context-gatherer")}).in("IDLE").
			result("context-gatherer", "1", "g").in("IDLE").told("stays in IDLE")
	})
	t.Run("a failed call", func(t *testing.T) { // 2.1.329: PostToolUseFailure(Agent)
		pl := started(t).do(fsm.Event{Kind: fsm.ToolFailure,
			Tool: agentTool("context-gatherer", "1")}).in("IDLE").noted("failed")
		pl.ends().in("IDLE")
	})
	t.Run("cut short", func(t *testing.T) { // maxTurns: the call completes and there was no SubagentStop
		started(t).result("context-gatherer", "1", "g").in("IDLE").told("cut short")
	})
	t.Run("killed", func(t *testing.T) {
		started(t).notified("g", "killed").in("IDLE").told("was killed")
	})
	t.Run("stopped by TaskStop", func(t *testing.T) {
		started(t).do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "TaskStop",
			Result: fsm.Result{Task: "g"}}}).in("IDLE").noted("it was stopped")
	})
	t.Run("a phantom of the compaction", func(t *testing.T) {
		started(t).stops("unknown", "", "<summary>").in("IDLE").noted("phantom")
	})
	t.Run("one that no one started", func(t *testing.T) {
		defaults(t).stops("ghost", "context-gatherer", "found").in("IDLE").noted("phantom")
	})
	t.Run("one that an agent started", func(t *testing.T) {
		pl := defaults(t).runs("g", "context-gatherer", "found").asks(main(), "general-purpose", "1").starts("p",
			"general-purpose")
		pl.asks(sub("p", "general-purpose"), "context-refiner", "2").passes().starts("r", "context-refiner")
		pl.stops("r", "context-refiner", "refined").in("GATHERING").noted("not started by the main agent")
	})
	t.Run("a helper", func(t *testing.T) {
		defaults(t).runs("g", "context-gatherer", "found").runs("e", "Explore",
			"looked").in("GATHERING").holds("gathered", "found")
	})
}

func TestStartMissedButOnDisk(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "1")
	pl.spawn = &fsm.Spawn{Type: "context-gatherer", UseID: "1", Depth: 1}
	pl.stops("g", "context-gatherer", "found").in("GATHERING").noted("was not seen to start")
}

// TestParentage: the host's files correct what we guessed when two callers asked for the same type at once.
func TestParentage(t *testing.T) {
	for _, mine := range []string{"r1", "r2"} { // we guess r1
		pl := defaults(t).runs("g", "context-gatherer", "found").asks(main(), "general-purpose", "1").starts("p",
			"general-purpose")
		pl.asks(sub("p", "general-purpose"), "context-refiner", "2").asks(main(), "context-refiner", "3")
		pl.starts("r1", "context-refiner").starts("r2", "context-refiner")
		pl.spawn = &fsm.Spawn{Type: "context-refiner", UseID: "2", ParentID: "p", Depth: 2}
		pl.stops(map[string]string{"r1": "r2", "r2": "r1"}[mine], "context-refiner", "nested").in("GATHERING")
		pl.spawn = &fsm.Spawn{Type: "context-refiner", UseID: "3", Depth: 1}
		pl.stops(mine, "context-refiner", "mine").in("REFINING").holds("refined", "mine")
	}
}

func TestTwoAtOnce(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "1").asks(main(), "context-gatherer", "2")
	pl.starts("a", "context-gatherer").starts("b", "context-gatherer")
	pl.stops("b", "context-gatherer", "first").in("GATHERING").stops("a", "context-gatherer",
		"second").in("GATHERING").noted("late")
	pl.holds("gathered", "first")
}

// TestResultsNameTheirAgents: of two agents of one type the results tell which call started which, in whatever order
// they start.
func TestResultsNameTheirAgents(t *testing.T) {
	for _, order := range [][2]string{{"first", "second"}, {"second", "first"}} {
		pl := defaults(t).executing().asks(main(), "bash-developer", "1").asks(main(), "bash-developer", "2")
		pl.starts(order[0], "bash-developer").starts(order[1], "bash-developer")
		pl.launched("bash-developer", "2", "second").launched("bash-developer", "1", "first")
		if a, b := pl.run("first").UseID, pl.run("second").UseID; a != "1" || b != "2" {
			t.Errorf("%s starts first: the first is call %q, the second %q", order[0], a, b)
		}
	}
}

func TestSameIDAgain(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "v1").in("GATHERING")
	pl.starts("g", "context-gatherer").stops("g", "context-gatherer", "v2").in("GATHERING").holds("gathered",
		"v2").noted("replaces")
	pl.runs("r", "context-refiner", "refined").starts("g", "context-gatherer").stops("g", "context-gatherer", "v3")
	pl.in("REFINING").holds("gathered", "v3").holds("refined", "refined")
	if pl.s.Machine.Moves != 2 {
		t.Errorf("%d firings, expected 2", pl.s.Machine.Moves)
	}
}

// TestChildStillRuns: 2.1.329 in the TUI wakes the parent; with -p it does not, and notifies the main agent.
func TestChildStillRuns(t *testing.T) {
	nested := func(t *testing.T) *play {
		pl := defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
		pl.s.Agents.Runs = append(pl.s.Agents.Runs, fsm.Run{ID: "c", Type: "Explore", By: "g", Status: fsm.Running})
		return pl.stops("g", "context-gatherer", "for now").in("IDLE").noted("an agent of its own runs")
	}
	t.Run("woken", func(t *testing.T) {
		nested(t).stops("c", "Explore", "looked").starts("g", "context-gatherer").stops("g", "context-gatherer",
			"whole").
			in("GATHERING").holds("gathered", "whole")
	})
	t.Run("notified", func(t *testing.T) {
		nested(t).stops("c", "Explore", "looked").notified("g", "completed").in("GATHERING").holds("gathered",
			"for now")
	})
	t.Run("notified too early", func(t *testing.T) { // its own agent runs still
		nested(t).notified("g", "completed").in("IDLE").stops("c", "Explore", "looked").notified("g",
			"completed").in("GATHERING")
	})
	t.Run("notified before it stops", func(t *testing.T) {
		pl := defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer").notified("g",
			"completed").in("IDLE")
		pl.stops("g", "context-gatherer", "found").in("GATHERING")
	})
	t.Run("killed when it had ended", func(t *testing.T) {
		pl := defaults(t).runs("g", "context-gatherer", "found").notified("g", "killed")
		if r := pl.s.Agents.Runs[0]; r.Status != fsm.Done {
			t.Errorf("its status is %s", r.Status)
		}
	})
	t.Run("delivered by the notification", func(t *testing.T) {
		pl := nested(t).stops("c", "Explore", "looked").notified("g", "completed")
		if r := pl.s.Agents.Runs[0]; r.Status != fsm.Done || !r.Delivered {
			t.Errorf("%+v", r)
		}
	})
	t.Run("at the turn's end", func(t *testing.T) {
		nested(t).ends("c", "g").in("IDLE").ends("c").in("IDLE").stops("c", "Explore",
			"looked").ends("g").in("IDLE").ends().in("GATHERING")
		// a host that lists none
		nested(t).stops("c", "Explore", "looked").do(fsm.Event{Kind: fsm.TurnStop}).in("GATHERING")
	})
}

func TestSays(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "REVIEW", States: []fsm.State{
		{Name: "REVIEW", Triggers: []fsm.Trigger{
			{Name: "reviewer says /^APPROVED/", Agents: []string{"reviewer"}, Says: "^APPROVED", To: "DONE"},
			{Name: "reviewer", Agents: []string{"reviewer"}, To: "FIX"}}},
		{Name: "DONE", Triggers: []fsm.Trigger{{Name: "x", Agents: []string{"x"}, To: "DONE"}}},
		{Name: "FIX", Triggers: []fsm.Trigger{{Name: "x", Agents: []string{"x"}, To: "FIX"}}}}}
	begin(t, p).runs("a", "reviewer", "APPROVED, ship it").in("DONE")
	begin(t, p).runs("a", "reviewer", "not yet APPROVED").in("FIX")
	p.States[0].Triggers = p.States[0].Triggers[:1]
	begin(t, p).runs("a", "reviewer", "not yet APPROVED").in("REVIEW").told(
		`Agent "reviewer" came back, and its final message does not say what a move asks for, so the pipeline stays`)
}

// TestWokenByAnother: a message wakes an agent; it does not make it the messenger's.
func TestWokenByAnother(t *testing.T) {
	pl := defaults(t).runs("g", "context-gatherer", "found").asks(main(), "context-refiner", "1").starts("r",
		"context-refiner")
	pl.asks(main(), "Explore", "2").starts("e", "Explore")
	e := starting(fsm.ByMessage, "", "r")
	e.Kind, e.Agent, e.Tool.Result = fsm.ToolResult, sub("e", "Explore"), fsm.Result{AgentID: "r"}
	pl.do(e).stops("r", "context-refiner", "refined").in("REFINING")
}

func guardedCall(who fsm.Agent) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Agent: who, Tool: fsm.Tool{Name: "Write",
		Parts: []fsm.Part{{Tool: "Write", Guards: "the pipeline's config"}}}}
}

// under is the answer to an event while persons have lifted something.
func (pl *play) under(e fsm.Event, lifts ...fsm.Bypass) fsm.Decision {
	e.Session, e.Time, e.Facts.Overrides.Bypasses = "s1", pl.now, lifts
	_, d := pl.p.Step(pl.s, e)
	return d
}

// TestQuarantineOpensNothing: an agent that was not admitted is held to all that others are, where a lenient level or a
// bypass lets its calls pass.
func TestQuarantineOpensNothing(t *testing.T) {
	stray := sub("z", "stray")
	lift := fsm.Bypass{ID: "1", Agent: "stray"}
	for _, level := range []fsm.Level{fsm.Strict, fsm.AskFirst, fsm.Guidance, fsm.Observe} {
		p := states(t)
		p.Level = level
		p.Subagents = fsm.Rules{List: []fsm.Rule{{Name: "no-web", Verdict: fsm.Deny, Tools: []string{"WebFetch"},
			Level: fsm.Strict, Levelled: true}}}
		e := guardedCall(stray)
		if pl := begin(t, p).starts("z", "stray").do(e).denied("the pipeline's config"); pl.d.Rule != fsm.RuleProtect {
			t.Errorf("%s: rule %s", level, pl.d.Rule)
		}
		if d := begin(t, p).starts("z", "stray").under(e, lift); d.Verdict != fsm.Deny || d.Rule != fsm.RuleProtect {
			t.Errorf("%s: %+v", level, d)
		}
		if pl := begin(t, p).starts("z", "stray").uses(stray, "WebFetch"); pl.d.Verdict != fsm.Deny {
			t.Errorf("%s: WebFetch passes", level)
		}
	}
	e := fsm.Event{Kind: fsm.ToolRequest, Agent: stray, Tool: fsm.Tool{Name: "Read", Parts: []fsm.Part{{Tool: "Read"}}}}
	begin(t, states(t)).starts("z", "stray").do(e).denied("may use no tool")
	if d := begin(t, states(t)).starts("z", "stray").under(e, lift); d.Verdict != fsm.Pass ||
		d.StrictVerdict != fsm.Deny || d.Rule != fsm.RuleBypass {
		t.Errorf("%+v", d)
	}
}

// TestWorkflowThatNeverRan: a workflow that the host or the user refused admits no agent, though two registrations
// asked.
func TestWorkflowThatNeverRan(t *testing.T) {
	pl := workflow(t)
	again := starting(fsm.ByWorkflow, "workflow-subagent", "")
	again.Tool.UseID = "2"
	pl.do(again).passes().do(again).passes()
	pl.do(fsm.Event{Kind: fsm.ToolFailure, Tool: again.Tool})
	again.Tool.UseID = "1"
	pl.do(fsm.Event{Kind: fsm.ToolFailure, Tool: again.Tool}).starts("x", "stray").told("may use no tool")
}

// TestBypassOfAnAgentThatIsWoken: a bypass for agents of a type covers the message that wakes one of them, and no
// other.
func TestBypassOfAnAgentThatIsWoken(t *testing.T) {
	message := starting(fsm.ByMessage, "", "o")
	for agent, verdict := range map[string]fsm.Verdict{"strategic-orchestrator": fsm.Pass, "context-gatherer": fsm.Deny,
		"o": fsm.Deny} {
		if d := defaults(t).executing().under(message, fsm.Bypass{ID: "1", Agent: agent}); d.Verdict != verdict ||
			d.StrictVerdict != fsm.Deny {
			t.Errorf("bypass for %s: %s, %s", agent, d.Verdict, d.Reason)
		}
	}
}

// TestReportedOver: whatever reports that an agent has failed or is gone ends it, by its id, its name or its type; a
// call of its own revives it.
func TestReportedOver(t *testing.T) {
	over := func(kind fsm.Kind, names ...string) fsm.Event {
		return fsm.Event{Kind: kind, Tool: fsm.Tool{Name: "TaskOutput", Over: names}}
	}
	named := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Agent", Parts: []fsm.Part{{Tool: "Agent"}},
		Starts: &fsm.Start{How: fsm.ByAgent, Type: "dev", Name: "bob"}}}
	for name, e := range map[string]fsm.Event{
		"a wait that names its id":   over(fsm.ToolResult, "a"),
		"a call that failed, named":  over(fsm.ToolFailure, "bob"),
		"a call that failed, a type": over(fsm.ToolFailure, "Dev"),
		"a notice with its name": {Kind: fsm.Prompt, Origin: fsm.Notification,
			Notice: fsm.Notice{Task: "bob", Status: "failed"}},
	} {
		pl := begin(t, free()).do(named).starts("a", "dev").do(e)
		if r := pl.s.Agents.Runs[0]; r.Status != fsm.Failed {
			t.Errorf("%s: it is %s", name, r.Status)
		}
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: sub("a", "dev"),
			Tool: fsm.Tool{Name: "Read", Parts: []fsm.Part{{Tool: "Read"}}}})
		if r := pl.s.Agents.Runs[0]; r.Status != fsm.Running {
			t.Errorf("%s: it calls a tool, and is %s", name, r.Status)
		}
	}
	pl := begin(t, free()).do(named).starts("a", "dev").do(over(fsm.ToolResult, "ann", "other"))
	if r := pl.s.Agents.Runs[0]; r.Status != fsm.Running {
		t.Errorf("another one is over: it is %s", r.Status)
	}
	pl = begin(t, free()).do(named).do(over(fsm.ToolFailure, "bob"))
	if n := len(pl.s.Agents.Runs); n != 0 {
		t.Errorf("an agent that never began: %d are left", n)
	}
	pl = begin(t, free()).do(named).starts("a", "dev").asks(sub("a", "dev"), "dev", "2").starts("b", "dev").
		do(over(fsm.ToolResult, "a"))
	if r := pl.s.Agents.Runs; r[1].Status != fsm.Lost {
		t.Errorf("what it had started: %+v", r)
	}
}

// TestInterrupted: a turn is held for an open task, but not the one that follows an interruption.
func TestInterrupted(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Hold: fsm.Hold{Until: []string{"tasks", "plan"}, Tries: 3}}
	planned := fsm.Event{Kind: fsm.ToolResult, Session: "s",
		Tool: fsm.Tool{Name: "ExitPlanMode", Planned: true, Plan: "Words."}}
	done := fsm.Event{Kind: fsm.ToolResult, Session: "s", Tool: fsm.Tool{Name: "TodoWrite", Listed: true}}
	prompt := func(id string) fsm.Event { return fsm.Event{Kind: fsm.Prompt, Session: "s", Text: "go on", Prompt: id} }
	stop := fsm.Event{Kind: fsm.TurnStop, Session: "s", Tasks: &fsm.Background{}}
	for name, test := range map[string]struct {
		events []fsm.Event
		held   bool
	}{
		"a turn as any other":       {[]fsm.Event{prompt("1"), stop}, true},
		"typed while it runs":       {[]fsm.Event{prompt("1"), prompt("1"), stop}, true},
		"interrupted, then another": {[]fsm.Event{prompt("1"), prompt("2"), stop}, false},
		"and the one after that":    {[]fsm.Event{prompt("1"), prompt("2"), stop, prompt("3"), stop}, true},
		"its failure was told": {[]fsm.Event{prompt("1"), {Kind: fsm.TurnFailure, Session: "s"}, prompt("2"),
			stop}, true},
		"the client was started again": {[]fsm.Event{prompt("1"),
			{Kind: fsm.SessionStart, Session: "s", Source: "resume"}, prompt("2"), stop}, true},
		"a notification does not interrupt": {[]fsm.Event{prompt("1"),
			{Kind: fsm.Prompt, Session: "s", Origin: fsm.Notification, Prompt: "2"}, stop}, true},
		"a host that tells no prompts apart":  {[]fsm.Event{prompt(""), prompt(""), stop}, true},
		"a turn that was held is still going": {[]fsm.Event{prompt("1"), stop, prompt("2"), stop}, false},
		"a plan, and a prompt that is typed meanwhile": {[]fsm.Event{prompt("1"), planned, prompt("1"), done, stop},
			true},
		"interrupted, with a plan, and failed": {[]fsm.Event{prompt("1"), planned, prompt("2"),
			{Kind: fsm.TurnFailure, Session: "s"}, done, prompt("3"), stop}, false},
	} {
		s := fsm.Session{ID: "s", Tasks: fsm.Tasks{Open: []fsm.OpenTask{{ID: "1", Subject: "left"}}}}
		var d fsm.Decision
		for _, e := range test.events {
			s, d = p.Step(s, e)
		}
		if d.Hold != test.held {
			t.Errorf("%s: held %v, expected %v (%q)", name, d.Hold, test.held, d.Notes)
		}
	}
}
