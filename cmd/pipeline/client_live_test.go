package main

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/hooks/claude/live"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func bash(command string) e2e.Turn { return e2e.Call("Bash", e2e.Input{"command": command}) }

// TestClientLiveness: the hooks are switched off for one run of a session. The next says so, once, with what was done
// meanwhile and succeeded; neither an undisturbed session nor one that is a copy is spoken of.
func TestClientLiveness(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.withoutRules()
		s.Say("main", bash("echo 1"), e2e.Text("one"),
			e2e.Together(bash("echo 2"), bash("echo 3")), bash("exit 3"), e2e.Call("Nope", e2e.Input{"x": 1}),
			e2e.Call("Read", e2e.Input{"y": 1}),
			e2e.StartWait("context-gatherer", "go"), e2e.Text("two"),
			bash("echo 5"), e2e.Text("three"), bash("echo 6"), e2e.Text("four"), bash("echo 7"), e2e.Text("five"))
		s.Say("context-gatherer", bash("echo 4"), e2e.Text("gathered"))
		first := s.Claude(t, v, s.Model, "go", e2e.Allow(everything), hookEvents)
		off := s.Path(".claude/settings.json")
		s.Write(".claude/settings.json", `{"disableAllHooks":true}`)
		s.resumed(t, v, first)
		if err := os.Remove(off); err != nil {
			t.Fatal(err)
		}
		third, fourth := s.resumed(t, v, first), s.resumed(t, v, first)
		forked := s.resumed(t, v, first, e2e.Fork())
		want := "4 tool calls were made that pipeline was never asked about (Bash 3, Agent 1)"
		if said := warned(third); len(said) != 1 || !strings.Contains(said[0], want) {
			t.Errorf("the run after it said %q", said)
		}
		for _, run := range []*e2e.Run{first, fourth, forked} {
			if said := warned(run); len(said) > 0 {
				t.Errorf("a run that was asked about everything said %q", said)
			}
		}
		s.wantMissed(map[string]int{first.Session: 4, forked.Session: 0})
	})
}

// resumed goes on with a session.
func (s *enforced) resumed(t *testing.T, v e2e.Version, of *e2e.Run, opts ...e2e.Option) *e2e.Run {
	return s.Claude(t, v, s.Model, "go on", append(opts, e2e.Resume(of.Session), e2e.Allow(everything), hookEvents)...)
}

// hookEvents makes the client print what hooks answer.
var hookEvents = e2e.Arg("--include-hook-events")

// warned are the answers of hooks that say that enforcement was off.
func warned(run *e2e.Run) (out []string) {
	for _, e := range run.Events {
		if raw := string(e.Raw); e.Subtype == "hook_response" &&
			strings.Contains(raw, `pipeline: enforcement was off`) {
			out = append(out, raw)
		}
	}
	return out
}

// wantMissed compares all sessions from beginning to end.
func (s *enforced) wantMissed(want map[string]int) {
	s.t.Helper()
	dir, _, ok := strings.Cut(s.journals()[0], "/sessions/")
	all, err := live.CompareAll(session.Store{Dir: dir}, s.ConfigDir)
	if err != nil || !ok || len(all) != len(want) {
		s.t.Fatalf("%d sessions: %v", len(all), err)
	}
	for _, one := range all {
		missed := 0
		for _, stretch := range one.Stretches {
			missed += len(stretch.Calls)
		}
		if n, known := want[one.ID]; !known || one.Err != nil || one.Transcript == "" || missed != n ||
			len(one.Stretches) > 1 {
			s.t.Errorf("expected %d missed: %+v", n, one)
		}
	}
}
