package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestReportedOver: whatever reports that an agent has failed or is gone ends it, by its id, its name or its type; a
// call of its own revives it.
func TestReportedOver(t *testing.T) {
	over := func(kind fsm.Kind, names ...string) fsm.Event {
		return fsm.Event{Kind: kind, Tool: fsm.Tool{Name: "TaskOutput", Over: names}}
	}
	named := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Agent", Parts: []fsm.Part{{Tool: "Agent"}},
		Starts: &fsm.Start{How: fsm.ByAgent, Type: "dev", Name: "bob"}}}
	for name, e := range map[string]fsm.Event{
		"a wait that names its id":   over(fsm.ToolResult, "a"),
		"a call that failed, named":  over(fsm.ToolFailure, "bob"),
		"a call that failed, a type": over(fsm.ToolFailure, "Dev"),
		"a notice with its name": {Kind: fsm.Prompt, Origin: fsm.Notification,
			Notice: fsm.Notice{Task: "bob", Status: "failed"}},
	} {
		pl := begin(t, free()).do(named).starts("a", "dev").do(e)
		if r := pl.s.Agents.Runs[0]; r.Status != fsm.Failed {
			t.Errorf("%s: it is %s", name, r.Status)
		}
		pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: sub("a", "dev"),
			Tool: fsm.Tool{Name: "Read", Parts: []fsm.Part{{Tool: "Read"}}}})
		if r := pl.s.Agents.Runs[0]; r.Status != fsm.Running {
			t.Errorf("%s: it calls a tool, and is %s", name, r.Status)
		}
	}
	pl := begin(t, free()).do(named).do(over(fsm.ToolFailure, "bob"))
	if n := len(pl.s.Agents.Runs); n != 0 {
		t.Errorf("an agent that never began: %d are left", n)
	}
	pl = begin(t, free()).do(named).starts("a", "dev").asks(sub("a", "dev"), "dev", "2").starts("b", "dev").
		do(over(fsm.ToolResult, "a"))
	if r := pl.s.Agents.Runs; r[1].Status != fsm.Lost {
		t.Errorf("what it had started: %+v", r)
	}
}
