package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

func guardedCall(who fsm.Agent) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Agent: who, Tool: fsm.Tool{Name: "Write",
		Parts: []fsm.Part{{Tool: "Write", Guards: "the pipeline's config"}}}}
}

// under is the answer to an event while persons have lifted something.
func (pl *play) under(e fsm.Event, lifts ...fsm.Bypass) fsm.Decision {
	e.Session, e.Time, e.Facts.Overrides.Bypasses = "s1", pl.now, lifts
	_, d := pl.p.Step(pl.s, e)
	return d
}

// TestQuarantineOpensNothing: an agent that was not admitted is held to all that others are, where a lenient level or a
// bypass lets its calls pass.
func TestQuarantineOpensNothing(t *testing.T) {
	stray := sub("z", "stray")
	lift := fsm.Bypass{ID: "1", Agent: "stray"}
	for _, level := range []fsm.Level{fsm.Strict, fsm.AskFirst, fsm.Guidance, fsm.Observe} {
		p := states(t)
		p.Level = level
		p.Subagents = fsm.Rules{List: []fsm.Rule{{Name: "no-web", Verdict: fsm.Deny, Tools: []string{"WebFetch"},
			Level: fsm.Strict, Levelled: true}}}
		e := guardedCall(stray)
		if pl := begin(t, p).starts("z", "stray").do(e).denied("the pipeline's config"); pl.d.Rule != fsm.RuleProtect {
			t.Errorf("%s: rule %s", level, pl.d.Rule)
		}
		if d := begin(t, p).starts("z", "stray").under(e, lift); d.Verdict != fsm.Deny || d.Rule != fsm.RuleProtect {
			t.Errorf("%s: %+v", level, d)
		}
		if pl := begin(t, p).starts("z", "stray").uses(stray, "WebFetch"); pl.d.Verdict != fsm.Deny {
			t.Errorf("%s: WebFetch passes", level)
		}
	}
	e := fsm.Event{Kind: fsm.ToolRequest, Agent: stray, Tool: fsm.Tool{Name: "Read", Parts: []fsm.Part{{Tool: "Read"}}}}
	begin(t, states(t)).starts("z", "stray").do(e).denied("may use no tool")
	if d := begin(t, states(t)).starts("z", "stray").under(e, lift); d.Verdict != fsm.Pass ||
		d.StrictVerdict != fsm.Deny || d.Rule != fsm.RuleBypass {
		t.Errorf("%+v", d)
	}
}

// TestWorkflowThatNeverRan: a workflow that the host or the user refused admits no agent, though two registrations
// asked.
func TestWorkflowThatNeverRan(t *testing.T) {
	pl := workflow(t)
	again := starting(fsm.ByWorkflow, "workflow-subagent", "")
	again.Tool.UseID = "2"
	pl.do(again).passes().do(again).passes()
	pl.do(fsm.Event{Kind: fsm.ToolFailure, Tool: again.Tool})
	again.Tool.UseID = "1"
	pl.do(fsm.Event{Kind: fsm.ToolFailure, Tool: again.Tool}).starts("x", "stray").told("may use no tool")
}

// TestBypassOfAnAgentThatIsWoken: a bypass for agents of a type covers the message that wakes one of them, and no
// other.
func TestBypassOfAnAgentThatIsWoken(t *testing.T) {
	message := starting(fsm.ByMessage, "", "o")
	for agent, verdict := range map[string]fsm.Verdict{"strategic-orchestrator": fsm.Pass, "context-gatherer": fsm.Deny,
		"o": fsm.Deny} {
		if d := defaults(t).executing().under(message, fsm.Bypass{ID: "1", Agent: agent}); d.Verdict != verdict ||
			d.StrictVerdict != fsm.Deny {
			t.Errorf("bypass for %s: %s, %s", agent, d.Verdict, d.Reason)
		}
	}
}
