package main

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// What binds turns, agents and their work, with the real client.

// working is a project with a small config of its own.
func working(t testing.TB, config string) *enforced {
	t.Helper()
	s := enforce(t)
	s.Write("configs/pipeline.yaml", "version: 1\nlevel: strict\n"+config)
	s.pipeline("check", "--fast")
	return s
}

// graphPlan is what a planner comes back with: two waves.
const graphPlan = "The plan.\n\n```json\n" + `{"phases": [{"id": "one", "agent": "bash-developer", "wave": 1}, {"id": "two", "agent": "c-developer", "wave": 2, "after": ["one"]}]}` + "\n```\n"

func TestClientGraph(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Write("configs/pipeline.local.yaml",
			"version: 1\norchestrator:\n  default: {allow: true}\nsubagents:\n  default: {allow: true}\n"+
				"tasks: {from: [agent], agents: [strategic-orchestrator]}\n")
		s.pipeline("check", "--fast")
		s.Say("main", append(s.walk(), e2e.StartWait("c-developer", "two"), e2e.StartWait("bash-developer", "one"),
			e2e.StartWait("c-developer", "two"), e2e.Text("all done"))...)
		s.Model.Say("planner", e2e.Text(strings.Replace(graphPlan, `["one"]`, `["oen"]`, 1)), e2e.Text(graphPlan))
		s.Agent("strategic-orchestrator", "[[planner]]")
		s.Say("bash-developer", e2e.Text("one is done"))
		s.Say("c-developer", e2e.Text("two is done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "planner", "Stop hook feedback", "The task graph in your final message has mistakes",
			`comes after "oen", which does not exist`)
		run.WantTold(t, "main", `Agent "c-developer" has its turn in phase two (c-developer) of the plan, which waits for: one (bash-developer). Ready now: one (bash-developer).`, "one is done", "two is done")
		if n := len(run.Asked("c-developer")); n != 1 {
			t.Errorf("c-developer ran %d times", n)
		}
		if drawn := s.pipeline("tasks", "--session", run.Session); !strings.Contains(drawn, "2 of 2 done") ||
			strings.Count(drawn, "✓") != 2 {
			t.Errorf("the graph is drawn as\n%s", drawn)
		}
		s.wantState(run, "COMPLETE")
	})
}

// TestClientGraphResumed: the session ends in the middle of its graph and is taken up again.
func TestClientGraphResumed(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "tasks: {from: [agent]}\n")
		s.Say("main", e2e.StartWait("strategic-orchestrator", "go"), e2e.StartWait("bash-developer", "one"),
			e2e.Text("so far"), e2e.StartWait("c-developer", "two"), e2e.Text("done"))
		s.Say("strategic-orchestrator", e2e.Text(strings.Replace(graphPlan, `]}`+"\n",
			`, {"id": "three", "agent": "bash-architect", "wave": 3}]}`+"\n", 1)))
		s.Say("bash-developer", e2e.Text("one is done"))
		s.Say("c-developer", e2e.Text("two is done"))
		first := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		if drawn := s.pipeline("tasks", "--session", first.Session); !strings.Contains(drawn, "1 of 3 done") {
			t.Errorf("the graph is drawn as\n%s", drawn)
		}
		second := s.Claude(t, v, s.Model, "go on", e2e.Resume(first.Session), e2e.Allow(everything))
		second.WantTold(t, "main", "two is done")
		if drawn := s.pipeline("tasks", "--session", second.Session); second.Session != first.Session ||
			!strings.Contains(drawn, "2 of 3 done") {
			t.Errorf("the graph is drawn as\n%s", drawn)
		}
	})
}

// TestClientReturns: an agent that comes back in another form is asked again, and what it says then counts.
func TestClientReturns(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t,
			"initial: A\nstates:\n  A:\n    agents: [bash-developer]\n    on_complete: B\n    capture: done\n"+
				"  B:\n    agents: [bash-developer]\n    on_complete: A\n"+
				"agents:\n  bash-developer: {returns: '^DONE\\|(?P<file>\\S+)$', tries: 3}\n")
		s.Say("main", e2e.StartWait("bash-developer", "go"), e2e.Text("I see"))
		s.Say("bash-developer", e2e.Text("I am done."), e2e.Text("DONE|out.txt"),
			e2e.Call("Write", e2e.Input{"file_path": s.Path("out.txt"), "content": "x"}), e2e.Text("DONE|out.txt"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "bash-developer", "Stop hook feedback", "does not have the agreed form",
			"names the file out.txt, which does not exist")
		run.WantTold(t, "main", "DONE|out.txt")
		if n := len(run.Asked("bash-developer")); n != 4 {
			t.Errorf("the agent was asked %d times", n)
		}
		if view := s.wantState(run, "B"); view.Context["done"] != "DONE|out.txt" {
			t.Errorf("context: %q", view.Context)
		}
	})
}

// TestClientReturnsFailed: an agent that does not fix it moves nothing, and the client goes on.
func TestClientReturnsFailed(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t,
			"initial: A\nstates:\n  A:\n    agents: [bash-developer]\n    on_complete: B\n  B:\n"+
				"    agents: [bash-developer]\n    on_complete: A\nagents:\n"+
				"  bash-developer: {returns: '^DONE', tries: 7}\n")
		s.Say("main", e2e.StartWait("bash-developer", "go"), e2e.Text("I see"))
		s.Say("bash-developer", e2e.Text("no"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main",
			`Agent "bash-developer" came back 8 times without the agreed form, so the pipeline stays in A`)
		run.WantResults(t, "I see")
		s.wantState(run, "A")
	})
}

// TestClientHold: a turn with an unfinished plan goes on, and when nothing is done about it, it ends with a word to
// the user.
func TestClientHold(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t,
			"tasks: {from: [agent], agents: [strategic-orchestrator]}\n"+
				"hold: {until: [graph], tries: 2, say: 'Start the next one.'}\n")
		s.Say("main", e2e.StartWait("strategic-orchestrator", "go"), e2e.Text("enough for today"),
			e2e.StartWait("bash-developer", "one"), e2e.Text("that is all"), e2e.Text("I mean it"), e2e.Text("really"))
		s.Say("strategic-orchestrator", e2e.Text(graphPlan))
		s.Say("bash-developer", e2e.Text("one is done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything), hookEvents)
		run.WantTold(t, "main", "Stop hook feedback",
			"2 of 2 phases of the plan are not done: one (bash-developer), two (c-developer)", "Start the next one.",
			"one is done", "1 of 2 phases of the plan are not done: two (c-developer)")
		var holds int
		for _, r := range s.records(run.Session) {
			if r.Event.Kind == "turn-stop" && r.Rule == "hold" {
				holds++
			}
		}
		if holds != 2 || run.Results()[len(run.Results())-1] == "really" {
			t.Errorf("held %d times; the last words are %q", holds, run.Results())
		}
		if shown := output(run); !strings.Contains(shown, "the turn ended with work left, after it was held 2 times") {
			t.Errorf("the user was not told: %s", shown)
		}
	})
}

// TestClientGate: a move waits for a command of the project's, which the agent sees fail.
func TestClientGate(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t,
			"initial: A\nstates:\n  A:\n    moves:\n      - {agent: bash-developer, to: B, gate: {run: 'test -f "+
				"ok.txt || { echo no ok.txt here; exit 1; }', tries: 3}}\n  B:\n    agents: [bash-developer]\n"+
				"    on_complete: A\n")
		s.Say("main", e2e.StartWait("bash-developer", "go"), e2e.Text("I see"))
		s.Say("bash-developer", e2e.Text("ready"), e2e.Call("Write",
			e2e.Input{"file_path": s.Path("ok.txt"), "content": "x"}), e2e.Text("now it is"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "bash-developer", "Stop hook feedback", "must succeed first, and fails", "no ok.txt here")
		if n := len(run.Asked("bash-developer")); n != 3 {
			t.Errorf("the agent was asked %d times", n)
		}
		s.wantState(run, "B")
	})
}

// TestClientCheck: what a check finds in a file reaches the agent that wrote it, with a tool or in a shell.
func TestClientCheck(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t,
			"checks:\n  - {name: py, files: ['*.py'], run: 'echo \"looked at ${FILE##*/}\"; false'}\n"+
				"  - {name: none, files: ['*.py'], run: 'no-such-linter $FILE'}\n")
		s.Say("main", e2e.Call("Write", e2e.Input{"file_path": s.Path("x.py"), "content": "x"}),
			e2e.StartWait("bash-developer", "go"), e2e.Text("done"))
		s.Say("bash-developer", bash("echo x > y.py"), e2e.Call("Write",
			e2e.Input{"file_path": s.Path("z.txt"), "content": "x"}), e2e.Text("done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything), hookEvents)
		run.WantTold(t, "main", "The check py fails:\nlooked at x.py")
		run.WantTold(t, "bash-developer", "The check py fails:\nlooked at y.py")
		run.WantNotTold(t, "main", "no-such-linter", "y.py")
		run.WantNotTold(t, "bash-developer", "no-such-linter", "looked at z.txt")
		told := 0
		for _, e := range run.Events {
			if e.Subtype == "hook_response" && strings.Contains(string(e.Raw),
				`\"systemMessage\":\"pipeline: the check none could not be run`) {
				told++
			}
		}
		if told != 1 {
			t.Errorf("the user was told %d times that a program is missing", told)
		}
	})
}

// TestClientLimit: of two calls in one message, one agent runs.
func TestClientLimit(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "limits: {running: 1}\n")
		s.Say("main", e2e.Together(e2e.StartAside("bash-developer", "one"), e2e.StartAside("c-developer", "two")),
			e2e.Text("waiting"), e2e.Text("done"))
		for _, name := range []string{"bash-developer", "c-developer"} {
			s.Say(name, e2e.Text("done").Until(s.stops(1)))
		}
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		if n := len(run.Asked("bash-developer")) + len(run.Asked("c-developer")); n != 1 {
			t.Errorf("%d agents ran", n)
		}
		run.WantTold(t, "main", "1 agent is at work or about to start, and at most 1 may run at once")
		if n := denialsOf(s.records(run.Session), "limits"); n != 1 {
			t.Errorf("%d calls were refused", n)
		}
	})
}

func denialsOf(all []journal.Record, rule string) (n int) {
	for _, r := range all {
		if r.Verdict == "deny" && r.Rule == rule {
			n++
		}
	}
	return n
}

// TestClientHostTasks: the client's own list of tasks is the graph, and keeps the turn going until it is done.
func TestClientHostTasks(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "tasks: {from: [host]}\nhold: {until: [tasks], tries: 3}\n")
		create := func(subject string) e2e.Turn {
			return e2e.Call("TaskCreate", e2e.Input{"subject": subject, "description": "as it says",
				"activeForm": "doing it"})
		}
		done := func(id string) e2e.Turn {
			return e2e.Call("TaskUpdate", e2e.Input{"taskId": id, "status": "completed"})
		}
		s.Say("main", e2e.Call("ToolSearch", e2e.Input{"query": "select:TaskCreate,TaskUpdate"}),
			create("[bash-developer] one"), create("[c-developer] two"),
			e2e.Call("TaskUpdate", e2e.Input{"taskId": "2", "addBlockedBy": []string{"1"}}),
			e2e.StartWait("c-developer", "two"), e2e.StartWait("bash-developer", "one"), done("1"),
			e2e.Text("enough"), e2e.StartWait("c-developer", "two"), done("2"), e2e.Text("all done"))
		s.Say("bash-developer", e2e.Text("one is done"))
		s.Say("c-developer", e2e.Text("two is done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything+" TaskCreate TaskUpdate ToolSearch"))
		run.WantTold(t, "main", `Agent "c-developer" has its turn in phase 2 (c-developer) of the plan, which waits for: 1 (bash-developer)`, "Stop hook feedback", "1 task of the task list is open: 2 [c-developer] two", "two is done")
		run.WantResults(t, "all done")
		if drawn := s.pipeline("tasks", "--session", run.Session); !strings.Contains(drawn, "2 of 2 done") {
			t.Errorf("the graph is drawn as\n%s", drawn)
		}
	})
}

// TestClientDepth: by the client's own note of how deep an agent runs.
func TestClientDepth(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "limits: {depth: 2}\n")
		s.Say("main", e2e.StartWait("general-purpose", "[[first]] go"), e2e.Text("done"))
		s.Say("first", e2e.StartWait("general-purpose", "[[second]] go"), e2e.Text("first is done"))
		s.Say("second", e2e.StartWait("general-purpose", "[[third]] go"), e2e.Text("second is done"))
		s.Say("third", e2e.Text("third is done"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "second", "This agent would run at depth 3, and agents may run 2 deep at most")
		run.WantTold(t, "first", "second is done")
		if n := len(run.Asked("third")); n != 0 {
			t.Errorf("the third agent was asked %d times", n)
		}
	})
}

// TestClientReturnsAside: an agent in the background is sent back as well, and its turn's end is not held while it
// runs.
func TestClientReturnsAside(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t,
			"tasks: {from: [agent]}\nhold: {until: [graph], tries: 3}\nagents:\n  c-developer: {returns: '^DONE'}\n")
		s.Say("main", e2e.StartWait("strategic-orchestrator", "go"), e2e.StartAside("c-developer", "go"),
			e2e.Text("waiting"), e2e.Text("all done"))
		s.Say("strategic-orchestrator",
			e2e.Text("```json\n"+`{"phases": [{"id": "one", "agent": "c-developer"}]}`+"\n```"))
		s.Say("c-developer", e2e.Text("not yet").Until(s.stops(1)), e2e.Text("DONE: it"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "c-developer", "Stop hook feedback", "does not have the agreed form")
		run.WantNotTold(t, "main", "Stop hook feedback")
		if drawn := s.pipeline("tasks", "--session", run.Session); !strings.Contains(drawn, "1 of 1 done") {
			t.Errorf("the graph is drawn as\n%s", drawn)
		}
	})
}

// TestClientTokens: an agent whose model has used its tokens is told so, and then may only return.
func TestClientTokens(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "limits: {tokens: 400}\n")
		s.Say("main", e2e.StartWait("bash-developer", "go"), e2e.Text("done"))
		var turns []e2e.Turn
		for range 24 { // the client may write down late what a turn has used
			turns = append(turns, e2e.Call("Bash", e2e.Input{"command": "true"}))
		}
		s.Say("bash-developer", append(turns, e2e.Text("so far"))...)
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "bash-developer", "of 400 tokens. Come to an end",
			"has used its 400 tokens (limits.tokens). Return what you have")
	})
}
