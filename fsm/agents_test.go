package fsm_test

import (
	"cmp"
	"fmt"
	"strings"
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

// TestHostKnowsWhoStarted: what the host notes of an agent's start counts for more than what we saw of it; what it does
// not say leaves that as it is.
func TestHostKnowsWhoStarted(t *testing.T) {
	for _, c := range []struct {
		spawn      fsm.Spawn
		seen, want string
	}{
		{fsm.Spawn{ParentID: "p", Depth: 2, UseID: "3"}, "", "p"}, {fsm.Spawn{ParentID: "p"}, "q", "p"},
		{fsm.Spawn{Depth: 1, UseID: "3"}, "q", ""}, {fsm.Spawn{Depth: 1}, "q", "q"}, {fsm.Spawn{UseID: "3"}, "q", "q"},
		{fsm.Spawn{Depth: 2}, "", "?"}, {fsm.Spawn{Depth: 2}, "q", "q"}, {fsm.Spawn{Depth: 1}, "", ""},
		{fsm.Spawn{}, "", ""}, {fsm.Spawn{}, "q", "q"},
	} {
		pl := begin(t, free())
		pl.s.Agents.Runs = []fsm.Run{{ID: "r", Type: "dev", By: c.seen, UseID: "1", Depth: 7, Status: fsm.Running}}
		pl.spawn = &c.spawn
		r := pl.stops("r", "dev", "done").run("r")
		if r.By != c.want || r.UseID != cmp.Or(c.spawn.UseID, "1") || r.Depth != cmp.Or(c.spawn.Depth, 7) {
			t.Errorf("%+v, seen as %q's: by %q, call %q, depth %d", c.spawn, c.seen, r.By, r.UseID, r.Depth)
		}
	}
}

// TestStartsOnceMore: an agent that goes on by itself is not briefed again, and has its turn in the plan. One that is
// woken has all its calls again, and what it finds counts, if it had not completed.
func TestStartsOnceMore(t *testing.T) {
	policy := func() *fsm.Policy {
		return &fsm.Policy{Level: fsm.Strict, Initial: "A", Limits: fsm.Limits{Calls: 5}, States: []fsm.State{
			{Name: "A", Brief: "The brief.", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "B"}}},
			{Name: "B", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "A"}}}}}
	}
	pl := begin(t, policy()).asks(main(), "dev", "1").starts("d", "dev").told("The brief.").starts("d", "dev").told("")
	pl.stops("d", "dev", "").do(fsm.Event{Kind: fsm.Reset, Source: "A"}).do(starting(fsm.ByMessage, "", "d"))
	pl.passes().starts("d", "dev").told("The brief.").stops("d", "dev", "done").in("B")

	pl = begin(t, policy()).asks(main(), "dev", "1").starts("d", "dev")
	for range 2 {
		var told []int
		for i := range 5 {
			use := fmt.Sprint(pl.now.Unix())
			pl.by(sub("d", "dev"), use, file("Read", "/a")).passes()
			pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: sub("d", "dev"), Tool: fsm.Tool{Name: "Read", UseID: use}})
			if strings.Contains(pl.d.Inject, "You have used 4 of 5 calls") {
				told = append(told, i)
			}
		}
		if len(told) != 1 || told[0] != 3 {
			t.Errorf("warned at the calls %v", told)
		}
		pl.by(sub("d", "dev"), fmt.Sprint(pl.now.Unix()), file("Read", "/a")).denied("has used its 5 calls")
		pl.stops("d", "dev", "").do(starting(fsm.ByMessage, "", "d")).passes().starts("d", "dev").told("")
	}

	pl = planned(t, from(fsm.FromAgent), plan).asks(main(), "Explore", "1").starts("e", "Explore")
	if live := pl.s.Tasks.Progress.Live(); len(live) != 1 {
		t.Fatalf("%q", live)
	}
	if live := pl.ends().s.Tasks.Progress.Live(); len(live) != 0 {
		t.Errorf("lost, and at work: %q", live)
	}
	if live := pl.starts("e", "Explore").s.Tasks.Progress.Live(); len(live) != 1 {
		t.Errorf("back, and not at work: %q", live)
	}
}

// TestStartIsConfined: an agent whose commands are confined is told so when it starts; one that is not admitted is told
// what is refused, where that is refused.
func TestStartIsConfined(t *testing.T) {
	p := free()
	p.Subagents = confining().Main
	start := fsm.Event{Kind: fsm.AgentStart, Agent: sub("d", "dev"), Facts: fsm.Facts{Kernel: "landlock"}}
	begin(t, p).asks(main(), "dev", "1").do(start).told("Here the project is read-only for this agent, also for its " +
		"commands; report what should be changed.")
	start.Facts.Kernel = ""
	begin(t, p).asks(main(), "dev", "1").do(start).told("")
	for level, told := range map[fsm.Level]string{fsm.Strict: "may use no tool", fsm.Guidance: "may use no tool",
		fsm.Observe: ""} {
		stray := *states(t)
		stray.Level = level
		begin(t, &stray).starts("z", "stray").told(told).noted("agent z (stray) started without admission").
			stops("z", "stray", "done").noted("agent z (stray) was not admitted: it moves nothing")
	}
}

// TestUnseenStart: an agent whose start was missed is of the state in which it is first seen, as long as no run was
// forgotten that it may be.
func TestUnseenStart(t *testing.T) {
	for forgotten, want := range map[int]string{0: "EXECUTING", 1: "IDLE"} {
		pl := defaults(t).executing()
		pl.s.Agents.Forgotten = forgotten
		r := pl.starts("b", "bash-developer").run("b")
		if r.By != "?" || r.State != want || r.Fired != (forgotten > 0) {
			t.Errorf("%d forgotten: %+v", forgotten, r)
		}
	}
}

// TestEndLapses: with an agent ends what it had asked for and did not get; one that is sent back goes on.
func TestEndLapses(t *testing.T) {
	begun := func() *play {
		p := agreed()
		p.Subagents.List = []fsm.Rule{few("reads", "Read", 1)}
		pl := begin(t, p).asks(main(), "dev", "1").starts("d", "dev")
		pl.by(sub("d", "dev"), "r1", file("Read", "/a")).passes()
		return pl.asks(sub("d", "dev"), "other", "2").passes()
	}
	for says, n := range map[string]int{"no": 1, "DONE|a": 0, "": 0} {
		pl := begun().stops("d", "dev", says)
		if left := len(pl.pending()); left != n {
			t.Errorf("it says %q: %d are to start for it", says, left)
		}
		pl.by(sub("d", "dev"), "r2", file("Read", "/b"))
		if (pl.d.Verdict == fsm.Pass) != (n == 0) {
			t.Errorf("it says %q: what it did not read: %s", says, pl.d.Verdict)
		}
	}
	failed := begun().stops("d", "dev", "no").stops("d", "dev", "no").stops("d", "dev", "no").over()
	if left := len(failed.pending()); left != 0 {
		t.Errorf("it has failed: %d are to start for it", left)
	}
}

// TestFailureIsReported where the state waits for the agent: not of a helper, and not of an agent's agent.
func TestFailureIsReported(t *testing.T) {
	pl := begin(t, agreed()).asks(main(), "dev", "1").starts("d", "dev").asks(sub("d", "dev"), "other", "2")
	pl.starts("o", "other").stops("o", "other", "").used("Read").told("")
	pl.asks(main(), "helper", "3").starts("h", "helper").stops("h", "helper", "").used("Read").told("")
	pl.stops("d", "dev", "").used("Read").told(`Agent "dev" returned nothing, so the pipeline stays in A.`)
}

// TestWhoTakesAnAdmission: an agent takes the admission of its id, else of its type, its name or a skill of its type;
// never another's.
func TestWhoTakesAnAdmission(t *testing.T) {
	admitted := func(r fsm.Run) fsm.Run {
		r.Status, r.UseID = fsm.Admitted, "u"
		return r
	}
	for name, c := range map[string]struct {
		admission fsm.Run
		taken     bool
	}{
		"its id":                   {fsm.Run{ID: "x", How: fsm.ByAgent, Type: "other"}, true},
		"another id":               {fsm.Run{ID: "y", How: fsm.ByAgent, Type: "dev"}, false},
		"its type":                 {fsm.Run{How: fsm.ByAgent, Type: "Dev"}, true},
		"another type":             {fsm.Run{How: fsm.ByAgent, Type: "other"}, false},
		"its name":                 {fsm.Run{How: fsm.ByAgent, Type: "other", Name: "dev"}, true},
		"another name":             {fsm.Run{How: fsm.ByAgent, Type: "other", Name: "ann"}, false},
		"a skill":                  {fsm.Run{How: fsm.BySkill, Type: "dev", Name: "s"}, true},
		"a skill of another type":  {fsm.Run{How: fsm.BySkill, Type: "other", Name: "s"}, false},
		"a skill of the same name": {fsm.Run{How: fsm.BySkill, Type: "other", Name: "dev"}, false},
		"a message":                {fsm.Run{How: fsm.ByMessage, Type: "dev", Wakes: "y"}, false},
	} {
		pl := begin(t, free())
		pl.s.Agents.Runs = []fsm.Run{admitted(c.admission)}
		if r := pl.starts("x", "dev").run("x"); (r.UseID == "u") != c.taken || len(pl.pending()) == 0 != c.taken {
			t.Errorf("%s: %+v", name, pl.s.Agents.Runs)
		}
	}
	typed := begin(t, free()).do(fsm.Event{Kind: fsm.PromptExpansion, Tool: fsm.Tool{Starts: &fsm.Start{
		How: fsm.ByPerson, Name: "review"}}}).starts("x", "dev")
	if r := typed.run("x"); r.Type != "dev" || r.How != fsm.ByPerson {
		t.Errorf("by a person's command: %+v", r)
	}
	typeFirst := begin(t, free()).asks(main(), "dev", "1").mate("other", "dev").starts("x", "dev")
	if r := typeFirst.run("x"); r.UseID != "1" {
		t.Errorf("a name comes before the type: %+v", r)
	}
	pl := begin(t, free()).asks(main(), "scout", "1").starts("s", "scout").asks(sub("s", "scout"), "dev", "2")
	pl.do(fsm.Event{Kind: fsm.Reset}).mate("other", "dev").starts("x", "dev")
	if r := pl.run("x"); r.UseID != "use-dev" {
		t.Errorf("what was asked for before a reset comes first: %+v", r)
	}
}

// TestNeverListed: agents of a workflow, and those whose caller is not known, are not missed in the host's list while a
// workflow runs.
func TestNeverListed(t *testing.T) {
	for name, run := range map[string]fsm.Run{"a workflow's": {How: fsm.ByWorkflow, By: "p"}, "anybody's": {By: "?"}} {
		for _, workflow := range []bool{true, false} {
			pl := begin(t, free())
			run.ID, run.Type, run.Status = "r", "dev", fsm.Running
			pl.s.Agents.Runs = []fsm.Run{run}
			pl.do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{Workflow: workflow}})
			if r := pl.run("r"); (r.Status == fsm.Running) != workflow {
				t.Errorf("%s, while one runs %v: %s", name, workflow, r.Status)
			}
		}
	}
}
