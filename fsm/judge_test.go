package fsm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestRulesOfStarts: what a rule says of the agents that a call starts, however it starts
// them. Names compare as those in the states.
func TestRulesOfStarts(t *testing.T) {
	no := fsm.Rule{Name: "no-c", Verdict: fsm.Deny, Tools: []string{"Agent", "Skill", "Workflow", "SendMessage",
		"Bash"},
		Starts: []string{"c-*", "code reviewer", "workflow-subagent"}}
	for _, c := range []struct {
		tool   string
		start  fsm.Start
		refuse bool
	}{
		{"Agent", fsm.Start{How: fsm.ByAgent, Type: "c-developer"}, true},
		{"Agent", fsm.Start{How: fsm.ByAgent, Type: "C_Developer"}, true},
		{"Agent", fsm.Start{How: fsm.ByAgent, Type: "team:c-developer"}, true},
		{"Agent", fsm.Start{How: fsm.ByAgent, Type: "CodeReviewer"}, true},
		{"Agent", fsm.Start{How: fsm.ByAgent, Type: "context-gatherer"}, false},
		{"Agent", fsm.Start{How: fsm.ByAgent, Type: "cdeveloper"}, false},
		{"Agent", fsm.Start{How: fsm.ByAgent, Name: "c-developer", Type: "Explore"}, false},
		{"Skill", fsm.Start{How: fsm.BySkill, Type: "general-purpose", Name: "c-review"}, true},
		{"Skill", fsm.Start{How: fsm.BySkill, Type: "c-developer", Name: "review"}, true},
		{"Skill", fsm.Start{How: fsm.BySkill, Type: "general-purpose", Name: "review"}, false},
		{"Workflow", fsm.Start{How: fsm.ByWorkflow}, true},
		{"SendMessage", fsm.Start{How: fsm.ByMessage, Name: "ended"}, true},
		{"SendMessage", fsm.Start{How: fsm.ByMessage, Name: "running"}, false}, // it starts nothing
		{"SendMessage", fsm.Start{How: fsm.ByMessage, Name: "other"}, false},
	} {
		pl := rules(t, no)
		pl.starts("ended", "c-developer").stops("ended", "c-developer", "done").starts("running", "c-developer")
		pl.starts("other", "Explore").stops("other", "Explore", "done")
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: c.tool, UseID: "1", Starts: &c.start,
			Parts: []fsm.Part{{Tool: c.tool}}}})
		if got := pl.d.Rule == "no-c"; got != c.refuse {
			t.Errorf("%s %+v: refused %v, expected %v (%s)", c.tool, c.start, got, c.refuse, pl.d.Reason)
		}
	}
	client := bash("claude", "-p")
	client.Client = "claude"
	no.Starts = []string{"claude"}
	rules(t, no).does("1", bash("ls")).passes().does("2", bash("ls"), client).denied("rule no-c")
}

func limited(l fsm.Limits) *fsm.Policy {
	p := free()
	p.Limits = l
	return p
}

func TestLimitRunning(t *testing.T) {
	pl := begin(t, limited(fsm.Limits{Running: 2})).asks(main(), "dev", "1").passes()
	pl.asks(main(), "dev", "1").passes().asks(main(), "dev", "1").passes() // the same call through more registrations
	pl.asks(main(), "dev", "2").passes().asks(main(), "dev",
		"3").denied("2 agents are at work or about to start, and at most 2 may run at once")
	if pl.d.Rule != fsm.RuleLimits {
		t.Errorf("rule %s", pl.d.Rule)
	}
	pl.reads("2 agents are at work or about to start, and at most 2 may run at once. Wait until one has come back.")
	pl.starts("a", "dev").starts("b", "dev").asks(main(), "dev", "4").denied("come back: dev, dev")
	pl.asks(sub("a", "dev"), "dev", "5").denied("at most 2")
	pl.stops("a", "dev", "done").asks(main(), "dev", "6").passes().asks(main(), "dev", "7").denied("at most 2")
}

// TestLimitCountsNoDead: who died without a word, was stopped or failed does not count; nor does a call that came to
// nothing.
func TestLimitCountsNoDead(t *testing.T) {
	pl := begin(t, limited(fsm.Limits{Running: 1})).asks(main(), "dev", "1").starts("a", "dev").asks(main(), "dev",
		"2").denied("at most 1")
	pl.ends().asks(main(), "dev", "3").passes()
	pl.do(fsm.Event{Kind: fsm.ToolFailure, Agent: main(), Tool: agentTool("dev", "3")}).asks(main(), "dev",
		"4").passes()
	pl.ends().asks(main(), "dev", "5").passes().starts("b", "dev")
	pl.do(fsm.Event{Kind: fsm.AgentFailure, Agent: sub("b", "dev")}).asks(main(), "dev", "6").passes().starts("c",
		"dev")
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "resume"}).asks(main(), "dev", "7").passes().starts("d", "dev")
	pl.ends("d").asks(main(), "dev", "8").denied("at most 1") // the host says it runs
	pl = begin(t, limited(fsm.Limits{Running: 1})).asks(main(), "dev",
		"1").passes().says("no, another way").asks(main(), "dev", "2").passes()
	pl.starts("e", "dev").asks(main(), "dev", "3").denied("at most 1")
}

// TestLimitIsExact also where it is larger than what a session without a limit would remember.
func TestLimitIsExact(t *testing.T) {
	for _, most := range []int{1, 8, 30, 50} {
		pl, n := begin(t, limited(fsm.Limits{Running: most})), 0
		for i := range 64 {
			if pl.asks(main(), "dev", fmt.Sprint(i)); pl.d.Verdict == fsm.Pass {
				n++
			}
		}
		if n != most {
			t.Errorf("%d may start, expected %d", n, most)
		}
	}
}

func TestLimitByEnvironment(t *testing.T) {
	for value, want := range map[string]int{"": 2, "1": 1, "3": 3, "0": 2, "-1": 2, "many": 2} {
		pl, n := begin(t, limited(fsm.Limits{Running: 2, RunningEnv: "MOST"})), 0
		for i := range 5 {
			pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: main(), Tool: agentTool("dev", fmt.Sprint(i)),
				Facts: fsm.Facts{Env: map[string]string{"MOST": value}}})
			if pl.d.Verdict == fsm.Pass {
				n++
			}
		}
		if n != want {
			t.Errorf("MOST=%q: %d, expected %d", value, n, want)
		}
	}
}

// TestLimitDepth: by the host's own note, else by the starts that were seen.
func TestLimitDepth(t *testing.T) {
	p := limited(fsm.Limits{Depth: 2})
	pl := begin(t, p).asks(main(), "dev", "1").passes().starts("a", "dev").asks(sub("a", "dev"), "dev",
		"2").passes().starts("b", "dev")
	pl.asks(sub("b", "dev"), "dev", "3").denied("This agent would run at depth 3, and agents may run 2 deep at most")
	pl.spawn = &fsm.Spawn{Depth: 1}
	pl.asks(sub("b", "dev"), "dev", "4").passes()
	pl.spawn = &fsm.Spawn{Depth: 2}
	pl.asks(sub("a", "dev"), "dev", "5").denied("depth 3")
	pl.spawn = &fsm.Spawn{}
	pl.asks(sub("b", "dev"), "dev", "6").denied("depth 3") // a host that does not say
	for _, c := range []struct {
		runs []fsm.Run
		want int
	}{
		{nil, 2}, {[]fsm.Run{{ID: "a"}}, 2}, {[]fsm.Run{{ID: "a", By: "?"}}, 2}, {[]fsm.Run{{ID: "a", Depth: 3}}, 4},
		{[]fsm.Run{{ID: "a", By: "p"}, {ID: "p"}}, 3}, {[]fsm.Run{{ID: "a", By: "p"}, {ID: "p", Depth: 3}}, 5},
		{[]fsm.Run{{ID: "a", By: "p", Depth: 2}, {ID: "p"}}, 3},
	} {
		deep := begin(t, limited(fsm.Limits{Depth: 1}))
		deep.s.Agents.Runs = c.runs
		deep.asks(sub("a", "dev"), "dev", "1").denied(fmt.Sprintf("would run at depth %d, ", c.want))
	}
	unseen := begin(t, p)
	unseen.spawn = &fsm.Spawn{Depth: 2}
	unseen.asks(sub("x", "dev"), "dev", "1").denied("depth 3")
	begin(t, limited(fsm.Limits{Depth: 1})).asks(main(), "dev", "1").passes().starts("a", "dev").asks(sub("a", "dev"),
		"dev", "2").denied("depth 2")
}

func TestLimitLevels(t *testing.T) {
	for level, want := range map[fsm.Level]fsm.Verdict{fsm.Observe: fsm.Pass, fsm.Guidance: fsm.Warn,
		fsm.AskFirst: fsm.Ask, fsm.Strict: fsm.Deny} {
		p := limited(fsm.Limits{Running: 1})
		p.Level = level
		if pl := begin(t, p).asks(main(), "dev", "1").asks(main(), "dev", "2"); pl.d.Verdict != want ||
			pl.d.StrictVerdict != fsm.Deny {
			t.Errorf("%s: %s, strict would %s", level, pl.d.Verdict, pl.d.StrictVerdict)
		}
	}
}

// TestLimitForgetsWhomTheLostWanted: an agent that was let in for another one counts as coming only while that one is
// at work; else two such would fill the limit forever.
func TestLimitForgetsWhomTheLostWanted(t *testing.T) {
	pl := begin(t, &fsm.Policy{Level: fsm.Strict, Limits: fsm.Limits{Running: 2}})
	pl.asks(main(), "a", "u1").passes().starts("a1", "a").asks(sub("a1", "a"), "b", "u2").passes()
	pl.asks(main(), "c", "u3").denied("2 agents are at work or about to start")
	pl.ends("a1").asks(main(), "c", "u3").denied("2 agents are at work or about to start")
	pl.ends().asks(main(), "c", "u3").passes() // a1 is lost, and b never came
	pl.asks(main(), "d", "u4").passes().starts("c1", "c").starts("d1", "d")
	pl.asks(main(), "e", "u5").denied("at most 2 may run at once")
}

// TestWhoStartsIsWhoIsWanted: what an agent had asked for that is lost does not take the place of what the main agent
// asks for now.
func TestWhoStartsIsWhoIsWanted(t *testing.T) {
	pl := defaults(t).asks(main(), "context-gatherer", "u1").starts("g1", "context-gatherer")
	pl.asks(sub("g1", "context-gatherer"), "context-gatherer", "u2").passes().ends()
	pl.asks(main(), "context-gatherer", "u3").passes().starts("g2", "context-gatherer")
	pl.stops("g2", "context-gatherer", "found").in("GATHERING")
}

// TestTurnIsOfWhoIsWanted: nor does it take that one's turn in a plan.
func TestTurnIsOfWhoIsWanted(t *testing.T) {
	p := &fsm.Policy{Level: fsm.Strict, Tasks: fsm.TaskSource{From: []string{fsm.FromPlan}}}
	plan := `{"phases":[{"id":"one","agent":"dev"},{"id":"two","agent":"dev","after":["one"]}]}`
	pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "ExitPlanMode", Planned: true,
		Plan: plan}})
	pl.asks(main(), "scout", "u1").starts("s1", "scout").asks(sub("s1", "scout"), "dev", "u2").passes()
	pl.asks(main(), "dev", "u3").denied("which waits for: one (dev)")
	pl.ends().asks(main(), "dev", "u4").passes()
}

func TestWhoIsLetIn(t *testing.T) {
	t.Run("an admitted id stays admitted", func(t *testing.T) {
		pl := defaults(t).runs("g", "context-gatherer", "found").asks(main(), "Explore", "1").starts("e", "Explore")
		pl.do(fsm.Event{Kind: fsm.Reset}).in("IDLE").uses(sub("e", "Explore"), "Read").passes()
	})
	t.Run("the side door", func(t *testing.T) {
		pl := defaults(t).starts("z", "bash-developer").noted("without admission").told("may use no tool")
		pl.uses(sub("z", "bash-developer"), "Write").denied("may use no tool").stops("z", "bash-developer",
			"done").in("IDLE")
		pl.uses(main(), "Write").passes()
	})
	t.Run("an agent that was running before us", func(t *testing.T) {
		defaults(t).uses(sub("z", "bash-developer"), "Write").denied("bash-developer").
			noted("agent z (bash-developer) was not seen to start")
	})
	t.Run("another spelling", func(t *testing.T) {
		for _, name := range []string{"Context-Gatherer", "context gatherer", "CONTEXT_GATHERER", "contextgatherer",
			" context–gatherer ", "ｃontext-gatherer"} {
			pl := defaults(t).asks(main(), name, "1").passes().starts("g", "context-gatherer").told("")
			pl.stops("g", "context-gatherer", "found").in("GATHERING")
		}
	})
	// "c-ode writer" passes c-*, and the client starts code-writer
	t.Run("a spelling that lets in another", func(t *testing.T) {
		pl := defaults(t).executing().asks(main(), "c-ode writer", "1").passes().starts("z",
			"code-writer").told("may use no tool")
		pl.uses(sub("z", "code-writer"), "Write").denied("code-writer")
	})
	t.Run("a glob keeps its separators", func(t *testing.T) {
		defaults(t).executing().asks(main(), "code-writer", "1").denied("code-writer").asks(main(), "cdeveloper",
			"2").denied("")
	})
	t.Run("a plugin's agent", func(t *testing.T) {
		defaults(t).asks(main(), "team:context-gatherer", "1").passes()
	})
	t.Run("a teammate, whose type is its name", func(t *testing.T) {
		pl := defaults(t).executing()
		tool := agentTool("bash-developer", "1")
		tool.Starts.Name = "alice"
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: tool}).passes().starts("alice-1", "alice").told("the plan")
		pl.uses(sub("alice-1", "alice"), "Write").passes()
		if r := pl.s.RunningAgents(); len(r) != 1 || r[0].Type != "bash-developer" {
			t.Errorf("running: %+v", r)
		}
	})
	t.Run("a refused call leaves nothing", func(t *testing.T) {
		defaults(t).asks(main(), "bash-developer", "1").denied("IDLE").starts("z",
			"bash-developer").told("may use no tool")
	})
	t.Run("an admission lapses", func(t *testing.T) {
		pl := defaults(t).executing().asks(main(), "bash-developer",
			"1").do(fsm.Event{Kind: fsm.ToolFailure, Tool: agentTool("bash-developer", "1")})
		pl.asks(main(), "bash-developer", "2").ends()
		if len(pl.pending()) != 0 {
			t.Errorf("pending: %+v", pl.pending())
		}
	})
	t.Run("asked twice by two registrations", func(t *testing.T) {
		pl := defaults(t).asks(main(), "context-gatherer", "1").asks(main(), "context-gatherer", "1")
		if len(pl.pending()) != 1 {
			t.Errorf("pending: %+v", pl.pending())
		}
	})
	t.Run("the user said yes", func(t *testing.T) {
		p := *states(t)
		p.Level = fsm.AskFirst
		begin(t, &p).asks(main(), "bash-developer", "1").gets(fsm.Ask, "IDLE").starts("b",
			"bash-developer").uses(sub("b", "bash-developer"), "Write").passes()
	})
}

func TestForks(t *testing.T) {
	t.Run("the model's are agents like any other", func(t *testing.T) {
		defaults(t).executing().asks(main(), "fork", "1").denied("fork")
	})
	t.Run("the user's did not ask", func(t *testing.T) {
		defaults(t).starts("f", "fork").told("").uses(sub("f", "fork"), "Write").passes()
	})
}

func starting(how fsm.How, typ, name string) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "X", UseID: "1",
		Starts: &fsm.Start{How: how, Type: typ, Name: name}, Parts: []fsm.Part{{Tool: "X"}}}}
}

// workflow is a session in which a workflow has started an agent.
func workflow(t *testing.T) *play {
	p := *states(t)
	p.States = append([]fsm.State(nil), p.States...)
	p.States[0].Triggers = append([]fsm.Trigger{{Name: "workflow-subagent", Agents: []string{"workflow-subagent"},
		To: "IDLE", Helper: true}}, p.States[0].Triggers...)
	pl := begin(t, &p).do(starting(fsm.ByWorkflow, "workflow-subagent", "")).passes()
	return pl.starts("w", "Plan").told("").uses(sub("w", "Plan"), "Read").passes()
}

func TestOtherWaysToStart(t *testing.T) {
	t.Run("a workflow", func(t *testing.T) {
		defaults(t).do(starting(fsm.ByWorkflow, "workflow-subagent", "")).denied("workflow")
		workflow(t).stops("w", "Plan", "done").in("IDLE")
		for use, left := range map[string]int{"1": 0, "2": 1} { // the workflow's own call, and another
			pl := workflow(t).do(fsm.Event{Kind: fsm.ToolFailure, Tool: fsm.Tool{Name: "X", UseID: use}})
			if n := len(pl.s.Agents.Workflows); n != left {
				t.Errorf("call %s has failed: %d workflows", use, n)
			}
		}
	})
	t.Run("a workflow's gatherer moves nothing", func(t *testing.T) {
		workflow(t).starts("g", "context-gatherer").stops("g", "context-gatherer",
			"found").in("IDLE").noted("not started by the main agent")
	})
	t.Run("a skill that forks", func(t *testing.T) {
		defaults(t).do(starting(fsm.BySkill, "general-purpose", "forky")).denied(`skill "forky"`)
		pl := defaults(t).do(starting(fsm.BySkill, "context-gatherer", "gather")).passes().starts("g",
			"context-gatherer")
		pl.stops("g", "context-gatherer", "found").in("GATHERING")
	})
	t.Run("a message to one that runs", func(t *testing.T) {
		pl := defaults(t).asks(main(), "context-gatherer", "1").starts("g", "context-gatherer")
		pl.do(starting(fsm.ByMessage, "", "g")).passes()
	})
	t.Run("a message to one that finished", func(t *testing.T) {
		pl := defaults(t).executing().do(starting(fsm.ByMessage, "", "o")).denied("may not be resumed")
		pl.do(starting(fsm.ByMessage, "", "g")).passes().starts("g",
			"context-gatherer").told("the plan").uses(sub("g", "context-gatherer"), "Read").passes()
	})
	t.Run("another client in the shell", func(t *testing.T) {
		e := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Bash",
			Parts: []fsm.Part{{Tool: "Bash", Words: []string{"claude", "-p"}, Client: "claude"}}}}
		defaults(t).do(e).denied("Starting claude from a shell")
	})
	t.Run("a person's command", func(t *testing.T) {
		e := fsm.Event{Kind: fsm.PromptExpansion, Tool: fsm.Tool{Starts: &fsm.Start{How: fsm.ByPerson, Name: "review"}}}
		pl := defaults(t).do(e).starts("z", "bash-developer").told("").uses(sub("z", "bash-developer"),
			"Write").passes()
		pl.starts("y", "bash-developer").told("may use no tool") // it admits one
		pl = defaults(t).asks(main(), "context-gatherer", "1").passes().do(e).do(e)
		if n := len(pl.pending()); n != 2 {
			t.Errorf("%d admissions, expected the call's and the last command's: %+v", n, pl.pending())
		}
		if pl.prompt("1"); len(pl.pending()) != 1 || pl.pending()[0].How != fsm.ByPerson {
			t.Errorf("at the prompt that the command becomes, its admission stays, alone: %+v", pl.pending())
		}
		pl = defaults(t).asks(main(), "general-purpose", "1").starts("p", "general-purpose").prompt("1")
		pl.s.Agents.Runs[0].Quarantined = ""
		if pl.asks(sub("p", "general-purpose"), "context-gatherer", "2").passes().prompt("2"); len(pl.pending()) != 1 {
			t.Errorf("a prompt ends no call of an agent: %+v", pl.pending())
		}
	})
}

func TestGuards(t *testing.T) {
	e := fsm.Event{Kind: fsm.ToolRequest, Agent: sub("a", "bash-developer"),
		Tool: fsm.Tool{Name: "Write", Parts: []fsm.Part{{Tool: "Write", Guards: "the pipeline's config"}}}}
	for _, level := range []fsm.Level{fsm.Strict, fsm.AskFirst, fsm.Guidance, fsm.Observe} {
		pl := begin(t, &fsm.Policy{Level: level}).do(e).denied("the pipeline's config")
		if pl.d.Rule != fsm.RuleProtect {
			t.Errorf("rule %s", pl.d.Rule)
		}
	}
}

// TestDenials: what an agent reads is short, names what may be done instead, and never how to switch us off.
func TestDenials(t *testing.T) {
	p := states(t)
	long := strings.Repeat("very-", 200) + "long"
	for _, st := range p.States {
		for _, e := range []fsm.Event{starting(fsm.ByAgent, long, ""), starting(fsm.BySkill, "x", long),
			starting(fsm.ByWorkflow, "", ""),
			{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Bash", Parts: []fsm.Part{{Tool: "Bash", Client: "codex"}}}},
			{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Bash",
				Parts: []fsm.Part{{Tool: "Bash", Guards: "what the pipeline enforces (pipeline reset)"}}}}} {
			pl := begin(t, p).do(fsm.Event{Kind: fsm.Reset, Source: st.Name}).do(e)
			r := pl.d.Reason
			if pl.d.Verdict != fsm.Deny || len([]rune(r)) > 400 || strings.Contains(r, "\n") {
				t.Errorf("%s: %s, %d characters: %s", st.Name, pl.d.Verdict, len([]rune(r)), r)
			}
			for _, word := range []string{"disable", "bypass", "uninstall", "--to", "mode"} {
				if strings.Contains(r, word) {
					t.Errorf("%s: tells of %q: %s", st.Name, word, r)
				}
			}
		}
	}
}

func TestMessages(t *testing.T) {
	pl := defaults(t).asks(main(), "Explore", "1")
	if want := `The pipeline is in state IDLE, where agent "Explore" may not run (it may in GATHERING); start one of: context-gatherer.`; pl.d.Reason != want {
		t.Errorf("%q, expected %q", pl.d.Reason, want)
	}
	pl.executing().asks(main(), "context-refiner", "2")
	if want := `The pipeline is in state EXECUTING, where agent "context-refiner" may not run (it may in GATHERING); start one of: bash-developer, nix-developer, c-developer, context-gatherer, Explore, Plan, general-purpose.`; pl.d.Reason != want {
		t.Errorf("%q, expected %q", pl.d.Reason, want)
	}
}

// TestAdmittedIn: what an agent may do depends on the state that let it start. It neither widens
// nor vanishes when the session moves on while the agent works.
func TestAdmittedIn(t *testing.T) {
	p := states(t)
	p.Subagents.List = []fsm.Rule{{Name: "early", Verdict: fsm.Deny, Tools: []string{"Write"},
		AdmittedIn: []string{"IDLE", "GATHERING", "REFINING"}}}
	pl := begin(t, p).runs("g", "context-gatherer", "found")
	pl.asks(main(), "Explore", "e").passes().starts("x", "Explore")
	pl.runs("r", "context-refiner", "refined").runs("o", "strategic-orchestrator", "plan").in("EXECUTING")
	pl.uses(sub("x", "Explore"), "Write").denied(`agent "Explore" that started in GATHERING`)
	pl.asks(main(), "bash-developer", "b").passes().starts("y", "bash-developer")
	pl.uses(sub("y", "bash-developer"), "Write").passes()
	pl.runs("g2", "context-gatherer", "a new task").in("GATHERING")
	pl.uses(sub("y", "bash-developer"), "Write").passes() // it is still at work
	pl.asks(main(), "Plan", "q").passes().starts("q", "Plan")
	pl.uses(sub("q", "Plan"), "Write").denied("started in GATHERING")
}

// TestWhereItMay: a refusal names where an agent may start only if it may start there.
func TestWhereItMay(t *testing.T) {
	p := *states(t)
	p.Main.List = []fsm.Rule{{Name: "no-c", Verdict: fsm.Deny, Tools: []string{"Agent"}, Starts: []string{"c-*"}}}
	for name, c := range map[string]struct {
		e    fsm.Event
		want string
	}{
		"an agent":                {starting(fsm.ByAgent, "Explore", ""), "may not run (it may in GATHERING); start"},
		"one that a rule refuses": {starting(fsm.ByAgent, "c-developer", ""), `agent "c-developer" may not run; start`},
		"a workflow":              {starting(fsm.ByWorkflow, "", ""), "where a workflow may not start agents; start"},
	} {
		c.e.Tool.Name, c.e.Tool.Parts = "Agent", []fsm.Part{{Tool: "Agent"}}
		pl := begin(t, &p).do(c.e)
		if last := pl.d.Objections[len(pl.d.Objections)-1].Reason; !strings.Contains(last, c.want) {
			t.Errorf("%s: %q", name, last)
		}
	}
	lifted := begin(t, states(t)).ordered("", fsm.Bypass{Rule: fsm.RulePipeline}).asks(main(), "Explore", "1").passes()
	if o := lifted.d.Objections; len(o) != 1 || !strings.Contains(o[0].Reason, "(it may in GATHERING)") {
		t.Errorf("a bypass is no state that admits it: %+v", o)
	}
}

// TestSentencesBegin with a capital, also those about an agent.
func TestSentencesBegin(t *testing.T) {
	pl := begin(t, limited(fsm.Limits{Calls: 1})).asks(main(), "dev", "1").starts("d", "dev")
	pl.by(sub("d", "dev"), "2", file("Read", "/a")).passes().by(sub("d", "dev"), "3", file("Read", "/a"))
	pl.reads(`Agent "dev" has used its 1 calls (limits.calls). Return what you have.`)
	code := fsm.Part{Tool: "Bash", Code: true}
	no := fsm.Rule{Verdict: fsm.Deny, Tools: []string{"Bash"}}
	rules(t, no).does("1", code).denied("A command that cannot be known beforehand is not for the main agent")
	rules(t, no).does("1", bash("agent", "run")).denied("agent run is not for the main agent")
}

// TestRefusalsAreCounted where something is refused: what is only warned of, or bypassed, is no refusal.
func TestRefusalsAreCounted(t *testing.T) {
	p := noWriting(fsm.Strict)
	first := begin(t, p).does("1", file("Write", "/a")).d.Reason
	pl := begin(t, p).ordered("guidance").does("1", file("Write", "/a")).does("2", file("Write", "/a"))
	pl.gets(fsm.Warn, "is not for the main agent").ordered("", fsm.Bypass{}).does("3", file("Write", "/a")).passes()
	pl.ordered("").does("4", file("Write", "/a")).reads(first).does("5", file("Write", "/a")).denied("refused again")
	calls := begin(t, limited(fsm.Limits{SessionCalls: 2})).does("1", file("Read", "/a")).passes()
	calls.does("2", file("Read", "/a")).passes().does("3", file("Read", "/a")).denied("has used its 2 calls")
}

// TestRecentCalls are remembered as far as a rule asks for them; a call that does nothing known is none of them.
func TestRecentCalls(t *testing.T) {
	if pl := begin(t, free()).does("1", file("Read", "/a")); len(pl.s.Budgets.Recent) > 0 {
		t.Errorf("no rule asks: %+v", pl.s.Budgets.Recent)
	}
	pl := rules(t, fsm.Rule{Tools: []string{"Read"}, Verdict: fsm.Deny, Within: 1})
	pl.does("1", file("Read", "/a")).passes()
	pl.do(fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Other", UseID: "2"}})
	pl.does("3", file("Read", "/a")).denied("r0").does("4", file("Write", "/a")).does("5", file("Read", "/a")).passes()
}
