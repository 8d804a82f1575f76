package report

import (
	"strings"
	"testing"
)

// TestAdviceByKind: each kind of violation has advice of its own.
func TestAdviceByKind(t *testing.T) {
	for want, x := range map[string]Rule{
		"add the agent to the state": {Kind: "pipeline", Tool: "Agent"},
		"--rule protect":             {Kind: "protect", Tool: "Bash"},
		"raise the limit":            {Kind: "limits", Tool: "Agent"},
		"pipeline tasks":             {Kind: "tasks", Tool: "Agent"},
		"have a worker edit":         {Kind: "no-editing", Tool: "Edit"},
		"raise the budget":           {Kind: "read-budget", Tool: "Read"},
		"have an agent search":       {Kind: "no-searching", Tool: "Grep"},
		"only look":                  {Kind: "no-building", Tool: "Bash"},
		"the rule or the habit":      {Kind: "other", Tool: "mcp__x__y"},
	} {
		if got := x.suggestFix(); !strings.Contains(got, want) {
			t.Errorf("%s of %s: %q, want %q", x.Kind, x.Tool, got, want)
		}
	}
}

// TestAdviceOfSeveralRules: the worst rule has its sentence, and others that objected often have theirs.
func TestAdviceOfSeveralRules(t *testing.T) {
	r := Report{Breakdown: []Violation{{Rule: "no-editing", Count: 5}},
		Rules: []Rule{{Rule: "no-editing", Objections: 5, Kind: "no-editing", Tool: "Edit"},
			{Rule: "state IDLE", Where: "pipeline.yaml:47", Objections: 4, Kind: "pipeline", Tool: "Agent"},
			{Rule: "no-building", Objections: 2, Kind: "no-building", Tool: "Bash"}}}
	want := []string{"Rule no-editing made 5 of the 5", "State IDLE (pipeline.yaml:47) objected 4 times: add the agent"}
	got := r.listAdvice()
	if len(got) != len(want) {
		t.Fatalf("advice %q", got)
	}
	for i := range want {
		if !strings.HasPrefix(got[i], want[i]) {
			t.Errorf("advice %q, want %q", got[i], want[i])
		}
	}
}
