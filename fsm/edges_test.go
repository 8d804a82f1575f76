package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestLaunchNamesItsAdmission: the host names an agent in the background; only the
// admission of that very call gets the id.
func TestLaunchNamesItsAdmission(t *testing.T) {
	pl := begin(t, &fsm.Policy{Level: fsm.Strict}).asks(main(), "dev", "u1").asks(main(), "dev", "u2").asks(main(),
		"dev", "u3")
	pl.launched("dev", "u2", "a2")
	pl.result("dev", "u3", "a3") // it is over already: nothing starts under this id any more
	got := map[string]string{}
	for _, a := range pl.pending() {
		got[a.UseID] = a.ID
	}
	if want := map[string]string{"u1": "", "u2": "a2", "u3": ""}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("admissions have the ids %v, expected %v", got, want)
	}
	if pl.starts("b", "dev"); pl.run("b").UseID == "u2" {
		t.Error("another agent is taken for it")
	}
	if r := pl.starts("a2", "dev").run("a2"); r.UseID != "u2" || !r.Background {
		t.Errorf("the agent started by %q, in the background: %v", r.UseID, r.Background)
	}
}

// TestSessionStartReleasesBudgets: a call that was let through and never made is free
// again once the session starts again; one that was made is not.
func TestSessionStartReleasesBudgets(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{{Name: "few", Tools: []string{"Read"},
		Verdict: fsm.Deny, Budgeted: true, Budget: 1}}}}
	read := func(pl *play, use string) *play {
		return pl.do(fsm.Event{Kind: fsm.ToolRequest,
			Tool: fsm.Tool{Name: "Read", UseID: use, Parts: []fsm.Part{{Tool: "Read"}}}})
	}
	pl := read(begin(t, p), "1").passes()
	read(pl, "2").denied("attempt 2 of 1")
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"})
	read(pl, "3").passes().do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Read", UseID: "3"}})
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"})
	read(pl, "4").denied("refused again")
}

// TestBriefOfNestedAgents: the state's brief is for the main agent's agents, and for
// those whose caller is unknown. An agent of an agent has its task from that one.
func TestBriefOfNestedAgents(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{{Name: "A", Brief: "The brief.",
		Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev", "helper"}, To: "A"}}}}}
	pl := begin(t, p).asks(main(), "dev", "u1").starts("d", "dev").told("The brief.")
	pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(), Tool: fsm.Tool{Name: "ExitPlanMode", Planned: true}})
	pl.asks(sub("d", "dev"), "helper", "u2").starts("h", "helper").told("")
	if !pl.s.Tasks.Planned {
		t.Error("an agent's agent has begun the main agent's plan")
	}
	if pl.starts("x", "helper").told("The brief."); pl.s.Tasks.Planned {
		t.Error("the plan has not begun")
	}
	pl.do(fsm.Event{Kind: fsm.Compacted, Agent: sub("h", "helper")}).told("The brief.")
}

// TestClearedTasks: a state that clears the capture "tasks" forgets the graph's order.
func TestClearedTasks(t *testing.T) {
	for _, clear := range []string{"", fsm.TasksCapture} {
		p := &fsm.Policy{Level: fsm.Strict, Initial: "A", Tasks: fsm.TaskSource{From: []string{fsm.FromPlan}},
			States: []fsm.State{
				{Name: "A", OnPlan: "A", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev", "critic"},
					To: "A"}}},
				{Name: "B", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev", "critic"}, To: "B"}}}}}
		if clear != "" {
			p.States[1].Clear = []string{clear}
		}
		plan := `{"phases":[{"id":"one","agent":"dev"},{"id":"two","agent":"critic","after":["one"]}]}`
		pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolResult,
			Tool: fsm.Tool{Name: "ExitPlanMode", Planned: true, Plan: plan}})
		pl.asks(main(), "critic", "u1").denied("which waits for: one (dev)")
		pl.do(fsm.Event{Kind: fsm.Reset, Source: "B"}).in("B").asks(main(), "critic", "u2")
		if kept := pl.s.Tasks.Progress != nil; kept == (clear != "") || kept != (pl.d.Verdict == fsm.Deny) {
			t.Errorf("clearing %q: the graph is kept: %v, and critic gets %s", clear, kept, pl.d.Verdict)
		}
	}
}

// TestGraphCountsFromWhereItsAgentLeads: a graph in a final message is for the state
// that the completion leads to, by what the message says.
func TestGraphCountsFromWhereItsAgentLeads(t *testing.T) {
	p := func() *fsm.Policy {
		return &fsm.Policy{Level: fsm.Strict, Initial: "A", Tasks: fsm.TaskSource{From: []string{fsm.FromAgent}},
			States: []fsm.State{
				{Name: "A", Triggers: []fsm.Trigger{{Name: "planner", Agents: []string{"planner"}, Says: "GO", To: "B"},
					{Name: "planner 2", Agents: []string{"planner"}, To: "C"}, {Name: "early",
						Agents: []string{"early"},
						To:     "A", Helper: true}}},
				{Name: "B", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "B"}}},
				{Name: "C", Triggers: []fsm.Trigger{{Name: "critic", Agents: []string{"critic"}, To: "C"}}}}}
	}
	for _, c := range []struct{ says, agent, in string }{
		{"GO", "dev", "B"}, {"stay", "critic", "C"}, {"GO", "early", ""}, {"GO", "critic", ""}, {"stay", "dev", ""},
	} {
		graph := fmt.Sprintf("%s\n```json\n{\"phases\":[{\"id\":\"a\",\"agent\":%q}]}\n```", c.says, c.agent)
		pl := begin(t, p()).asks(main(), "planner", "u1").starts("p", "planner").stops("p", "planner", graph)
		switch {
		case c.in != "":
			if pl.in(c.in); pl.d.Hold || pl.s.Tasks.Progress == nil {
				t.Errorf("%s after %q: %s", c.agent, c.says, pl.d.Reason)
			}
		case !pl.d.Hold || !strings.Contains(pl.d.Reason, fmt.Sprintf("admits agent %q", c.agent)):
			t.Errorf("%s after %q: held %v, %q", c.agent, c.says, pl.d.Hold, pl.d.Reason)
		}
	}
	// An agent of another agent leads nowhere: its graph binds no agent.
	nested := begin(t, p()).asks(main(), "early", "u1").starts("e", "early").asks(sub("e", "early"), "planner",
		"u2").starts("p", "planner")
	nested.stops("p", "planner", "GO\n```json\n{\"phases\":[{\"id\":\"a\",\"agent\":\"early\"}]}\n```").in("A")
	if nested.d.Hold || nested.s.Tasks.Progress != nil {
		t.Errorf("the graph of an agent's agent: %s", nested.d.Reason)
	}
}
