package main

import (
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientActivation: a policy that is off is switched on by a skill, used by the model or typed by a person, and
// by a file that is there as the session starts; and never against a person's word.
func TestClientActivation(t *testing.T) {
	start := func(s *enforced) {
		s.Write("configs/pipeline.local.yaml",
			"version: 1\nlevel: \"off\"\norchestrator:\n  default: {allow: true}\nsubagents:\n"+
				"  default: {allow: true}\n"+
				"activate: {skills: [orch], when: [\"features/*.json\"]}\n")
		s.Skill("orch", "Delegate everything.")
		s.Say("bash-architect", e2e.Text("built"))
	}
	refused := func(t *testing.T, s *enforced, run *e2e.Run, want bool) {
		t.Helper()
		denied := false
		for _, id := range s.sessions() {
			for _, r := range s.records(id) {
				denied = denied || r.Event.Tool.Name == "Agent" && r.Verdict == "deny"
			}
		}
		if denied != want {
			t.Errorf("client %s: refused: %v, expected %v; the main agent was told:\n%s", run.Version, denied, want,
				run.ToldTo("main"))
		}
	}
	for name, test := range map[string]struct {
		prompt string
		turns  []e2e.Turn
		before func(s *enforced)
		want   bool
	}{
		"nothing": {"go", []e2e.Turn{e2e.StartWait("bash-architect", "x")}, func(*enforced) {}, false},
		"by the tool": {"go", []e2e.Turn{e2e.Call("Skill", e2e.Input{"skill": "orch"}),
			e2e.StartWait("bash-architect", "x")}, func(*enforced) {}, true},
		"typed": {"/orch now", []e2e.Turn{e2e.StartWait("bash-architect", "x")}, func(*enforced) {}, true},
		"by a file": {"go", []e2e.Turn{e2e.StartWait("bash-architect", "x")},
			func(s *enforced) { s.Write("features/one.json", "{}") }, true},
		"a person is off": {"/orch now", []e2e.Turn{e2e.StartWait("bash-architect", "x")},
			func(s *enforced) { s.pipeline("mode", "off", "not today") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			both(t, func(t *testing.T, v e2e.Version) {
				s := enforce(t)
				start(s)
				test.before(s)
				s.Say("main", append(test.turns, e2e.Text("done"))...)
				refused(t, s, s.Claude(t, v, s.Model, test.prompt, e2e.Allow(everything)), test.want)
			})
		})
	}
}
