package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

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
	pl.ends().held(fsm.RuleHold, "The turn is not over yet. 3 of 3 phases of the plan are not done: look (Explore), build (dev), test (tester); ready now: look (Explore). Go on; left: 3 of 3")
	pl.hears("").stopsAgain().held(fsm.RuleHold, "3 of 3").noted("2 of 3 times").stopsAgain().held(fsm.RuleHold,
		"3 of 3")
	pl.stopsAgain().over().hears("the turn ended with work left, after it was held 3 times: 3 of 3").stopsAgain().over()
	pl.says("go on").ends().held(fsm.RuleHold, "3 of 3").noted("1 of 3 times") // a new turn counts again
	pl.runs("e", "Explore", "found").runs("d", "dev", "built").stopsAgain().held(fsm.RuleHold,
		"1 of 3 phases of the plan are not done: test (tester)")
	pl.runs("t", "tester", "fine").stopsAgain().over().hears("")
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
	begin(t, holding(3, "plan")).do(typed(&fsm.Start{How: fsm.ByPerson, Name: "planning"}, "planning")).ends().over() // an agent plans
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

// gated is a result of the gate in the way of a trigger, as the session stands.
func (pl *play) gated(e fsm.Event, ok bool) fsm.Event {
	pl.Helper()
	e.Session = "s1"
	g, key := pl.p.SelectGate(pl.s, e)
	if g == nil {
		pl.Fatalf("%s has no gate", e.Kind)
	}
	e.Facts.Gate = &fsm.GateResult{Key: key, OK: ok, Output: "what it printed"}
	return e
}

func TestHoldGate(t *testing.T) {
	p := free()
	p.Hold = fsm.Hold{Gate: &fsm.Gate{Run: "make test"}, Tries: 2}
	pl, stop := begin(t, p), fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}}
	pl.do(pl.gated(stop, false)).held(fsm.RuleGate,
		"The command \"make test\" must succeed first, and fails. The end of what it printed:\nwhat it printed")
	pl.do(stop).over() // its result is missing
	tasked := *p
	tasked.Hold.Until = []string{"graph", "tasks"}
	both := begin(t, &tasked).task(tasks.HostTask{ID: "1", Subject: "write it", Status: "pending"})
	both.do(both.gated(stop, false)).held(fsm.RuleHold,
		"over yet. 1 task of the task list is open: 1 write it. The command")
	stop.Held = true
	pl.do(pl.gated(stop, true)).over().hears("")
	old := pl.gated(stop, false)
	old.Facts.Gate.Key = "another/1/turn ends"
	pl.do(old).over()
	pl.asks(main(), "dev", "1").starts("d", "dev")
	if g, _ := p.SelectGate(pl.s, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{IDs: []string{"d"}}}); g != nil {
		t.Error("a gate is run while an agent is at work")
	}
	if g, _ := p.SelectGate(pl.s, stop); g == nil {
		t.Error("no gate is run after an agent has died")
	}
}

// crossing is a pipeline with a gate on its only way on, and a way that must not be taken in its place.
func crossing() *fsm.Policy {
	p := free()
	p.Initial = "A"
	p.States = []fsm.State{{Name: "A", Triggers: []fsm.Trigger{
		{Name: "dev", Agents: []string{"dev"}, Says: "^DONE", To: "B", Gate: &fsm.Gate{Run: "make test", Tries: 2}},
		{Name: "*", Agents: []string{"*"}, To: "C"}}},
		{Name: "B", Triggers: []fsm.Trigger{{Name: "*", Agents: []string{"*"}, To: "A"}}}, {Name: "C", Triggers: []fsm.Trigger{{Name: "*", Agents: []string{"*"}, To: "A"}}}}
	return p
}

func stopOf(id, agent, says string) fsm.Event {
	return fsm.Event{Kind: fsm.AgentStop, Agent: sub(id, agent), Text: says}
}

func TestGateOnAMove(t *testing.T) {
	pl := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	pl.do(pl.gated(stopOf("d", "dev", "DONE"), false)).held(fsm.RuleGate, "what it printed").in("A")
	pl.do(pl.gated(stopOf("d", "dev", "DONE"), true)).over().in("B").hears("")
}

func TestGateLetsGo(t *testing.T) {
	pl := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	for range 2 {
		pl.do(pl.gated(stopOf("d", "dev", "DONE"), false)).held(fsm.RuleGate, "make test").in("A")
	}
	pl.do(pl.gated(stopOf("d", "dev", "DONE"),
		false)).over().in("A").hears("agent dev was sent back 2 times and did not fix this")
	pl.result("dev", "1",
		"d").told(`Agent "dev" came back, and "make test" does not succeed, so the pipeline stays in A.`)
}

// TestGateIsForItsMove: no other move is taken instead, one without a gate needs none, and a result counts where it was
// asked for.
func TestGateIsForItsMove(t *testing.T) {
	pl := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	if g, _ := pl.p.SelectGate(pl.s, stopOf("d", "dev", "BLOCKED")); g != nil {
		t.Error("another message takes a move without a gate")
	}
	late := pl.gated(stopOf("d", "dev", "DONE"), true)
	pl.asks(main(), "x", "2").starts("x", "x").stops("x", "x", "y").in("C").runs("y", "y", "y").in("A")
	pl.asks(main(), "dev", "3").starts("e", "dev")
	late.Agent = sub("e", "dev")
	pl.do(late).over().in("A").result("dev", "3", "e").told(`"make test" could not be tried`)
	pl.runs("z", "dev", "BLOCKED").in("C")
}

func TestGateLevels(t *testing.T) {
	p := crossing()
	p.Level = fsm.Guidance
	pl := begin(t, p).asks(main(), "dev", "1").starts("d", "dev")
	pl.do(pl.gated(stopOf("d", "dev", "DONE"), false)).over().in("B")
	lifted := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	e := lifted.gated(stopOf("d", "dev", "DONE"), false)
	e.Facts.Overrides.Bypasses = []fsm.Bypass{{ID: "1", Rule: fsm.RuleGate}}
	lifted.do(e).over().in("B").noted("bypass")
	late := begin(t, crossing()).asks(main(), "dev", "1").starts("d", "dev")
	e = late.gated(stopOf("d", "dev", "DONE"), false)
	e.Late = true
	late.do(e).over().in("A")
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
