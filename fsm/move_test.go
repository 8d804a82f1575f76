package fsm_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// asksPerson is the default policy in which a person must agree before EXECUTING.
func asksPerson(t *testing.T) *play {
	t.Helper()
	pl := defaults(t)
	st := pl.p.States
	for i := range st {
		for j := range st[i].Triggers {
			if st[i].Triggers[j].To == "EXECUTING" && st[i].Name == "REFINING" {
				st[i].Triggers[j].Gate = &fsm.Gate{Person: "read the plan"}
			}
		}
	}
	return pl.runs("g", "context-gatherer", "found").says("1").runs("r", "context-refiner",
		"refined").says("2").in("REFINING")
}

// plans has the planner come back, of which the person hears.
func plans(pl *play, id, text string) *play {
	const planner = "strategic-orchestrator"
	return pl.asks(main(), planner, id).passes().starts(id, planner).stops(id, planner,
		text).hears("waits for you: read the plan").result(planner, id, id).
		told("must agree before the pipeline goes on: read the plan")
}

func answers(kind fsm.Kind, hash, why string) fsm.Event {
	return fsm.Event{Kind: kind, Source: hash, Text: why}
}

// TestApprovalWaits: the agent comes back, the machine stays, both hear of it, and no turn is held for it. A person's
// word moves it, with the text that waited.
func TestApprovalWaits(t *testing.T) {
	pl := plans(asksPerson(t), "s", "the plan").in("REFINING")
	a := pl.s.Machine.Approval
	if a == nil || a.Ask != "read the plan" || a.Agent != "strategic-orchestrator" || a.Text.Size != len("the plan") {
		t.Fatalf("%+v", a)
	}
	pl.asks(main(), "bash-developer", "3").denied("the user must agree first")
	pl.p.Hold = fsm.Hold{Until: []string{"tasks"}, Tries: 3}
	pl.task(tasks.HostTask{ID: "1", Subject: "write it",
		Status: "pending"}).ends().over().hears("waits for you").in("REFINING")
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"}).told("the user must agree first")
	pl.do(answers(fsm.Approve, a.Text.Hash, "")).in("EXECUTING").holds("orchestration", "the plan").silent("trigger ")
	if pl.s.Machine.Approval != nil || len(pl.d.Moves) != 1 || pl.d.Moves[0].Agent != "strategic-orchestrator" {
		t.Errorf("%+v %+v", pl.s.Machine.Approval, pl.d.Moves)
	}
	pl.says("and now").told("agrees to what").asks(main(), "bash-developer", "4").passes()
}

// TestApprovalOfAnother: a person agrees to what was seen, not to what came meanwhile.
func TestApprovalOfAnother(t *testing.T) {
	pl := plans(asksPerson(t), "s", "the plan")
	seen := pl.s.Machine.Approval.Text.Hash
	if a := pl.s.Machine.Approval; a.CheckSeen("") != nil || a.CheckSeen(a.Hash()) != nil ||
		a.CheckSeen(seen[:11]) == nil {
		t.Errorf("the first result: %+v", a)
	}
	if got := pl.s.Machine.Approval.Command(); got != "approve" {
		t.Error(got)
	}
	plans(pl.says("3"), "s2", "another plan").ends().hears("another result than before, ")
	a := *pl.s.Machine.Approval
	if got := a.Command(); got != "approve "+a.Hash() {
		t.Error(got)
	}
	if err := a.CheckSeen(""); !strings.Contains(err.Error(), "another result came since you were asked before") {
		t.Error(err)
	}
	if err := a.CheckSeen(seen); !strings.Contains(err.Error(), "does not wait; what waits is the result "+a.Hash()) {
		t.Error(err)
	}
	for hash, ok := range map[string]bool{"": false, seen: false, seen[:12]: false, "another": false,
		a.Text.Hash + "0": false,
		a.Text.Hash:       true, a.Hash(): true, strings.ToUpper(a.Hash()): true} {
		if err := a.CheckSeen(hash); ok != (err == nil) {
			t.Errorf("%q: %v", hash, err)
		}
	}
	pl.do(answers(fsm.Approve, seen, "")).in("REFINING").noted("another result waits")
	pl.do(answers(fsm.Approve, pl.s.Machine.Approval.Text.Hash, "")).in("EXECUTING").holds("orchestration",
		"another plan")
	pl.do(answers(fsm.Approve, seen, "")).in("EXECUTING").noted("nothing waits")
}

// TestApprovalOfWhichResult: an answer needs the result's name once the person was asked about another one that was not
// answered, also where that one no longer waits. The same result is no other one.
func TestApprovalOfWhichResult(t *testing.T) {
	for name, c := range map[string]struct {
		between func(pl *play)
		text    string
		again   bool
	}{
		"another result":  {func(pl *play) {}, "another plan", true},
		"the same result": {func(pl *play) {}, "the plan", false},
		"the first one was dropped": {func(pl *play) {
			pl.do(fsm.Event{Kind: fsm.Reset, Source: "REFINING",
				Text: "x"})
		}, "the plan", true},
		"the first one was rejected": {func(pl *play) {
			pl.do(answers(fsm.Reject, pl.s.Machine.Approval.Text.Hash, "no"))
		}, "another plan", false},
		"the wrong one was rejected": {func(pl *play) { pl.do(answers(fsm.Reject, "0", "no")) }, "another plan", true},
	} {
		pl := plans(asksPerson(t), "s", "the plan")
		c.between(pl.says("3"))
		if plans(pl.says("4"), "s2", c.text); pl.s.Machine.Approval.Again != c.again {
			t.Errorf("%s: %+v", name, pl.s.Machine.Approval)
		}
	}
}

// TestApprovalRejected: the agent hears why, and may start again.
func TestApprovalRejected(t *testing.T) {
	pl := plans(asksPerson(t), "s", "the plan")
	pl.do(answers(fsm.Reject, pl.s.Machine.Approval.Text.Hash,
		"the tests are missing.")).in("REFINING").noted("was rejected")
	if pl.s.Machine.Approval != nil {
		t.Error("it still waits")
	}
	pl.says("go on").told("does not agree").told("the tests are missing. Start it again")
	plans(pl, "s2", "a better plan")
}

// TestApprovalEnds with the state: what waits is dropped when the pipeline goes elsewhere, and in a fork.
func TestApprovalEnds(t *testing.T) {
	for name, leave := range map[string]func(pl *play){
		"another agent leads elsewhere": func(pl *play) {
			pl.says("5").runs("g2", "context-gatherer",
				"more").in("GATHERING")
		},
		"a reset": func(pl *play) { pl.do(fsm.Event{Kind: fsm.Reset, Text: "x"}).in("IDLE") },
		"a fork": func(pl *play) {
			parent := pl.s
			pl.s = fsm.Session{}
			pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "fork", Facts: fsm.Facts{Parent: &parent}}).in("REFINING")
		},
		"a policy without the move": func(pl *play) {
			hash := pl.s.Machine.Approval.Text.Hash
			pl.p = states(pl.TB)
			for i := range pl.p.States {
				pl.p.States[i].Triggers = pl.p.States[i].Triggers[:1]
			}
			pl.do(answers(fsm.Approve, hash, "")).in("REFINING").noted("trigger strategic-orchestrator: ")
		},
	} {
		pl := plans(asksPerson(t), "s", "the plan")
		if leave(pl); pl.s.Machine.Approval != nil {
			t.Errorf("%s: it still waits", name)
		}
	}
}

// TestApprovalAfterTheAgentIsForgotten: the machine moves, with the agent's name in the record.
func TestApprovalAfterTheAgentIsForgotten(t *testing.T) {
	pl := plans(asksPerson(t), "s", "the plan")
	pl.s.Agents.Runs = nil
	pl.do(answers(fsm.Approve, "", "")).in("EXECUTING").noted("was approved") // no hash: whatever waits
	if len(pl.d.Moves) != 1 || pl.d.Moves[0].AgentID != "s" {
		t.Errorf("%+v", pl.d.Moves)
	}
}

// TestApprovalNeedsNoOne where the level does not bind, and where gates are bypassed.
func TestApprovalNeedsNoOne(t *testing.T) {
	pl := asksPerson(t)
	pl.p.Level = fsm.Guidance
	pl.runs("s", "strategic-orchestrator", "the plan").in("EXECUTING")
	if strings.Contains(strings.Join(pl.d.Notices, " "), "waits for you") {
		t.Errorf("%q", pl.d.Notices)
	}
}

// planning is the default table, in which an approved plan leads from IDLE to EXECUTING.
func planning(t *testing.T) *fsm.Policy {
	p := *states(t)
	p.States = append([]fsm.State(nil), p.States...)
	for i := range p.States {
		switch st := &p.States[i]; st.Name {
		case "IDLE":
			st.OnPlan, st.Capture = "EXECUTING", "orchestration"
		case "EXECUTING":
			st.Inject = "Do it: {{ .Context.orchestration }}"
		}
	}
	return &p
}

// approves is the result of a call that shows a plan.
func (pl *play) approves(by fsm.Agent, plan string, unasked bool) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: by,
		Tool: fsm.Tool{Name: "ExitPlanMode", UseID: "p", Planned: true, Plan: plan, Unasked: unasked}})
}

func TestApprovedPlan(t *testing.T) {
	pl := begin(t, planning(t)).approves(main(), "first this, then that", false).in("EXECUTING")
	pl.told("Do it: first this, then that").holds("orchestration", "first this, then that")
	want := fsm.Move{Trigger: fsm.PlanApproved, From: "IDLE", To: "EXECUTING", Capture: "orchestration"}
	if len(pl.d.Moves) != 1 || pl.d.Moves[0] != want || len(pl.d.Notes) > 0 {
		t.Errorf("recorded %+v; %q", pl.d.Moves, pl.d.Notes)
	}
	pl.asks(main(), "bash-developer", "1").passes().starts("b", "bash-developer").told("first this, then that")
	pl.stops("b", "bash-developer", "done").used("Read").ends().in("COMPLETE")

	t.Run("what moves nothing", func(t *testing.T) {
		begin(t, planning(t)).approves(main(), "x", true).in("IDLE").noted("did not ask")
		begin(t, planning(t)).approves(sub("a", "Plan"), "x", false).in("IDLE")
		begin(t, planning(t)).used("ExitPlanMode").in("IDLE") // only the host's word counts
		begin(t, planning(t)).do(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "ExitPlanMode", UseID: "p",
			Parts: []fsm.Part{{Tool: "ExitPlanMode"}}}}).in("IDLE")
		begin(t, states(t)).approves(main(), "x", false).in("IDLE")
		begin(t, planning(t)).executing().approves(main(), "x", false).in("EXECUTING")
	})
	t.Run("beside what was captured before", func(t *testing.T) {
		p := planning(t)
		for i := range p.States {
			if st := &p.States[i]; st.Name == "GATHERING" {
				st.OnPlan, st.Capture = "EXECUTING", "orchestration"
			} else if st.Name == "EXECUTING" {
				st.Inject = "After {{ .Context.gathered }}: {{ .Context.orchestration }}"
			}
		}
		begin(t, p).runs("g", "context-gatherer", "found").approves(main(), "a plan",
			false).in("EXECUTING").told("After found: a plan")
	})
	t.Run("a state that keeps no plan", func(t *testing.T) {
		p := planning(t)
		for i := range p.States {
			p.States[i].Capture = ""
		}
		if pl := begin(t, p).approves(main(), "x", false).in("EXECUTING"); len(pl.s.Machine.Captures) > 0 {
			t.Errorf("%v", pl.s.Machine.Captures)
		}
	})
	t.Run("a plan without a text", func(t *testing.T) {
		pl := begin(t, planning(t)).approves(main(), "", false).in("EXECUTING")
		if _, ok := pl.s.Machine.Captures["orchestration"]; ok {
			t.Error("nothing was captured")
		}
	})
}

// TestCompletedWithoutALead: an agent that completes where nothing leads on moves nothing, and the record says why.
func TestCompletedWithoutALead(t *testing.T) {
	p := *defaults(t).p
	p.Level = fsm.Guidance // it lets an agent start that the state does not admit
	begin(t, &p).asks(main(), "Explore", "u").starts("x", "Explore").
		stops("x", "Explore", "found").in("IDLE").noted("nothing in IDLE leads on from it")
}

// TestCompletedTwice: an agent that comes back again moves nothing. The main agent hears that this result does not
// count where the first one would have led on, or left a text.
func TestCompletedTwice(t *testing.T) {
	policy := func(trigger fsm.Trigger) *fsm.Policy {
		trigger.Name, trigger.Agents = "dev", []string{"dev"}
		return &fsm.Policy{Level: fsm.Strict, Initial: "A",
			States: []fsm.State{{Name: "A", Triggers: []fsm.Trigger{trigger}}, {Name: "B"}}}
	}
	for _, c := range []struct {
		what    string
		trigger fsm.Trigger
		heard   bool
	}{
		{"it led out", fsm.Trigger{To: "B"}, true},
		{"it stayed", fsm.Trigger{To: "A"}, false},
		{"another text is kept since", fsm.Trigger{To: "A", Capture: "notes"}, true},
	} {
		t.Run(c.what, func(t *testing.T) {
			pl := begin(t, policy(c.trigger)).runs("d", "dev", "first")
			if c.trigger.To == "A" {
				pl.runs("d2", "dev", "second")
			} else {
				pl.do(fsm.Event{Kind: fsm.Reset, Source: "A", Text: "again"}).in("A")
			}
			pl.starts("d", "dev").stops("d", "dev", "third").in("A").
				noted("agent d (dev) had completed before: it moves nothing twice").says("go on")
			if got := strings.Contains(pl.d.Inject, `result of agent "dev" does not count`); got != c.heard {
				t.Errorf("injected %q; notes %q", pl.d.Inject, pl.d.Notes)
			}
		})
	}
}

// TestApprovalOfTheFirstMove: the move that a person agrees to is made as the config says, also the first one.
func TestApprovalOfTheFirstMove(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{{Name: "A", Triggers: []fsm.Trigger{
		{Name: "dev", Agents: []string{"dev"}, To: "B", Capture: "notes", Gate: &fsm.Gate{Person: "read it"}}}},
		{Name: "B"}}}
	pl := begin(t, p).asks(main(), "dev", "1").starts("d", "dev").stops("d", "dev", "what it found").in("A")
	a := pl.s.Machine.Approval
	pl.noted("agent d (dev) completed; the result " + a.Hash() + " waits for a person: read it")
	pl.do(answers(fsm.Approve, "", "")).in("B").holds("notes", "what it found")
}

// TestCompletedTwiceElsewhere: no agent waits for one that comes back again where it may not run, or only helps.
func TestCompletedTwiceElsewhere(t *testing.T) {
	for _, in := range [][]fsm.Trigger{nil, {{Name: "dev", Agents: []string{"dev"}, To: "A", Helper: true}}} {
		p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{{Name: "A",
			Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "B"}}}, {Name: "B", Triggers: in}}}
		pl := begin(t, p).runs("d", "dev", "first").in("B").starts("d", "dev").stops("d", "dev", "second").in("B")
		if len(pl.s.Talk.Notices) > 0 {
			t.Errorf("%+v: %+v", in, pl.s.Talk.Notices)
		}
	}
}

// TestCompletedWithoutAnID: an agent that its host gives no id comes back twice as any other.
func TestCompletedWithoutAnID(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Initial: "A", States: []fsm.State{
		{Name: "A", Triggers: []fsm.Trigger{{Name: "dev", Agents: []string{"dev"}, To: "B"}}}, {Name: "B"}}}
	pl := begin(t, p).asks(main(), "dev", "1").starts("", "dev").ends().stops("", "dev", "first").in("B")
	pl.stops("", "dev", "second").in("B").noted("had completed before: it moves nothing twice")
	if len(pl.s.Machine.Captures) > 0 {
		t.Errorf("%+v", pl.s.Machine.Captures)
	}
}

// TestGraphsOfWhom: the main agent's own agents bring the order of work, where no reset came between; not an agent's
// agent, not a helper, and not one that is forgotten.
func TestGraphsOfWhom(t *testing.T) {
	p := from(fsm.FromAgent, fsm.FromPlan)
	p.Tasks.Agents = nil
	started := func() *play { return begin(t, p).asks(main(), "dev", "1").starts("d", "dev") }
	started().stops("d", "dev", plan).marks("")
	started().asks(sub("d", "dev"), "other", "2").starts("o", "other").stops("o", "other", plan).marks("none")
	started().do(fsm.Event{Kind: fsm.Reset}).stops("d", "dev", plan).marks("none")
	const graph = `{"phases":[{"id":"a","agent":"dev"}]}`
	helps := fsm.Trigger{Name: "helper", Agents: []string{"helper"}, To: "A", Helper: true}
	leads := fsm.Trigger{Name: "dev", Agents: []string{"dev"}, To: "A", Gate: &fsm.Gate{Person: "read it"}}
	p.Initial, p.States = "A", []fsm.State{{Name: "A", Triggers: []fsm.Trigger{helps, leads}}}
	begin(t, p).runs("h", "helper", graph).marks("none")
	agreed := started().stops("d", "dev", graph).marks("none")
	forgotten := *agreed
	agreed.do(answers(fsm.Approve, "", "")).marks("")
	forgotten.s.Agents.Runs = nil
	forgotten.do(answers(fsm.Approve, "", "")).marks("none")
}

// TestUnseenStartsAreReported: an agent whose start was not seen does not count, and a notice says so. Of a workflow's
// agent, an agent's agent and a helper nothing is expected.
func TestUnseenStartsAreReported(t *testing.T) {
	nested := defaults(t).executing().asks(main(), "bash-developer", "1").starts("b", "bash-developer")
	for name, c := range map[string]struct {
		pl    *play
		agent string
		heard bool
	}{
		"a worker":     {defaults(t), "context-gatherer", true},
		"a helper":     {defaults(t).executing(), "Explore", false},
		"a workflow's": {workflow(t), "context-gatherer", false},
		"an agent's":   {nested.asks(sub("b", "bash-developer"), "c-developer", "2"), "c-developer", false},
	} {
		c.pl.starts("x", c.agent).stops("x", c.agent, "found").noted("was not started by the main agent")
		if heard := len(c.pl.s.Talk.Notices) > 0; heard != c.heard {
			t.Errorf("%s: %+v", name, c.pl.s.Talk.Notices)
		}
	}
}
