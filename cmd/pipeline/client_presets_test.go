package main

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
)

// What each preset promises, with the real client.

// preset is a project with a preset, as `pipeline init` writes it; of its agents these speak as their markers say.
func preset(t testing.TB, name string, agents ...string) *enforced {
	t.Helper()
	s := &enforced{e2e.NewProject(t), e2e.NewModel(t), t}
	s.Git()
	s.initShipped(name)
	s.pipeline("install")
	for _, a := range agents {
		s.Agent(a, "[["+a+"]]")
	}
	for _, f := range []string{"a", "b", "c", "d"} {
		s.Write(f+".txt", "content-"+f+"\n")
	}
	return s
}

func (s *enforced) read(name string) e2e.Turn {
	return e2e.Call("Read", e2e.Input{"file_path": s.Path(name)})
}

func (s *enforced) create(name string) e2e.Turn {
	return e2e.Call("Write", e2e.Input{"file_path": s.Path(name), "content": "written\n"})
}

func sh(line string) e2e.Turn { return e2e.Call("Bash", e2e.Input{"command": line}) }

// wantDenied checks which rules have denied the main agent's calls, in their order.
func (s *enforced) wantDenied(run *e2e.Run, rules ...string) {
	s.t.Helper()
	var got []string
	for _, r := range s.records(run.Session) {
		if r.Verdict == fsm.Deny.String() && r.Event.Agent.ID == "" {
			got = append(got, r.Rule)
		}
	}
	if g, w := strings.Join(got, " "), strings.Join(rules, " "); g != w {
		s.t.Errorf("client %s: denied by %q, expected %q; the main agent was told:\n%s", run.Version, g, w,
			run.ToldTo("main"))
	}
}

func TestClientPresetOrchestrator(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "orchestrator", "analyst", "developer")
		s.Say("main", s.read("a.txt"), s.read("b.txt"), s.read("c.txt"), s.create("new.txt"), sh("git add ."),
			e2e.StartWait("analyst", "look"), s.read("c.txt"), e2e.StartWait("developer", "write"), e2e.Text("done"))
		s.Say("analyst", s.read("a.txt"), s.read("b.txt"), s.read("d.txt"), e2e.Text("all seen"))
		s.Say("developer", s.create("new.txt"), sh("git add ."), e2e.Text("written"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		s.wantDenied(run, "read-budget", "no-writing", "no-changing")
		run.WantTold(t, "main", "Before each tool call, ask yourself", "attempt 3 of 2 (so far: a.txt, b.txt)",
			"content-c",
			`Agent(subagent_type="analyst"`, `Agent(subagent_type="developer"`)
		run.WantTold(t, "analyst", "content-d")
		if s.Read("new.txt") != "written\n" {
			t.Error("the developer's file is not there")
		}
	})
}

// TestClientPresetOrchestratorRole: a client that is started as a worker is one, though its payload names no agent.
func TestClientPresetOrchestratorRole(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "orchestrator")
		s.Say("main", s.create("new.txt"), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything), e2e.Env("CLAUDE_AGENT_ROLE=developer"))
		s.wantDenied(run)
		if s.Read("new.txt") != "written\n" {
			t.Error("the worker could not write")
		}
	})
}

// TestClientPresetGuided: work items switch it on; a second look in a row is refused, by whichever tool.
func TestClientPresetGuided(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "guided")
		s.Write("features/1.json", "{}")
		s.Say("main", sh("grep -rn content-a a.txt"), sh("grep -rn content-b b.txt"), s.create("new.txt"),
			sh("cd . && pytest"),
			sh("git status --short"), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		s.wantDenied(run, "one-look", "no-implementing", "no-testing")
		run.WantTold(t, "main", "content-a", `Instead: Agent(subagent_type="Explore"`, "Run … and report the results",
			"?? a.txt")
		run.WantNotTold(t, "main", "content-b", "pipeline mode", "HTMLGRAPH")
	})
}

// TestClientPresetGuidedBySkill: without work items it is off, until its skill is used.
func TestClientPresetGuidedBySkill(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "guided")
		s.Say("main", s.create("first.txt"), e2e.Call("Skill", e2e.Input{"skill": "orchestrator"}),
			s.create("second.txt"), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		s.wantDenied(run, "no-implementing")
		if s.Read("first.txt") != "written\n" {
			t.Error("it was on before the skill was used")
		}
		run.WantTold(t, "main", "From now on you coordinate")
	})
}

func TestClientPresetBoundary(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "boundary", "bug-hunter")
		edit := e2e.Call("Edit", e2e.Input{"file_path": s.Path("a.txt"), "old_string": "content",
			"new_string": "changed"})
		s.Say("main", s.read("a.txt"), edit, sh("echo x > a.txt"), sh("cat b.txt | head -1"),
			e2e.StartWait("bug-hunter", "fix it"), e2e.Text("done"))
		s.Say("bug-hunter", s.read("a.txt"), edit, e2e.Text("fixed"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		s.wantDenied(run, "boundary", "boundary")
		run.WantTold(t, "main", "agents change files", "modular-builder", "bug-hunter", "test-coverage",
			"refactor-architect", "finding and fixing bugs", "content-b")
		run.WantNotTold(t, "main", "AMPLIFIER")
		if got := s.Read("a.txt"); got != "changed-a\n" {
			t.Errorf("a.txt is %q", got)
		}
	})
}

// TestClientPresetBoundaryBypass: what the variable lets through is done, and recorded as what it would have been.
func TestClientPresetBoundaryBypass(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "boundary")
		s.Say("main", s.create("new.txt"), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything), e2e.Env("AMPLIFIER_BYPASS_BOUNDARY=true"))
		s.wantDenied(run)
		if s.Read("new.txt") != "written\n" {
			t.Error("the file was not written")
		}
		s.wantNote(run, "bypass: deny of rule boundary is bypassed (environment: AMPLIFIER_BYPASS_BOUNDARY=true)")
	})
}

// TestClientPresetDelegation: what is refused asks for the whole request; a plan binds the order; a report is a file.
func TestClientPresetDelegation(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "delegation", "code-reviewer")
		report := s.Path("review.md")
		s.Say("main", s.read("a.txt"), sh("ls"),
			e2e.StartWait("Plan", "[[planner]] plan it"), e2e.StartWait("code-reviewer", "review"),
			e2e.StartWait("Explore", "[[explorer]] look"), e2e.StartWait("code-reviewer", "review"), e2e.Text("done"))
		s.Say("planner", e2e.Text("The plan:\n\n```json\n"+`{"phases": [{"id": "1.1", "agent": "Explore", "wave": 1}, {"id": "2.1", "agent": "code-reviewer", "wave": 2}]}`+"\n```"))
		s.Say("explorer", s.read("a.txt"), e2e.Text("it says content-a"))
		s.Say("code-reviewer", e2e.Text("I found nothing."), sh("echo fine > review.md"), e2e.Text("DONE|"+report),
			e2e.Text("DONE|"+s.Path("a.txt")))
		run := s.Claude(t, v, s.Model, "look at it, including a review", e2e.Allow(everything))
		s.wantDenied(run, "default", "default", "tasks")
		run.WantTold(t, "main", "You lead: you ask, plan", "/1.1.md", "Choose the tier",
			"Try no other tool and no other way. Delegate the user's whole request now",
			"waits for: 1.1", "it says content-a", "Agent code-reviewer is running", "Agent code-reviewer has returned",
			"DONE|"+s.Path("a.txt"))
		run.WantTold(t, "code-reviewer", "does not have the agreed form", "changes nothing in it",
			"review.md, which does not exist")
		run.WantTold(t, "explorer", "content-a")
		run.WantNotTold(t, "main", "DELEGATION_HOOK_DISABLE", "/bypass")
	})
}

// TestClientPresetDelegationHolds: a turn does not end before what was to be delegated has begun.
func TestClientPresetDelegationHolds(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "delegation")
		begun := []e2e.Turn{e2e.Text("I will"), e2e.StartWait("general-purpose", "[[worker]] write it"),
			e2e.Text("it is written")}
		used := append([]e2e.Turn{e2e.Call("Skill", e2e.Input{"skill": "delegate", "args": "write it"})}, begun...)
		for prompt, turns := range map[string][]e2e.Turn{"go": used, "/delegate write it": begun} {
			m := e2e.NewModel(t)
			m.Say("main", turns...)
			m.Say("worker", s.create("new.txt"), e2e.Text("written"))
			run := s.Claude(t, v, m, prompt, e2e.Allow(everything))
			run.WantTold(t, "main", "Delegate the whole of this task:", "write it", "The plan has not begun")
			if s.Read("new.txt") != "written\n" {
				t.Error("the worker's file is not there")
			}
			if err := os.Remove(s.Path("new.txt")); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestClientPresetDelegationAside: /ask and breadth-reader look around in a context of their own, and change nothing.
func TestClientPresetDelegationAside(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "delegation")
		s.Say("asked", s.read("a.txt"), sh("echo x > a.txt"), e2e.Text("it is content-a"))
		s.Say("main", e2e.Text("thanks"))
		run := s.Claude(t, v, s.Model, "/ask [[asked]] what is in a?", e2e.Allow(everything))
		run.WantTold(t, "asked", "content-a", "changes nothing in it")
		if len(run.Asked("asked")) == 0 || s.Read("a.txt") != "content-a\n" {
			t.Error("/ask did not look, or changed something")
		}
		again := e2e.NewModel(t)
		again.Say("reader", s.read("b.txt"), e2e.Text("b: content-b"))
		again.Say("main", e2e.Call("Skill", e2e.Input{"skill": "breadth-reader", "args": "[[reader]] everything"}),
			e2e.Text("done"))
		run = s.Claude(t, v, again, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "b: content-b")
		s.wantDenied(run)
	})
}

// TestClientPresetDelegationTeams: team tools are refused with the variable that they need.
func TestClientPresetDelegationTeams(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "delegation")
		mate := e2e.StartWait("Explore", "[[mate]] look").With("team_name", "t")
		s.Say("main", mate, e2e.Text("done"), mate, e2e.Text("done"))
		s.Say("mate", e2e.Text("seen"))
		s.wantDenied(s.Claude(t, v, s.Model, "go", e2e.Allow(everything)), "teammate-variable")
		s.wantDenied(s.Claude(t, v, s.Model, "go", e2e.Allow(everything),
			e2e.Env("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1")))
	})
}

// TestClientPresetDelegationTasks: the client's own list of tasks binds the order too, and is not polled.
func TestClientPresetDelegationTasks(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "delegation", "code-reviewer")
		create := func(subject string) e2e.Turn {
			return e2e.Call("TaskCreate", e2e.Input{"subject": subject, "description": "as asked"})
		}
		update := func(id, key string, value any) e2e.Turn {
			return e2e.Call("TaskUpdate", e2e.Input{"taskId": id, key: value})
		}
		list := e2e.Call("TaskList", e2e.Input{})
		s.Say("main", create("[Explore] look"), create("[code-reviewer] review"),
			update("2", "addBlockedBy", []string{"1"}), list, list,
			e2e.StartWait("code-reviewer", "review"), e2e.StartWait("Explore", "[[explorer]] look"),
			update("1", "status", "completed"),
			e2e.StartWait("code-reviewer", "review"), e2e.Text("done"), update("2", "status", "completed"),
			e2e.Text("all done"))
		s.Say("explorer", e2e.Text("seen"))
		s.Say("code-reviewer", e2e.Text("DONE|"+s.Path("a.txt")))
		run := s.Claude(t, v, s.Model, "look", e2e.Allow(everything))
		s.wantDenied(run, "no-polling", "tasks")
		run.WantTold(t, "main", "1 task of the task list is open: 2 [code-reviewer] review", "waits for: 1")
	})
}

// TestClientPresetDelegationOrders: what a person types about the policy is told him by the agent, which can do nothing
// about it itself.
func TestClientPresetDelegationOrders(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := preset(t, "delegation")
		for typed, told := range map[string]string{"/bypass": "Run `pipeline bypass 30m REASON` in a terminal",
			"/add-statusline": "Run `pipeline install --statusline` in a terminal"} {
			m := e2e.NewModel(t)
			m.Say("main", e2e.Call("Skill", e2e.Input{"skill": "bypass"}), s.read("a.txt"), e2e.Text("told"))
			run := s.Claude(t, v, m, typed, e2e.Allow(everything))
			run.WantTold(t, "main", told, "Try no other tool and no other way")
			run.WantNotTold(t, "main", "content-a")
		}
	})
}
