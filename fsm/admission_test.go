package fsm_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

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
		defaults(t).uses(sub("z", "bash-developer"), "Write").denied("bash-developer")
	})
	t.Run("another spelling", func(t *testing.T) {
		for _, name := range []string{"Context-Gatherer", "context gatherer", "CONTEXT_GATHERER", "contextgatherer",
			" context–gatherer ", "ｃontext-gatherer"} {
			pl := defaults(t).asks(main(), name, "1").passes().starts("g", "context-gatherer").told("")
			pl.stops("g", "context-gatherer", "found").in("GATHERING")
		}
	})
	t.Run("a spelling that lets in another", func(t *testing.T) { // "c-ode writer" passes c-*, and the client starts code-writer
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
			{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Bash", Parts: []fsm.Part{{Tool: "Bash", Guards: "what the pipeline enforces (pipeline reset)"}}}}} {
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
