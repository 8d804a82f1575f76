package main

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// TestClientTeam: a member of a team is known as one: what is agreed on for the final messages of agents does not bind
// it, and neither do the waves of the plan; an agent of the same type that is no member is bound by both.
func TestClientTeam(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Write("configs/pipeline.yaml", "version: 1\nagents:\n  bash-developer: {returns: '^DONE', tries: 1}\n")
		s.pipeline("check", "--fast")
		s.Say("main", e2e.Start("bash-developer", "[[bash-developer]] as a member").With("name", "worker"),
			e2e.Text("team started"), e2e.Text("noted"), e2e.Text("noted"))
		s.Say("bash-developer", e2e.Text("all fine"), e2e.Text("still fine"))
		w := s.Open(t, v, s.Model, e2e.Env("CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS=1"))
		w.Say("go")
		w.Until("hear the member out", s.recorded(`"kind":"agent-stop"`))
		w.Close()
		stops := 0
		for _, r := range s.onlyRecords() {
			if r.Event.Kind != "agent-stop" {
				continue
			}
			stops++
			if r.Rule == "returns" {
				t.Errorf("a member of a team was sent back: %s", r.Reason)
			}
			if !mate(r) {
				t.Errorf("%s (%s) is not known as a member: %+v", r.Event.Agent.ID, r.Event.Agent.Type,
					r.State.Agents.Runs)
			}
		}
		if stops == 0 {
			t.Error("the member was never heard of")
		}
	})
}

func mate(r journal.Record) bool {
	for _, a := range r.State.Agents.Runs {
		if a.ID == r.Event.Agent.ID {
			return a.Teammate
		}
	}
	return false
}

// TestClientNoTeam: the same agent, started as any other.
func TestClientNoTeam(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Write("configs/pipeline.yaml", "version: 1\nagents:\n  bash-developer: {returns: '^DONE', tries: 1}\n")
		s.Say("main", e2e.StartWait("bash-developer", "go"), e2e.Text("done"))
		s.Say("bash-developer", e2e.Text("all fine"), e2e.Text("DONE|nothing"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "bash-developer", "does not have the agreed form")
		if told := run.ToldTo("main"); !strings.Contains(told, "DONE|nothing") {
			t.Errorf("the main agent was told: %s", told)
		}
	})
}
