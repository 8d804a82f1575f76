package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestGroupsOfServerTools: an objection to a group of commands is one to the tools of servers in it. An exception is
// not, and neither is a confinement: no kernel holds what a server does.
func TestGroupsOfServerTools(t *testing.T) {
	remote := [][]string{{fsm.RemoteCommands}}
	for verdict, want := range map[fsm.Verdict]fsm.Verdict{fsm.Pass: fsm.Deny, fsm.Warn: fsm.Deny,
		fsm.Confine: fsm.Deny,
		fsm.Ask:     fsm.Ask, fsm.Deny: fsm.Deny} {
		p := &fsm.Policy{Level: fsm.Strict, Main: fsm.Rules{List: []fsm.Rule{
			{Name: "group", Verdict: verdict, Else: fsm.Deny, Tools: []string{"Bash"}, Commands: remote},
			{Name: "servers", Verdict: fsm.Deny, Tools: []string{"mcp__*"}}}}}
		pl := begin(t, p).do(fsm.Event{Kind: fsm.ToolRequest, Facts: fsm.Facts{Kernel: "bubblewrap"}, Tool: fsm.Tool{
			Name: "mcp__github__create_issue", UseID: "u", Parts: []fsm.Part{{Tool: "mcp__github__create_issue",
				Groups: []string{fsm.RemoteCommands}}}}})
		if pl.d.Verdict != want || (verdict >= fsm.Ask) != (pl.d.Rule == "group") {
			t.Errorf("%s: %s by %s", verdict, pl.d.Verdict, pl.d.Rule)
		}
	}
}
