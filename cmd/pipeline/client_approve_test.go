package main

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientApproval: a move waits for the person, who reads the plan and types the answer; an agent cannot give it.
func TestClientApproval(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "initial: PLAN\nstates:\n"+
			"  PLAN: {moves: [{agent: bash-developer, to: BUILD, capture: plan, gate: {person: read the plan}}]}\n"+
			"  BUILD: {agents: [c-developer], inject: \"Build this: {{ .Context.plan }}\"}\n")
		s.Say("main", e2e.StartWait("bash-developer", "plan it"),
			e2e.Call("Bash", e2e.Input{"command": "pipeline approve --yes"}),
			e2e.Text("so be it"), e2e.StartWait("bash-developer", "plan it better"), e2e.Text("look again"),
			e2e.Text("now it goes on"))
		s.Say("bash-developer", e2e.Text("first the parser"))
		run := s.Claude(t, v, s.Model, "plan it", e2e.Allow(everything))
		s.wantState(run, "PLAN")
		s.pipeline("reject", "the tests are missing")
		s.resumed(t, v, run, e2e.Allow(everything))
		if drawn := s.pipeline("status"); !strings.Contains(drawn, "read the plan: the result ") ||
			!strings.Contains(drawn, " of bash-developer") {
			t.Errorf("the status is\n%s", drawn)
		}
		w := s.Open(t, v, s.Model, e2e.Arg("--resume", run.Session), e2e.Allow(everything))
		w.Say("/pipeline approve 0123456789ab")
		w.Wait("does not wait")
		w.Say("/pipeline approve")
		w.Wait("PLAN → BUILD")
		w.Say("and now")
		w.Wait("now it goes on")
		w.Close()
		told := s.toldMain()
		for _, want := range []string{"(pipeline approve)", "the tests are missing. Start it again",
			"Build this: first the parser"} {
			if !strings.Contains(told, want) {
				t.Errorf("the main agent was not told %q:\n%s", want, told)
			}
		}
	})
}
