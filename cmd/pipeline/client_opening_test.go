package main

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientOpening: what is told as a session begins, beside a prompt of several steps, and about agents.
func TestClientOpening(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t, "session_start: {inject: 'You lead {{ .Session }}.', files: [rules.md], on: [startup]}\n"+
			"planning: {words: [refactor, and then], at_least: 2, say: 'Plan it first.'}\n"+
			"remind: {after_delegation: '{{ .Agent }} is on it.', after_agent: 'Look at what {{ .Agent }} did.', "+
			"times: 2}\n")
		s.Write("rules.md", "The rules of this house.")
		s.Say("main", e2e.StartWait("bash-developer", "go"), e2e.StartWait("bash-developer", "go"), e2e.Text("done"),
			e2e.Text("again"))
		s.Say("bash-developer", e2e.Text("built"))
		run := s.Claude(t, v, s.Model, "Refactor it and then go", e2e.Allow(everything))
		run.WantTold(t, "main", "You lead "+run.Session+".", "The rules of this house.", "Plan it first.",
			"bash-developer is on it.", "Look at what bash-developer did.")
		run.WantNotTold(t, "bash-developer", "The rules of this house.")
		if told := run.ToldTo("main"); strings.Count(told, "is on it.") != 1 ||
			strings.Count(told, "Look at what") != 1 {
			t.Errorf("reminded otherwise than twice: %s", told)
		}
		again := s.Claude(t, v, s.Model, "refactor", e2e.Resume(run.Session), e2e.Allow(everything))
		asked := again.Asked("main")
		if told := asked[len(asked)-1].New; strings.Contains(told, "The rules of this house.") ||
			strings.Contains(told, "Plan it first.") {
			t.Errorf("told again: %s", told)
		}
	})
}

// TestClientChecksHold: what was written is checked as the turn ends, and fixed.
func TestClientChecksHold(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := working(t,
			"hold: {until: [checks], tries: 3}\nchecks:\n  - {name: todo, files: ['*.txt'], at: [turn_end], run: '! "+
				"grep -H TODO \"$FILE\"'}\n")
		write := func(text string) e2e.Turn {
			return e2e.Call("Bash", e2e.Input{"command": "echo " + text + " > out.txt"})
		}
		s.Say("main", write("TODO"), e2e.Text("done"), write("all"), e2e.Text("now it is"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "Stop hook feedback", "The check todo fails:\n"+s.Path("out.txt")+":TODO")
		run.WantResults(t, "now it is")
	})
}
