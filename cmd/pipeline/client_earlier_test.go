package main

import (
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientEarlier: what one session has gathered is offered to the next one's gatherer, which is started all the
// same.
func TestClientEarlier(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.Text("first done"))
		s.Say("context-gatherer", e2e.Text("the parser lives in parse.go"), e2e.Text("it still does"))
		s.wantState(s.Claude(t, v, s.Model, "go", e2e.Allow(everything)), "GATHERING")

		s.Write("parse.go", "package parse\n")
		m := e2e.NewModel(t)
		m.Say("main", e2e.StartWait("context-gatherer", "go again"), e2e.Text("second done"))
		m.Say("context-gatherer", e2e.Text("it still does"))
		second := s.Claude(t, v, m, "go", e2e.Allow(everything))
		second.WantTold(t, "context-gatherer", "Gathered in this project before", "the parser lives in parse.go",
			"parse.go")
		s.wantState(second, "GATHERING")
	})
}
