package fsm_test

import (
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
