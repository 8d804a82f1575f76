package main

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
)

// The judge is the real client. What it told its model, what the journal holds and what lies on disk is what counts.

func TestClientWalk(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		turns := append([]e2e.Turn{e2e.StartWait("bash-architect", "build it")}, s.walk()...)
		turns = append(turns, e2e.StartWait("bash-developer", "part 1"), e2e.Text("all done"))
		s.Say("main", turns...)
		s.Say("bash-developer", e2e.Call("Write", e2e.Input{"file_path": s.Path("out.txt"), "content": "made"}),
			e2e.Text("DONE: out.txt"))

		run := s.Claude(t, v, s.Model, "build me a thing", e2e.Allow(everything))

		run.WantTold(t, "main", "Context comes first", `state IDLE, where agent "bash-architect" may not run (it may in EXECUTING); start one of: context-gatherer`,
			"Next, start the context-refiner", "Next, start the strategic-orchestrator", "The plan is ready")
		run.WantTold(t, "context-refiner", "gathered 42")
		run.WantTold(t, "strategic-orchestrator", "refined 43")
		run.WantTold(t, "bash-developer", "planned 44")
		run.WantNotTold(t, "context-gatherer", "What context-gatherer found")
		if len(run.Asked("bash-architect")) != 0 {
			t.Error("the refused agent ran")
		}
		if s.Read("out.txt") != "made" {
			t.Error("the developer's file was not written")
		}
		view := s.wantState(run, "COMPLETE")
		if view.Context["gathered"] != "gathered 42" || view.Context["orchestration"] != "planned 44" {
			t.Errorf("context: %q", view.Context)
		}
		var walked []string
		for _, h := range view.History {
			walked = append(walked, h.Agent+" "+h.StateAfter)
		}
		want := "context-gatherer GATHERING, context-refiner REFINING, strategic-orchestrator EXECUTING, " +
			"bash-developer EXECUTING, turn ends COMPLETE"
		if got := strings.Join(walked, ", "); got != want {
			t.Errorf("history: %s", got)
		}
	})
}

func TestClientTwoInOneMessage(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", e2e.Together(e2e.StartWait("bash-architect", "x"), e2e.StartWait("context-gatherer", "go")),
			e2e.Text("done"))
		s.Say("context-gatherer", e2e.Text("gathered 42"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "may not run", "gathered 42", "Next, start the context-refiner")
		s.wantState(run, "GATHERING")
	})
}

// TestClientBackground: agents run in the background, which is what the newer client does when it is not asked. Each of
// the main agent's turns ends before its agent does.
func TestClientBackground(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", e2e.StartAside("context-gatherer", "go"), e2e.Text("waiting"),
			e2e.StartAside("context-refiner", "go"), e2e.Text("waiting"),
			e2e.StartAside("strategic-orchestrator", "go"), e2e.Text("waiting"),
			e2e.StartAside("bash-developer", "go"), e2e.Text("waiting"), e2e.Text("all done"))
		s.Say("context-gatherer", e2e.Text("gathered 42").Until(s.stops(1)))
		s.Say("context-refiner", e2e.Text("refined 43").Until(s.stops(2)))
		s.Say("strategic-orchestrator", e2e.Text("planned 44").Until(s.stops(3)))
		s.Say("bash-developer", e2e.Text("built 45").Until(s.stops(4)))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "Next, start the context-refiner", "Next, start the strategic-orchestrator",
			"The plan is ready")
		run.WantTold(t, "bash-developer", "planned 44")
		s.wantState(run, "COMPLETE")
	})
}

// stops holds when the main agent has ended so many turns.
func (s *enforced) stops(n int) e2e.Cond {
	return func() bool {
		for _, f := range s.journals() {
			if body, err := os.ReadFile(f); err == nil && strings.Count(string(body), `"kind":"turn-stop"`) >= n {
				return true
			}
		}
		return false
	}
}

// TestClientStopBetween: the main agent's turn ends between an agent's end and its notification. The pipeline must
// not be complete before the main agent has read what came back.
func TestClientStopBetween(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		ended := s.recorded(`"agent":"bash-developer","agent_id"`)
		turns := append(s.walk(), e2e.StartAside("bash-developer", "go"), e2e.Text("waiting").Until(ended),
			e2e.Text("all done"))
		s.Say("main", turns...)
		s.Say("bash-developer", e2e.Text("built 45"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		var at []string
		want := "EXECUTING"
		for _, r := range s.records(run.Session) {
			switch {
			case r.Event.Kind == fsm.TurnStop:
				at = append(at, r.State.Machine.State)
			case r.Event.Origin == fsm.Notification:
				want = "EXECUTING COMPLETE"
			}
		}
		if want == "EXECUTING" && v == e2e.Latest { // the older one may end before it has told the main agent
			t.Error("the main agent was never told")
		}
		if got := strings.Join(at, " "); got != want {
			t.Errorf("states at the turns' ends: %s, expected %s", got, want)
		}
	})
}

// TestClientQuestionCompletesNothing: the plan is there, no work was done, and the turn ends.
func TestClientQuestionCompletesNothing(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", append(s.walk(), e2e.Text("which of the two do you want?"))...)
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		s.wantState(run, "EXECUTING")
	})
}

func TestClientAgentThatFails(t *testing.T) {
	t.Run("API error", func(t *testing.T) {
		both(t, func(t *testing.T, v e2e.Version) {
			s := enforce(t)
			s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.Text("done"))
			s.Say("context-gatherer", e2e.Fail(400, "out of order"))
			run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything), e2e.Env("CLAUDE_CODE_MAX_RETRIES=0"))
			run.WantTold(t, "main", "the pipeline stays in IDLE")
			s.wantState(run, "IDLE")
		})
	})
	t.Run("it says so", func(t *testing.T) {
		both(t, func(t *testing.T, v e2e.Version) {
			s := enforce(t)
			s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.Text("done"))
			s.Say("context-gatherer", e2e.Text("BLOCKED: no access"))
			run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
			run.WantTold(t, "main", "the pipeline stays in IDLE")
			s.wantState(run, "IDLE")
		})
	})
	t.Run("killed with its client", func(t *testing.T) {
		both(t, func(t *testing.T, v e2e.Version) {
			s := enforce(t)
			s.Say("main", e2e.StartWait("context-gatherer", "go"))
			s.Say("context-gatherer", e2e.Text("never").Until(func() bool { return false }))
			run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything),
				e2e.Signal(os.Kill, e2e.All(s.recorded(`"kind":"agent-start"`), s.transcribed(`"name":"Agent"`))))
			hello := e2e.NewModel(t) // which turn this is depends on what the client had written when it was killed
			hello.Say("main", e2e.Text("hello"), e2e.Text("hello"), e2e.Text("hello"))
			again := s.Claude(t, v, hello, "go on", e2e.Resume(run.Session), e2e.Allow(everything))
			s.wantNote(again, "is lost: the session was started again")
			if view := s.wantState(again, "IDLE"); len(view.Session.RunningAgents()) != 0 {
				t.Errorf("still running: %+v", view.Session.RunningAgents())
			}
		})
	})
}

func TestClientResumeAndCompaction(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("context-gatherer", e2e.Text("gathered 42"))
		s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.Text("so far"), e2e.Text("I see"))
		s.When(e2e.IsCompaction, e2e.Text("<summary>it was short</summary>"))
		first := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		s.wantState(first, "GATHERING")
		second := s.Claude(t, v, s.Model, "go on", e2e.Resume(first.Session), e2e.Allow(everything))
		second.WantTold(t, "main", "The pipeline is in state GATHERING")
		s.Claude(t, v, s.Model, "/compact", e2e.Resume(first.Session))
		s.Say("main", e2e.Text("compacted"))
		third := s.Claude(t, v, s.Model, "and on", e2e.Resume(first.Session), e2e.Allow(everything))
		if asked := third.Asked("main"); len(asked) == 0 || !strings.Contains(asked[0].Told(), "GATHERING") &&
			!strings.Contains(asked[0].Told(), "context-refiner") {
			t.Errorf("after the compaction the main agent was told %s", third.ToldTo("main"))
		}
		s.wantState(third, "GATHERING")
		s.wantNote(third, "phantom")
	})
}

func TestClientFork(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("context-gatherer", e2e.Text("gathered 42"))
		s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.Text("so far"),
			e2e.StartWait("context-refiner", "go"), e2e.Text("done"))
		s.Say("context-refiner", e2e.Text("refined 43"))
		first := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		forked := s.Claude(t, v, s.Model, "another way", e2e.Resume(first.Session), e2e.Fork(), e2e.Allow(everything))
		if forked.Session == first.Session {
			t.Fatal("that was no fork")
		}
		s.wantState(forked, "REFINING")
		forked.WantTold(t, "context-refiner", "gathered 42")
		s.wantState(first, "GATHERING")
	})
}

func TestClientNested(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("context-gatherer", e2e.Text("gathered 42"))
		s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.StartWait("general-purpose", "[[helper]] go"),
			e2e.Text("done"))
		s.Say("helper", e2e.StartWait("context-refiner", "go"), e2e.StartWait("bash-developer", "go"),
			e2e.Text("helped"))
		s.Say("context-refiner", e2e.Text("refined 43"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "helper", "refined 43", `where agent "bash-developer" may not run`)
		s.wantNote(run, "was not started by the main agent")
		s.wantState(run, "GATHERING")
	})
}

func TestClientSkillAndWorkflow(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Skill("survey", "[[survey]] look around", "context: fork", "agent: context-gatherer")
		s.Skill("sneak", "[[sneak]] write it", "context: fork", "agent: bash-developer")
		flow := e2e.Call("Workflow",
			e2e.Input{"script": "export const meta = {name:'w', description:'d'}\n" +
				"return await agent('[[flow]] do it')"})
		s.Say("main", e2e.Call("Skill", e2e.Input{"skill": "sneak"}), flow,
			e2e.Call("Skill", e2e.Input{"skill": "survey"}), e2e.Text("done"))
		s.Say("survey", e2e.Text("surveyed 9"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", `skill "sneak" may not start an agent`, "a workflow may not start agents", "surveyed 9")
		if n := len(run.Asked("sneak")) + len(run.Asked("flow")); n != 0 {
			t.Errorf("what was refused asked the model %d times", n)
		}
		s.wantState(run, "GATHERING")
	})
}

// TestClientTypedSkill: what a person starts himself is let in; what it starts is judged.
func TestClientTypedSkill(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.withoutRules()
		s.Skill("build", "[[builder]] write it", "context: fork", "agent: bash-developer")
		s.Say("builder", e2e.Call("Bash", e2e.Input{"command": "echo built > out.txt"}), e2e.Text("built"))
		s.Say("main", e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "/build", e2e.Allow(everything))
		if s.Read("out.txt") != "built\n" {
			t.Error("what the person started could not work")
		}
		s.wantState(run, "IDLE")
	})
}
