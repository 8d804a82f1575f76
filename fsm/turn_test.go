package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

func TestTurnEnds(t *testing.T) {
	t.Run("before any work", func(t *testing.T) { // a question to the user completes nothing
		defaults(t).executing().ends().in("EXECUTING").noted("EXECUTING stays")
	})
	t.Run("helpers are no work", func(t *testing.T) {
		defaults(t).executing().runs("e", "Explore", "looked").ends().in("EXECUTING")
	})
	t.Run("while one runs", func(t *testing.T) {
		pl := defaults(t).executing().runs("b", "bash-developer", "done").asks(main(), "c-developer", "1").starts("c",
			"c-developer")
		pl.ends("c").in("EXECUTING").noted("still running")
		pl.stops("c", "c-developer", "done").notified("c", "completed").ends().in("COMPLETE")
	})
	t.Run("while the host says that one runs", func(t *testing.T) {
		pl := defaults(t).executing().runs("b", "bash-developer", "done").ends("never-seen").in("EXECUTING")
		pl.do(fsm.Event{Kind: fsm.TurnStop,
			Tasks: &fsm.Background{Workflow: true}}).in("EXECUTING").ends().in("COMPLETE")
	})
	// 2.1.329: the stop comes between the end and its notification
	t.Run("before the result was read", func(t *testing.T) {
		pl := defaults(t).executing().asks(main(), "bash-developer", "1").starts("b",
			"bash-developer").launched("bash-developer", "1", "b")
		pl.ends("b").in("EXECUTING").stops("b", "bash-developer",
			"done").ends().in("EXECUTING").noted("has not yet been given")
		pl.notified("b", "completed").ends().in("COMPLETE")
	})
	t.Run("back before it was said to be away", func(t *testing.T) { // 2.1.329: the launch's own result comes last
		pl := defaults(t).executing().asks(main(), "bash-developer", "1").starts("b", "bash-developer").stops("b",
			"bash-developer", "done")
		pl.launched("bash-developer", "1", "b").ends().in("EXECUTING").noted("has not yet been given")
		pl.notified("b", "completed").ends().in("COMPLETE")
	})
	t.Run("with the result in a later tool result", func(t *testing.T) { // 2.1.197 folds the notification into it
		pl := defaults(t).executing().asks(main(), "bash-developer", "1").starts("b",
			"bash-developer").launched("bash-developer", "1", "b")
		pl.stops("b", "bash-developer", "done").used("Read").ends().in("COMPLETE")
	})
	t.Run("results that nothing waits for", func(t *testing.T) {
		for name, r := range map[string]fsm.Run{
			"of a helper":       {Type: "Explore", Status: fsm.Done},
			"of an agent's own": {Type: "bash-developer", Status: fsm.Done, By: "b", Fired: true},
			"that never came":   {Type: "bash-developer", Status: fsm.Failed, Fired: true},
		} {
			pl := defaults(t).executing().runs("b", "bash-developer", "done")
			r.ID = "x"
			pl.s.Agents.Runs = append(pl.s.Agents.Runs, r)
			if pl.ends(); pl.s.Machine.State != "COMPLETE" || strings.Contains(strings.Join(pl.d.Notes, " "), "stays") {
				t.Errorf("%s: in %s; %q", name, pl.s.Machine.State, pl.d.Notes)
			}
		}
	})
	t.Run("the plan that was not read", func(t *testing.T) {
		pl := defaults(t).executing()
		pl.s.Agents.Runs[2].Delivered = false
		pl.runs("b", "bash-developer", "done")
		if !pl.s.Agents.Runs[2].Delivered {
			t.Error("a tool result hands over all that had ended before")
		}
	})
}

func TestLost(t *testing.T) {
	running := func(t *testing.T) *play {
		return defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
	}
	t.Run("no longer listed", func(t *testing.T) {
		pl := running(t).ends().noted("no longer lists")
		pl.stops("g", "context-gatherer", "found after all").in("GATHERING")
	})
	t.Run("revived by a start", func(t *testing.T) {
		running(t).ends().starts("g", "context-gatherer").noted("was given up as lost").stops("g", "context-gatherer",
			"found").in("GATHERING")
	})
	t.Run("not at a mere prompt", func(t *testing.T) {
		pl := running(t).says("how is it going?")
		if len(pl.s.RunningAgents()) != 1 {
			t.Error("a background agent lives across prompts")
		}
	})
	t.Run("not by a compaction", func(t *testing.T) {
		pl := running(t).do(fsm.Event{Kind: fsm.Compacted})
		if len(pl.s.RunningAgents()) != 1 {
			t.Error("a compaction ends no agent")
		}
	})
	t.Run("a host that does not say", func(t *testing.T) {
		pl := running(t).do(fsm.Event{Kind: fsm.TurnStop})
		if len(pl.s.RunningAgents()) != 1 {
			t.Error("silence is no evidence")
		}
	})
	t.Run("agents of a workflow", func(t *testing.T) {
		pl := workflow(t).do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{Workflow: true}})
		if len(pl.s.RunningAgents()) != 1 || len(pl.s.Agents.Workflows) != 1 {
			t.Error("the host lists a workflow, not its agents")
		}
		pl.ends()
		if len(pl.s.RunningAgents()) != 0 || len(pl.s.Agents.Workflows) != 0 {
			t.Error("with the workflow its agents are gone")
		}
		pl = running(t).do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{Workflow: true}})
		if len(pl.s.RunningAgents()) != 0 {
			t.Error("an agent of the main agent is listed beside a workflow")
		}
	})
	t.Run("members of a team", func(t *testing.T) {
		pl := running(t)
		pl.s.Agents.Runs[0].Name = "ann"
		team := pl.s
		pl.ends()
		if len(pl.s.RunningAgents()) != 0 {
			t.Error("an agent that has a name is listed without a team")
		}
		pl.s = team
		pl.do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{Team: true}})
		if len(pl.s.RunningAgents()) != 1 {
			t.Error("the host lists a team, not its members")
		}
	})
}

// TestNothingPilesUp: the line of the journal that carries the session stays small, whatever happens.
func TestNothingPilesUp(t *testing.T) {
	pl := defaults(t).executing()
	for i := range 300 {
		pl.prompt(fmt.Sprint(i)).asks(main(), "bash-developer", pl.now.String())
		pl.starts("b", "bash-developer").stops("b", "bash-developer", "done")
		pl.runs("b"+pl.now.Format("150405"), "bash-developer", "done")
	}
	if n := len(pl.s.Agents.Runs); n > 24 {
		t.Errorf("%d agents remembered", n)
	}
	if n := len(written(t, pl.s)); n > 8<<10 {
		t.Errorf("the session takes %d bytes", n)
	}
	if n := len(pl.pending()); n > 24 {
		t.Errorf("%d admissions remembered", n)
	}
}

// holding is a policy that holds turns until the graph is done.
func holding(tries int, until ...string) *fsm.Policy {
	p := from(fsm.FromAgent)
	p.Hold = fsm.Hold{Until: until, Tries: tries, Say: "Go on; left: {{ .Left }}", Skills: []string{"plan*"}}
	return p
}

// stopsAgain ends the turn that was held just before.
func (pl *play) stopsAgain() *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}, Held: true})
}

// held checks that the turn, or the agent, goes on and is told why.
func (pl *play) held(rule, reason string) *play {
	pl.Helper()
	if !pl.d.Hold || pl.d.Rule != rule || !strings.Contains(pl.d.Reason, reason) || pl.d.Verdict != fsm.Pass {
		pl.Fatalf("hold %v by %q: %q; expected %s: %q; notes %q", pl.d.Hold, pl.d.Rule, pl.d.Reason, rule, reason,
			pl.d.Notes)
	}
	return pl
}

func (pl *play) over() *play {
	pl.Helper()
	if pl.d.Hold {
		pl.Fatalf("held: %s", pl.d.Reason)
	}
	return pl
}

// hears checks what the user is told; "" for nothing.
func (pl *play) hears(text string) *play {
	pl.Helper()
	if all := strings.Join(pl.d.Notices, "\n"); !strings.Contains(all, text) || text == "" && all != "" {
		pl.Fatalf("the user hears %q, expected %q", all, text)
	}
	return pl
}

func TestHoldUntilTheGraphIsDone(t *testing.T) {
	pl := begin(t, holding(3, "graph")).ends().over().hears("").runs("p", "planner", fenced(plan))
	pl.ends().held(fsm.RuleHold,
		"The turn is not over yet. 3 of 3 phases of the plan are not done: look (Explore), build (dev), test "+
			"(tester); ready now: look (Explore). Go on; left: 3 of 3")
	pl.hears("").stopsAgain().held(fsm.RuleHold, "3 of 3").noted("2 of 3 times").stopsAgain().held(fsm.RuleHold,
		"3 of 3")
	pl.stopsAgain().over().hears("the turn ended with work left, after it was held 3 times: 3 of 3").stopsAgain().over()
	pl.says("go on").ends().held(fsm.RuleHold, "3 of 3").noted("1 of 3 times") // a new turn counts again
	pl.runs("e", "Explore", "found").runs("d", "dev", "built").stopsAgain().held(fsm.RuleHold,
		"1 of 3 phases of the plan are not done: test (tester)")
	pl.runs("t", "tester", "fine").stopsAgain().over().hears("")
	p := holding(3, "graph")
	p.Tasks = fsm.TaskSource{From: []string{fsm.FromHost}}
	pl = begin(t, p).task(tasks.HostTask{ID: "1", Subject: "[Explore] look", Status: "pending"})
	pl.task(tasks.HostTask{ID: "2", Subject: "read it", Status: "pending"}).runs("e", "Explore", "found").ends()
	pl.held(fsm.RuleHold, "1 of 2 phases of the plan are not done: 2. Go on") // which no agent does
}

// TestHoldNeverWhileAnAgentRuns: ours, the host's, a workflow or a team.
func TestHoldNeverWhileAnAgentRuns(t *testing.T) {
	pl := planned(t, holding(3, "graph"), plan).asks(main(), "Explore", "1").starts("e", "Explore")
	pl.ends("e").over().hears("")
	for _, running := range []fsm.Background{{IDs: []string{"other"}}, {Workflow: true}, {Team: true}} {
		planned(t, holding(3, "graph"), plan).do(fsm.Event{Kind: fsm.TurnStop, Tasks: &running}).over()
	}
	pl.ends().held(fsm.RuleHold, "3 of 3") // it died
	silent := planned(t, holding(3, "graph"), plan).asks(main(), "Explore", "1").starts("e", "Explore")
	silent.do(fsm.Event{Kind: fsm.TurnStop}).over() // a host that does not say: it may be at work
}

func TestHoldMovesNothing(t *testing.T) {
	p := states(t)
	p.Tasks, p.Hold = fsm.TaskSource{From: []string{fsm.FromAgent}},
		fsm.Hold{Until: []string{"graph"}, Tries: 2, States: []string{"EXECUTING"}}
	pl := begin(t, p).ends().over().runs("g", "context-gatherer", fenced(strings.NewReplacer(`"Explore"`, `"bash-developer"`, `"dev"`, `"c-developer"`, `"tester"`, `"nix-developer"`).Replace(plan))).ends().over() // not in this state
	pl.runs("r", "context-refiner", "r").runs("o", "strategic-orchestrator", "o").in("EXECUTING").runs("b",
		"bash-developer", "built")
	pl.ends().held(fsm.RuleHold, "2 of 3").in("EXECUTING").stopsAgain().held(fsm.RuleHold,
		"2 of 3").in("EXECUTING").stopsAgain().over().in("COMPLETE")
}

func TestHoldUntilTasksAreDone(t *testing.T) {
	pl := begin(t, holding(3, "tasks")).task(tasks.HostTask{ID: "1", Subject: "write it",
		Status: "pending"}).task(tasks.HostTask{ID: "2", Subject: "test it", Status: "pending"})
	pl.ends().held(fsm.RuleHold, "2 tasks of the task list are open: 1 write it, 2 test it.")
	pl.task(tasks.HostTask{ID: "1", Status: "completed"}).stopsAgain().held(fsm.RuleHold,
		"1 task of the task list is open: 2 test it.")
	pl.task(tasks.HostTask{ID: "2", Status: "deleted"}).stopsAgain().over()
	listed := func(todos ...string) fsm.Event {
		return fsm.Event{Kind: fsm.ToolResult, Agent: main(),
			Tool: fsm.Tool{Name: "TodoWrite", Listed: true, Todos: todos}}
	}
	pl.do(listed("a", "b")).ends().held(fsm.RuleHold, "1 a, 2 b").do(listed()).stopsAgain().over()
}

func TestHoldUntilThePlanHasBegun(t *testing.T) {
	pl := begin(t, holding(3, "plan")).approved("Words.").ends().held(fsm.RuleHold, "The plan has not begun")
	pl.asks(main(), "dev", "1").starts("d", "dev").stops("d", "dev", "done").stopsAgain().over()
	pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(), Tool: fsm.Tool{Name: "Skill",
		Skill: "planning"}}).ends().held(fsm.RuleHold, "The plan has not begun")
	pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(), Tool: fsm.Tool{Name: "Skill", Skill: "other"}})
	other := begin(t, holding(3, "plan")).do(fsm.Event{Kind: fsm.ToolResult, Agent: main(),
		Tool: fsm.Tool{Name: "Skill", Skill: "other"}})
	other.ends().over()
	typed := func(start *fsm.Start, skill string) fsm.Event {
		return fsm.Event{Kind: fsm.PromptExpansion, Tool: fsm.Tool{Name: "Skill", Skill: skill, Starts: start}}
	}
	begin(t, holding(3, "plan")).do(typed(nil, "planning")).ends().held(fsm.RuleHold, "The plan has not begun")
	begin(t, holding(3, "plan")).do(typed(nil, "other")).ends().over()
	prompt := typed(nil, "planning")
	prompt.Kind = fsm.Prompt
	begin(t, holding(3, "plan")).do(prompt).ends().held(fsm.RuleHold, "The plan has not begun")
	// an agent plans
	begin(t, holding(3, "plan")).do(typed(&fsm.Start{How: fsm.ByPerson, Name: "planning"}, "planning")).ends().over()
	every := holding(3, "plan")
	every.Hold.Skills = []string{"*"}
	begin(t, every).do(typed(nil, "")).ends().over()
	ended := begin(t, holding(3, "plan")).approved("Words.").do(fsm.Event{Kind: fsm.TurnStop,
		Tasks: &fsm.Background{IDs: []string{"x"}}}).over()
	ended.says("another matter").ends().over() // it was the turn's before
	barred := holding(3, "plan")
	barred.Initial, barred.States = "A", []fsm.State{{Name: "A",
		Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "A"}}}}
	begin(t, barred).approved("Words.").starts("x", "stranger").stops("x", "stranger", "done").ends().held(fsm.RuleHold,
		"The plan has not begun")
}

func TestHoldLevels(t *testing.T) {
	for level, tells := range map[fsm.Level]string{fsm.Observe: "",
		fsm.Guidance: "the turn ends with work left: 3 of 3"} {
		p := holding(3, "graph")
		p.Level = level
		pl := planned(t, p, plan).ends().over().hears(tells).noted("the turn ends with work left: 3 of 3")
		if pl.d.StrictVerdict != fsm.Deny {
			t.Errorf("%s: strict would %s", level, pl.d.StrictVerdict)
		}
	}
	p := holding(3, "graph")
	p.Level = fsm.AskFirst
	planned(t, p, plan).ends().held(fsm.RuleHold, "3 of 3")
	lift := fsm.Facts{Overrides: fsm.Overrides{Bypasses: []fsm.Bypass{{ID: "1", Rule: fsm.RuleHold}}}}
	lifted := planned(t, holding(3, "graph"), plan).prompt("1").do(fsm.Event{Kind: fsm.TurnStop,
		Tasks: &fsm.Background{}, Facts: lift}).over().noted("bypass")
	if lifted.s.Turn.Prompt != "" {
		t.Error("the turn has not ended")
	}
	planned(t, holding(3, "graph"), plan).do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{},
		Late: true}).over().hears("")
}

// TestNothingIsHeldForEver: whatever happens, no turn is held and no agent sent back more often in a row than was said.
func TestNothingIsHeldForEver(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tries := rapid.IntRange(1, 7).Draw(rt, "tries")
		p := somePolicy(rt)
		p.Level = fsm.Strict
		p.Hold = fsm.Hold{Until: []string{"graph", "tasks", "plan", "checks"}, Tries: tries,
			Gate: &fsm.Gate{Run: "x", Tries: tries}}
		p.Tasks = fsm.TaskSource{From: []string{fsm.FromAgent, fsm.FromPlan, fsm.FromHost}}
		p.Agents = []fsm.AgentInfo{{Name: "c-dev", Returns: "^DONE", Tries: tries}}
		for i := range p.States {
			p.States[i].Triggers[0].Gate = &fsm.Gate{Run: "y", Tries: tries}
		}
		pl, held, sent := begin(t, p), 0, map[string]int{}
		for n := range rapid.IntRange(1, 60).Draw(rt, "events") {
			e := workEvent(rt, pl, n)
			e.Held = held > 0
			if pl.do(e); e.Kind == fsm.TurnStop {
				held = counted(held, pl.d.Hold)
			} else if e.Kind == fsm.AgentStop {
				sent[e.Agent.ID] = counted(sent[e.Agent.ID], pl.d.Hold)
			} else if e.Kind == fsm.ToolRequest && e.Tool.Starts.How == fsm.ByMessage {
				delete(sent, e.Tool.Starts.Name) // who is woken begins again
			}
			if held > tries || sent[e.Agent.ID] > max(tries, 3) || pl.d.Hold && pl.d.Reason == "" {
				rt.Fatalf("%d: turn held %d, agents sent back %v of %d", n, held, sent, tries)
			}
		}
	})
}

func counted(n int, again bool) int {
	if again {
		return n + 1
	}
	return 0
}

// workEvent is any event, as it concerns graphs, tasks, gates and checks.
func workEvent(t *rapid.T, pl *play, n int) fsm.Event {
	e := someEvent(t, n)
	switch rapid.IntRange(0, 4).Draw(t, "work") {
	case 0:
		e.Kind, e.Agent, e.Tasks = fsm.TurnStop, main(), nil
	case 1:
		e.Text = fenced(rapid.SampledFrom([]string{plan, strings.Replace(plan, "build", "bild", 1),
			strings.ReplaceAll(plan, "Explore", "c-dev")}).Draw(t, "graph"))
	case 2:
		e.Kind, e.Agent, e.Tool = fsm.ToolResult, main(), fsm.Tool{Name: "x", Planned: true, Plan: fenced(plan),
			Task: &tasks.HostTask{ID: fmt.Sprint(n % 5), Subject: "[dev] x",
				Status: rapid.SampledFrom([]string{"pending", "completed", "deleted"}).Draw(t, "status")}}
	}
	if e.Kind == fsm.TurnStop || e.Kind == fsm.AgentStop {
		e.Facts.Checks = []fsm.CheckResult{{Name: "c", Output: "no", OK: rapid.Bool().Draw(t, "check")}}
		e.Session = "s1"
		if g, key := pl.p.SelectGate(pl.s, e); g != nil {
			e.Facts.Gate = &fsm.GateResult{Key: key, OK: rapid.Bool().Draw(t, "gate")}
		}
	}
	return e
}

// TestWhereATaskEnds: a prompt begins a new task, and forgets what was captured, where the end of a turn has led and
// the first state's agents lead on. Either alone is not enough.
func TestWhereATaskEnds(t *testing.T) {
	leads := func(agent, to string) fsm.Trigger { return fsm.Trigger{Name: agent, Agents: []string{agent}, To: to} }
	helps := func(agent, to string) fsm.Trigger {
		return fsm.Trigger{Name: agent, Agents: []string{agent}, To: to, Helper: true}
	}
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{
		{Name: "A", Triggers: []fsm.Trigger{leads("x", "B"), helps("h", "B"), leads("s", "A")}},
		{Name: "B", OnStop: "C", Triggers: []fsm.Trigger{leads("y", "D"), leads("z", "E")}},
		{Name: "C", OnStop: "E", Triggers: []fsm.Trigger{leads("other", "B")}},
		{Name: "D", Triggers: []fsm.Trigger{leads("x", "B")}},
		{Name: "E", Triggers: []fsm.Trigger{leads("x", "B")}},
		{Name: "F", OnStop: "F", Triggers: []fsm.Trigger{helps("x", "B")}},
		{Name: "G", OnStop: "G", Triggers: []fsm.Trigger{leads("x", "G")}},
		{Name: "H", OnStop: "H", Triggers: []fsm.Trigger{leads("h", "B")}},
		{Name: "I", OnStop: "I", Triggers: []fsm.Trigger{leads("s", "B")}},
	}}
	for state, isEnd := range map[string]bool{"C": false, "D": false, "E": true, "F": false, "G": false, "H": false,
		"I": false} {
		pl := begin(t, p)
		pl.s.Machine.State, pl.s.Machine.Captures = state, map[string]fsm.Ref{"plan": {Hash: "h"}}
		if pl.says("go on"); (len(pl.s.Machine.Captures) == 0) != isEnd {
			t.Errorf("%s: a new task: %v, captured: %v", state, isEnd, pl.s.Machine.Captures)
		}
	}
}

// TestATaskBegins again with a prompt at the end of the one before, and with one in the first state: it has its budgets
// again, and no plan or graph of the task before.
func TestATaskBegins(t *testing.T) {
	leads := fsm.Trigger{Name: "x", Agents: []string{"x"}, To: "B"}
	for state, c := range map[string]struct{ refilled, planned, graph bool }{
		"A": {true, true, true}, "B": {false, true, true}, "C": {true, false, false},
	} {
		p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{
			{Name: "A", Triggers: []fsm.Trigger{leads}}, {Name: "B", OnStop: "C"},
			{Name: "C", Triggers: []fsm.Trigger{leads}}}}
		p.Main.List = []fsm.Rule{few("reads", "Read", 1, "task")}
		pl := begin(t, p)
		pl.s.Machine.State, pl.s.Tasks.Progress, pl.s.Tasks.Planned = state, &tasks.Progress{}, true
		pl.s.Budgets.Uses = []fsm.Budget{{Rule: "reads", Used: 1}}
		pl.says("go on")
		if got := (len(pl.s.Budgets.Uses) == 0); got != c.refilled || pl.s.Tasks.Planned != c.planned ||
			(pl.s.Tasks.Progress != nil) != c.graph {
			t.Errorf("in %s: budgets %+v, tasks %+v", state, pl.s.Budgets.Uses, pl.s.Tasks)
		}
	}
}

// TestPromptsAreNoted: what is no person's prompt, and what has interrupted a turn. In the first state each prompt but
// the first says where the pipeline stands.
func TestPromptsAreNoted(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{{Name: "A", Inject: "Hello.",
		Triggers: []fsm.Trigger{{Name: "x", Agents: []string{"x"}, To: "A"}}}}}
	pl := begin(t, p).prompt("1").silent("interrupted")
	if pl.d.Inject != "Hello." {
		t.Errorf("first %q", pl.d.Inject)
	}
	pl.prompt("2").noted("the turn before was interrupted: this one is not held").
		told("The pipeline is in state A; start one of: x.")
	pl.do(fsm.Event{Kind: fsm.Prompt, Origin: fsm.Own, Text: "held"}).told("").
		noted("a prompt that repeats what was said to the agent: not a person's")
}

// TestNoticesDeliver: a notice that an agent has completed hands over its result, when it has one.
func TestNoticesDeliver(t *testing.T) {
	for name, c := range map[string]struct {
		run    fsm.Status
		status string
		want   bool
	}{"over": {fsm.Done, "completed", true}, "at work": {fsm.Running, "completed", false},
		"killed when it was over": {fsm.Done, "killed", false}} {
		pl := begin(t, free())
		pl.s.Agents.Runs = []fsm.Run{{ID: "r", Type: "dev", Status: c.run}}
		if r := pl.notified("r", c.status).run("r"); r.Delivered != c.want || r.Status != c.run {
			t.Errorf("%s: %+v", name, r)
		}
	}
}
