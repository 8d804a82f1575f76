package fsm_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// TestStepsFromOneSession: what one step remembers is not what another from the same session does.
func TestStepsFromOneSession(t *testing.T) {
	p := free()
	p.Checks = []fsm.Check{{Name: "vet", Files: []string{"**"}, At: []string{fsm.AtTurnEnd}}}
	pl := begin(t, p)
	pl.s.Turn.Scheduled = append(make([]string, 0, 8), "x")
	pl.s.Turn.MissingChecks = append(make([]string, 0, 8), "x")
	from := pl.s
	first := pl.cron("first").s
	pl.s = from
	pl.cron("second")
	if !first.IsScheduled("first") || first.IsScheduled("second") {
		t.Errorf("%q", first.Turn.Scheduled)
	}
	missing := func(name string) fsm.Session {
		pl.s = from
		return pl.do(fsm.Event{Kind: fsm.TurnStop, Facts: fsm.Facts{Checks: []fsm.CheckResult{{Name: name,
			Missing: true}}}}).s
	}
	if a, b := missing("a"), missing("b"); slices.Equal(a.Turn.MissingChecks, b.Turn.MissingChecks) {
		t.Errorf("%q is %q", a.Turn.MissingChecks, b.Turn.MissingChecks)
	}
}

// TestClearedCaptures: only the graph's own capture takes the progress with it.
func TestClearedCaptures(t *testing.T) {
	for name, kept := range map[string]bool{"notes": true, fsm.TasksCapture: false} {
		p := from(fsm.FromAgent)
		p.Initial = "A"
		p.States = []fsm.State{{Name: "A", Triggers: []fsm.Trigger{{Name: "*", Agents: []string{"*"}, To: "B"}}},
			{Name: "B", Clear: []string{name}, Triggers: []fsm.Trigger{{Name: "*", Agents: []string{"*"}, To: "A"}}}}
		pl := planned(t, p, plan)
		pl.do(fsm.Event{Kind: fsm.Reset, Source: "A"}).do(fsm.Event{Kind: fsm.Reset, Source: "B"}).in("B")
		if (pl.s.Tasks.Progress != nil) != kept {
			t.Errorf("%s is cleared: progress %v", name, pl.s.Tasks.Progress)
		}
	}
}

// TestGrandchild: an agent waits while one below it waits for its own.
func TestGrandchild(t *testing.T) {
	pl := begin(t, free())
	for i, by := range []fsm.Agent{main(), sub("a0", "dev"), sub("a1", "dev")} {
		pl.asks(by, "dev", fmt.Sprint("u", i)).starts(fmt.Sprint("a", i), "dev")
	}
	pl.stops("a1", "dev", "so far").stops("a0", "dev", "so far")
	for _, r := range pl.s.Agents.Runs[:2] {
		if r.Status != fsm.Waiting {
			t.Errorf("%s is %s", r.ID, r.Status)
		}
	}
	pl.s.Agents.Runs[2].Status = fsm.Lost // only what waits is left
	if n := len(pl.s.RunningAgents()); n != 2 {
		t.Errorf("%d agents run", n)
	}
}

// TestCallsWithoutIDs: an agent is tied to a call only by an id that the call has.
func TestCallsWithoutIDs(t *testing.T) {
	bare := func(kind fsm.Kind, id string) fsm.Event {
		return fsm.Event{Kind: kind, Tool: fsm.Tool{Name: "Agent", Starts: &fsm.Start{How: fsm.ByAgent, Type: "dev"},
			Parts: []fsm.Part{{Tool: "Agent"}}, Result: fsm.Result{AgentID: id}}}
	}
	pl := begin(t, free()).do(bare(fsm.ToolRequest, "")).starts("a", "dev").do(bare(fsm.ToolFailure, ""))
	if r := pl.s.Agents.Runs[0]; r.Status != fsm.Running {
		t.Errorf("another call's failure: it is %s", r.Status)
	}
	pl = begin(t, agreed()).do(bare(fsm.ToolRequest, "")).do(bare(fsm.ToolRequest, "")).do(bare(fsm.ToolResult, "b"))
	for _, id := range []string{"b", "c"} {
		if pl.starts(id, "dev"); pl.s.Agents.Runs[len(pl.s.Agents.Runs)-1].By != "" {
			t.Errorf("%s was not admitted: %+v", id, pl.s.Agents.Runs)
		}
	}
	named := begin(t, free()).asks(main(), "dev", "1").starts("a", "dev").asks(main(), "dev", "2").starts("b", "dev")
	named.do(fsm.Event{Kind: fsm.ToolFailure, Tool: agentTool("dev", "2")})
	if r := named.s.Agents.Runs; r[0].Status != fsm.Running || r[1].Status != fsm.Failed {
		t.Errorf("%+v", r)
	}
}

// TestMessageByName: a name means the latest run that has it; an id counts before a name, and no name is none.
func TestMessageByName(t *testing.T) {
	p := free()
	p.Initial = "A"
	p.States = []fsm.State{{Name: "A", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "A"}}}}
	for name, want := range map[string]fsm.Verdict{"ann": fsm.Pass, "bob": fsm.Deny, "x1": fsm.Pass, "eve": fsm.Pass,
		"": fsm.Pass, "none": fsm.Pass} {
		pl := begin(t, p)
		pl.s.Agents.Runs = []fsm.Run{{ID: "eve", Type: "dev", Status: fsm.Done},
			{ID: "a", Type: "other", Name: "ann", Status: fsm.Done},
			{ID: "b", Type: "dev", Name: "ann", Status: fsm.Done},
			{ID: "c", Type: "dev", Name: "bob", Status: fsm.Done},
			{ID: "d", Type: "other", Name: "bob", Status: fsm.Done},
			{ID: "x1", Type: "dev", Name: "x2", Status: fsm.Done},
			{ID: "x2", Type: "other", Name: "x1", Status: fsm.Done},
			{ID: "e", Type: "other", Name: "eve", Status: fsm.Done}}
		if pl.do(starting(fsm.ByMessage, "", name)); pl.d.Verdict != want {
			t.Errorf("to %q: %s: %s", name, pl.d.Verdict, pl.d.Reason)
		}
	}
	first := begin(t, p)
	first.s.Agents.Runs = []fsm.Run{{ID: "a", Type: "other", Name: "ann", Status: fsm.Done}}
	first.do(starting(fsm.ByMessage, "", "ann")).denied("may not be resumed")
}

// TestWorkflows: one is known once, until it has ended; what it starts is admitted as long.
func TestWorkflows(t *testing.T) {
	start := starting(fsm.ByWorkflow, "workflow-subagent", "")
	ended := starting(fsm.ByWorkflow, "workflow-subagent", "")
	ended.Kind, ended.Tool.Result.Task = fsm.ToolResult, "t1"
	pl := workflow(t).do(start).do(ended)
	other := start
	other.Tool.UseID = "2"
	if pl.do(other); len(pl.s.Agents.Workflows) != 2 || pl.s.Agents.Workflows[0].Task != "t1" {
		t.Fatalf("%+v", pl.s.Agents.Workflows)
	}
	for _, id := range []string{"", "t2"} {
		if pl.notified(id, "completed"); len(pl.s.Agents.Workflows) != 2 {
			t.Errorf("%q ends %+v", id, pl.s.Agents.Workflows)
		}
	}
	if pl.notified("t1", "completed"); len(pl.s.Agents.Workflows) != 1 || pl.s.Agents.Workflows[0].UseID != "2" {
		t.Errorf("%+v", pl.s.Agents.Workflows)
	}
}

// TestAdmissionOfTwoWays: a call that both starts an agent and wakes one leaves both admissions.
func TestAdmissionOfTwoWays(t *testing.T) {
	pl := begin(t, free()).asks(main(), "dev", "1").asks(main(), "dev", "1")
	if n := len(pl.pending()); n != 1 {
		t.Errorf("the same call asked twice: %d", n)
	}
	pl.do(starting(fsm.BySkill, "dev", "s"))
	if n := len(pl.pending()); n != 2 {
		t.Errorf("another way: %d", n)
	}
}

// TestAskerIsForgotten: whose asker is no longer remembered will hardly start.
func TestAskerIsForgotten(t *testing.T) {
	pl := begin(t, limited(fsm.Limits{Running: 2}))
	pl.s.Agents.Runs = []fsm.Run{{Status: fsm.Admitted, How: fsm.ByAgent, Type: "dev", UseID: "0", By: "gone"}}
	pl.asks(main(), "dev", "1").passes().asks(main(), "dev", "2").passes().asks(main(), "dev", "3").denied("at most 2")
}

// TestTeams: only members that are at work make a team.
func TestTeams(t *testing.T) {
	for name, c := range map[string]struct {
		run  fsm.Run
		team bool
	}{
		"a member":           {fsm.Run{ID: "m", Type: "dev", Teammate: true, Status: fsm.Running}, true},
		"one that has ended": {fsm.Run{ID: "m", Type: "dev", Teammate: true, Status: fsm.Done}, false},
		"another agent":      {fsm.Run{ID: "m", Type: "dev", Status: fsm.Running}, false},
	} {
		pl := begin(t, free())
		pl.s.Agents.Forgotten, pl.s.Agents.Runs = 1, []fsm.Run{c.run}
		if pl.do(starting(fsm.ByMessage, "", "unheard-of")); (pl.d.Verdict == fsm.Pass) != c.team {
			t.Errorf("%s: a message to one that is not known: %s", name, pl.d.Verdict)
		}
	}
}

// TestSettledRuns: what has ended is forgotten, but for results that the main agent waits for.
func TestSettledRuns(t *testing.T) {
	for name, c := range map[string]struct {
		run  fsm.Run
		kept bool
	}{
		"runs":                   {fsm.Run{Status: fsm.Running}, true},
		"waits":                  {fsm.Run{Status: fsm.Waiting}, true},
		"its result is due":      {fsm.Run{Status: fsm.Done, Fired: true}, true},
		"its result is read":     {fsm.Run{Status: fsm.Done, Fired: true, Delivered: true}, false},
		"an agent has it":        {fsm.Run{Status: fsm.Done, Fired: true, By: "b"}, false},
		"it moved nothing":       {fsm.Run{Status: fsm.Done}, false},
		"it failed after a move": {fsm.Run{Status: fsm.Failed, Fired: true}, false},
	} {
		p := free()
		p.Subagents.List = []fsm.Rule{{Name: "few", Tools: []string{"Grep"}, Verdict: fsm.Deny, Budgeted: true,
			Budget: 1}}
		pl := begin(t, p)
		c.run.ID, c.run.Type = "first", "dev"
		pl.s.Agents.Runs = append(pl.s.Agents.Runs, c.run)
		pl.s.Budgets.Uses = []fsm.Budget{{Rule: "few", Agent: "first", Used: 1}}
		pl.s.Budgets.Recent = []fsm.RecentTools{{Tools: []string{"Read"}}, {Agent: "first", Tools: []string{"Read"}}}
		for i := range 20 {
			pl.s.Agents.Runs = append(pl.s.Agents.Runs, fsm.Run{ID: fmt.Sprint("r", i), Type: "dev",
				Status: fsm.Failed})
		}
		pl.starts("new", "dev")
		if pl.s.HasAgent("first") != c.kept || len(pl.s.Budgets.Uses) > 0 != c.kept || !pl.s.HasAgent("r19") {
			t.Errorf("%s: kept %v, %+v", name, pl.s.HasAgent("first"), pl.s.Budgets.Uses)
		}
		if recent := pl.s.Budgets.Recent; len(recent) == 2 != c.kept || recent[0].Agent != "" {
			t.Errorf("%s: its last calls: %+v", name, recent)
		}
		if want := map[bool]int{true: 22, false: 21}[c.kept]; len(pl.s.Agents.Runs) != want {
			t.Errorf("%s: %d are kept", name, len(pl.s.Agents.Runs))
		}
	}
}

// TestOpenTasks: a task's subject follows the host, as far as subjects are kept.
func TestOpenTasks(t *testing.T) {
	pl := begin(t, free())
	pl.do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "TodoWrite", Listed: true,
		Todos: slices.Repeat([]string{"work"}, 42)}})
	if o := pl.s.Tasks.Open; len(o) != 42 || o[39].Subject != "work" || o[40].Subject != "" {
		t.Fatalf("%+v", o)
	}
	change := func(id, subject, status string) { pl.task(hostTask(id, subject, status)) }
	change("1", "other work", "pending")
	change("2", "", "pending")
	change("41", "beyond", "pending")
	change("99", "", "completed")
	if o := pl.s.Tasks.Open; len(o) != 42 || o[0].Subject != "other work" || o[1].Subject != "work" ||
		o[40].Subject != "" {
		t.Errorf("%+v", o[:2])
	}
}

// TestNoticesForTheAgent: each once, shortened.
func TestNoticesForTheAgent(t *testing.T) {
	long := strings.Repeat("long ", 200)
	pl := asksPerson(t)
	pl = plans(pl, "s", "the plan")
	hash := pl.s.Machine.Approval.Text.Hash
	pl.do(answers(fsm.Reject, hash, long)).says("so?")
	if n := len(pl.d.Inject); n > 2000 || !strings.Contains(pl.d.Inject, "long long") {
		t.Errorf("%d bytes are said", n)
	}
	pl = defaults(t)
	for _, id := range []string{"a", "b"} {
		pl.starts(id, "bash-developer").stops(id, "bash-developer", "done")
	}
	if n := len(pl.s.Talk.Notices); n != 1 {
		t.Errorf("%d notices: %+v", n, pl.s.Talk.Notices)
	}
}

func hostTask(id, subject, status string) tasks.HostTask {
	return tasks.HostTask{ID: id, Subject: subject, Status: status}
}
