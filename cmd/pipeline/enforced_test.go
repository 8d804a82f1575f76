package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// An enforced project: the default pipeline, installed as a user would, with the real client in it.
type enforced struct {
	*e2e.Project
	*e2e.Model
	t testing.TB
}

func enforce(t testing.TB) *enforced {
	t.Helper()
	s := &enforced{e2e.NewProject(t), e2e.NewModel(t), t}
	s.Git()
	s.initShipped("default")
	s.pipeline("install")
	for _, name := range []string{"context-gatherer", "context-refiner", "strategic-orchestrator", "bash-developer",
		"bash-architect", "c-developer"} {
		s.Agent(name, "[["+name+"]]")
	}
	return s
}

// initShipped begins with a preset as it is shipped, whose agents are for three languages.
func (s *enforced) initShipped(preset string, args ...string) {
	s.t.Helper()
	s.pipeline(append([]string{"init", "--yes", "--preset", preset}, args...)...)
	text, _ := configs.Preset(preset)
	s.Write("configs/pipeline.yaml", string(text))
}

// withoutRules leaves the states in force, and the rules about tools not.
func (s *enforced) withoutRules() {
	s.Write("configs/pipeline.local.yaml",
		"version: 1\norchestrator:\n  default: {allow: true}\nsubagents:\n  default: {allow: true}\n")
	s.pipeline("check", "--fast")
}

func (s *enforced) env() []string {
	return []string{"HOME=" + s.Home, "CLAUDE_CONFIG_DIR=" + s.ConfigDir, "PATH=/usr/bin:/bin"}
}

// pipeline runs a command as the user would, in a terminal of his own.
func (s *enforced) pipeline(args ...string) string {
	s.t.Helper()
	cmd := exec.Command(binary(), args...)
	cmd.Dir, cmd.Env = s.Dir, s.env()
	out, err := cmd.CombinedOutput()
	if err != nil {
		s.t.Fatalf("pipeline %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

func (s *enforced) view(id string) session.View {
	s.t.Helper()
	var v session.View
	cmd := exec.Command(binary(), "status", "--json", "--session", id)
	cmd.Dir, cmd.Env = s.Dir, s.env()
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("pipeline status: %v", err)
	}
	if err := json.Unmarshal(out, &v); err != nil {
		s.t.Fatalf("pipeline status: %v in %s", err, out)
	}
	return v
}

func (s *enforced) journals() []string {
	found, _ := filepath.Glob(filepath.Join(s.Home, ".local/state/pipeline/*/sessions/*/journal.jsonl"))
	return found
}

// recorded holds when a session's journal says so.
func (s *enforced) recorded(text string) e2e.Cond {
	return func() bool { return anyHas(s.journals(), text) }
}

// transcribed holds when the client has written it down: what it is killed before, it forgets.
func (s *enforced) transcribed(text string) e2e.Cond {
	return func() bool {
		found, _ := filepath.Glob(filepath.Join(s.ConfigDir, "projects", "*", "*.jsonl"))
		return anyHas(found, text)
	}
}

func anyHas(files []string, text string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		body, err := os.ReadFile(f)
		return err == nil && strings.Contains(string(body), text)
	})
}

func (s *enforced) records(id string) []journal.Record {
	s.t.Helper()
	files, _ := filepath.Glob(filepath.Join(s.Home, ".local/state/pipeline/*/sessions", id, "journal.jsonl"))
	if len(files) != 1 {
		s.t.Fatalf("session %s has journals %q", id, files)
	}
	var out []journal.Record
	if _, err := journal.Read(filepath.Dir(files[0]), func(r journal.Record) bool {
		out = append(out,
			r)
		return true
	}); err != nil {
		s.t.Fatal(err)
	}
	if found, err := journal.Verify(filepath.Dir(files[0]), journal.Head{}); err != nil || len(found.Faults) > 0 {
		s.t.Errorf("the journal does not hold: %+v %v", found, err)
	}
	return out
}

// wantState checks where a session stands.
func (s *enforced) wantState(run *e2e.Run, state string) session.View {
	s.t.Helper()
	v := s.view(run.Session)
	if v.State != state {
		for _, r := range s.records(run.Session) {
			s.t.Logf("%d %s %s %s %s %s %v %q", r.Seq, r.Event.Kind, r.Event.Agent.Type, r.Event.Agent.ID,
				r.Event.Tool.Name, r.Verdict, r.Moves, r.Notes)
		}
		s.t.Errorf("client %s: session is in %s, expected %s; the main agent was told:\n%s", run.Version, v.State,
			state, run.ToldTo("main"))
	}
	return v
}

// wantNote checks that the journal says why something did or did not happen.
func (s *enforced) wantNote(run *e2e.Run, text string) {
	s.t.Helper()
	var all []string
	for _, r := range s.records(run.Session) {
		all = append(all, r.Notes...)
	}
	if !strings.Contains(strings.Join(all, "\n"), text) {
		s.t.Errorf("client %s: the journal does not note %q:\n%s", run.Version, text, strings.Join(all, "\n"))
	}
}

// walk is the main agent's way from IDLE to EXECUTING, one agent after the other in the foreground.
func (s *enforced) walk() []e2e.Turn {
	s.Say("context-gatherer", e2e.Text("gathered 42"))
	s.Say("context-refiner", e2e.Text("refined 43"))
	s.Say("strategic-orchestrator", e2e.Text("planned 44"))
	return []e2e.Turn{e2e.StartWait("context-gatherer", "go"), e2e.StartWait("context-refiner", "go"),
		e2e.StartWait("strategic-orchestrator", "go")}
}

const everything = "Agent Bash Read Write Edit Skill Workflow SendMessage"

// both runs a scenario with both clients, side by side.
func both(t *testing.T, scenario func(t *testing.T, v e2e.Version)) {
	e2e.EachVersion(t, func(t *testing.T, v e2e.Version) {
		t.Parallel()
		scenario(t, v)
	})
}
