package main

import (
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientConfine: before there is a plan the kernel keeps an agent's commands from writing, and the
// agent reads why; the same line writes once there is a plan.
func TestClientConfine(t *testing.T) {
	const writes, reads = `python3 -c 'open("made.txt","w").write("x")'`, `python3 -c 'print(6*7)'`
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.StartWait("context-refiner", "go"),
			e2e.StartWait("strategic-orchestrator", "go"), e2e.StartWait("bash-developer", "part 1"), e2e.Text("all done"))
		s.Say("context-refiner", e2e.Text("refined 43"))
		s.Say("strategic-orchestrator", e2e.Text("planned 44"))
		s.Say("context-gatherer", e2e.Call("Bash", e2e.Input{"command": writes}), e2e.Call("Bash", e2e.Input{"command": reads}),
			e2e.Call("Bash", e2e.Input{"command": "test -e made.txt || echo absent"}), e2e.Text("gathered 42"))
		s.Say("bash-developer", e2e.Call("Bash", e2e.Input{"command": writes}), e2e.Text("DONE: made.txt"))
		run := s.Claude(t, v, s.Model, "build me a thing", e2e.Allow(everything))
		run.WantTold(t, "context-gatherer", "Read-only file system", "In IDLE the project is read-only for this agent", "42", "absent")
		for _, r := range s.records(run.Session) {
			t.Logf("%s %s %v %s %s %s %v kernel=%q ticket=%v", r.Event.Kind, r.Event.Agent.Type, r.Event.Tool.Parts, r.Verdict, r.Rule, r.Reason, r.Notes, r.Event.Facts.Kernel, r.Event.Facts.Ticket)
		}
		t.Log(s.Read(".claude/settings.local.json"))
		if s.Read("made.txt") != "x" {
			t.Error("the developer's line did not write")
		}
		s.wantState(run, "COMPLETE")
	})
}
