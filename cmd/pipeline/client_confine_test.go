package main

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientConfine: before there is a plan the kernel keeps an agent's commands from writing, and the
// agent reads why; the same line writes once there is a plan.
func TestClientConfine(t *testing.T) {
	const writes, reads = `python3 -c 'open("made.txt","w").write("x")'`, `python3 -c 'print(6*7)'`
	// a line that names none of our files, and is about to write one
	const touchesOurs = `sh -c "$(printf 'echo x >> conf''igs/pipe''line.yaml')"`
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", e2e.StartWait("context-gatherer", "go"), e2e.StartWait("context-refiner", "go"),
			e2e.StartWait("strategic-orchestrator", "go"), e2e.StartWait("bash-developer", "part 1"),
			e2e.Text("all done"))
		s.Say("context-refiner", e2e.Text("refined 43"))
		s.Say("strategic-orchestrator", e2e.Text("planned 44"))
		s.Say("context-gatherer", e2e.Call("Bash", e2e.Input{"command": writes}),
			e2e.Call("Bash", e2e.Input{"command": reads}),
			e2e.Call("Bash", e2e.Input{"command": "test -e made.txt || echo absent"}), e2e.Text("gathered 42"))
		s.Say("bash-developer", e2e.Call("Bash", e2e.Input{"command": writes}),
			e2e.Call("Bash", e2e.Input{"command": touchesOurs}),
			e2e.Call("Bash", e2e.Input{"command": writes + " && sleep 0.2 && touch aside.txt",
				"run_in_background": true}),
			e2e.Text("DONE: made.txt").Until(func() bool { return s.has("aside.txt") }))
		run := s.Claude(t, v, s.Model, "build me a thing", e2e.Allow(everything))
		run.WantTold(t, "context-gatherer", "Read-only file system", "In IDLE the project is read-only for this agent",
			"42", "absent")
		if s.Read("made.txt") != "x" {
			t.Error("the developer's line did not write")
		}
		run.WantTold(t, "bash-developer", "Read-only file system")
		if strings.Contains(s.Read("configs/pipeline.yaml"), "\nx\n") {
			t.Error("the config was changed")
		}
		for _, r := range s.records(run.Session) {
			if ticket := r.Event.Facts.Ticket; ticket != nil && !ticket.Used {
				t.Errorf("%s: a line ran without its limits", r.Event.Agent.Type)
			}
		}
		s.wantState(run, "COMPLETE")
	})
}

// TestClientConfineTyped: what a person types into the client's window runs free.
func TestClientConfineTyped(t *testing.T) {
	s := enforce(t)
	s.Say("main", e2e.Call("Bash", e2e.Input{"command": "python3 -c 'open(\"agent.txt\",\"w\")'"}),
		e2e.Text("that is all"))
	w := s.Open(t, e2e.Latest, s.Model, e2e.Allow(everything))
	w.Say("look around")
	w.Wait("that is all")
	w.Say(`! python3 -c 'open("typed.txt","w")'`)
	w.Until("write the file", func() bool { return s.has("typed.txt") })
	w.Close()
	if s.has("agent.txt") {
		t.Error("the main agent's line wrote a file")
	}
}

func (s *enforced) has(name string) bool {
	_, err := os.Stat(s.Path(name))
	return err == nil
}
