package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// What persons order about the level, and what agents try, with the real client.

// decided are the records of calls that start an agent of this type.
func (s *enforced) decided(session, agent string) (out []journal.Record) {
	for _, r := range s.records(session) {
		if r.Event.Kind == fsm.ToolRequest && r.Event.Tool.Starts != nil && r.Event.Tool.Starts.Type == agent {
			out = append(out, r)
		}
	}
	return out
}

// TestClientBypassByEnvironment: a client that is started with the variable is stopped by nothing, and all is recorded.
func TestClientBypassByEnvironment(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", e2e.StartWait("bash-architect", "x"),
			e2e.Call("Bash", e2e.Input{"command": "echo level: off >> configs/pipeline.yaml"}), e2e.Text("done"))
		s.Say("bash-architect", e2e.Text("drawn 46"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything), e2e.Env("PIPELINE_BYPASS=1"))
		run.WantTold(t, "main", "drawn 46", "Agents may not touch the pipeline's config")
		r := s.decided(run.Session, "bash-architect")
		if len(r) != 1 || r[0].Rule != fsm.RuleBypass || r[0].StrictVerdict != "deny" || r[0].Verdict != "" {
			t.Errorf("recorded %+v", r)
		}
		out := s.pipeline("report", "--session", run.Session)
		if !strings.Contains(out, "1 bypassed (1)") {
			t.Errorf("the report does not show the bypass:\n%s", out)
		}
		s.Say("main", e2e.StartWait("bash-architect", "x"), e2e.Text("done"))
		again := s.Claude(t, v, s.Model, "go on", e2e.Resume(run.Session), e2e.Allow(everything))
		again.WantTold(t, "main", `agent "bash-architect" may not run`)
	})
}

// TestClientModeBetweenPrompts: what a person sets while the session rests holds from its next call on.
func TestClientModeBetweenPrompts(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Say("main", e2e.StartWait("bash-architect", "x"), e2e.Text("so far"), e2e.StartWait("bash-architect", "y"),
			e2e.Text("done"))
		s.Say("bash-architect", e2e.Text("drawn 46"))
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", `agent "bash-architect" may not run`)
		s.pipeline("mode", "guidance", "a trial")
		again := s.Claude(t, v, s.Model, "go on", e2e.Resume(run.Session), e2e.Allow(everything))
		again.WantTold(t, "main", "drawn 46")
		r := s.decided(run.Session, "bash-architect")
		if len(r) != 2 || r[0].Verdict != "deny" || r[1].Verdict != "warn" || r[1].StrictVerdict != "deny" ||
			r[1].Level != "guidance" {
			t.Errorf("recorded %+v", r)
		}
	})
}

// TestClientAgentLifts: an agent that would lift or soften what is enforced is refused each time, and nothing changes.
func TestClientAgentLifts(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.withoutRules()
		lines := []string{"pipeline bypass on --for 5m x", "bash -c 'pipeline mode off'",
			"env -u CLAUDECODE pipeline once", "tmux send-keys '/pipeline bypass 5m x' Enter"}
		var turns []e2e.Turn
		for _, line := range lines {
			turns = append(turns, e2e.Call("Bash", e2e.Input{"command": line}))
		}
		s.Write("sneak.sh", "env -u CLAUDECODE "+binary()+" mode off\n")
		turns = append(turns, e2e.Call("Bash", e2e.Input{"command": "bash sneak.sh"}),
			e2e.StartWait("bash-architect", "x"), e2e.Text("done"))
		s.Say("main", turns...)
		run := s.Claude(t, v, s.Model, "go", e2e.Allow(everything))
		run.WantTold(t, "main", "(pipeline bypass)", "(pipeline mode)", "(pipeline once)", "mode is for a person",
			`agent "bash-architect" may not run`)
		denied := 0
		for _, r := range s.records(run.Session) {
			if r.Event.Tool.Name == "Bash" && r.Verdict == "deny" && r.Rule == fsm.RuleProtect {
				denied++
			}
		}
		if denied != len(lines) {
			t.Errorf("%d of %d attempts are recorded as denied", denied, len(lines))
		}
		if found, _ := filepath.Glob(filepath.Join(s.Home, ".local/state/pipeline/*/orders.json*")); len(found) > 0 {
			body, _ := os.ReadFile(found[0]) // as far as it can be shown
			t.Errorf("ordered: %q %s", found, body)
		}
	})
}
