package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/configs"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// observed is the default policy, and what a good fortnight looks like under it: three
// sessions a week, fewer denials in the second.
func observed(t *testing.T, level fsm.Level, now time.Time) *Observations {
	t.Helper()
	dir := t.TempDir()
	text, _ := configs.Preset("default")
	w := config.World{Dir: dir, Home: dir, ConfigHome: dir, StateHome: dir, Config: filepath.Join(dir, "pipeline.yaml"),
		Getenv: func(string) string { return "" }}
	if err := os.WriteFile(w.Config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	o, err := config.Open(w)
	if err != nil {
		t.Fatal(err)
	}
	o.Policy.Level = level
	s := newObservations(o.Policy)
	for i := range 6 {
		s.sessions++
		at := now.Add(-15 * 24 * time.Hour).Add(time.Duration(i) * 3 * 24 * time.Hour)
		for n := range 20 {
			s.addRecord(askedAt("Read", "", at.Add(time.Duration(n)*time.Minute)))
		}
		for range 6 - i {
			s.addRecord(askedAt("Write", "no-editing", at))
		}
	}
	return s
}

func askedAt(tool, rule string, at time.Time) journal.Record {
	r := journal.Record{Event: fsm.Event{Kind: "tool-request", Time: at, Dir: "/project",
		Agent: fsm.Agent{Basis: "no agent_id"},
		Tool:  fsm.Tool{Name: tool, Parts: []fsm.Part{{Tool: tool, Path: "/project/a.go"}}}},
		Rule: rule, State: fsm.Session{ID: "s1", Machine: fsm.Machine{State: "IDLE"}}}
	if rule != "" {
		r.Verdict = "deny"
	}
	return r
}

func TestReadiness(t *testing.T) {
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		level fsm.Level
		with  func(*Observations)
		want  string // the verdict, and what is no-go or flagged
	}{
		"good":           {fsm.Guidance, nil, "go"},
		"good, observed": {fsm.Observe, nil, "go"},
		"good, strict":   {fsm.Strict, nil, "keep"},
		"disputed": {fsm.Guidance, func(s *Observations) {
			s.addRecord(journal.Record{Event: fsm.Event{Kind: "dispute", Time: now}, Reason: "it was mine to do"})
		}, "no-go disputed denials"},
		"disputed, strict": {fsm.Strict,
			func(s *Observations) { s.addRecord(journal.Record{Event: fsm.Event{Kind: "dispute", Time: now}}) },
			"roll back disputed denials disputed denials: 1, expected 0"},
		"errors": {fsm.Guidance, func(s *Observations) { s.errors = 3 }, "no-go errors of pipeline itself"},
		"errors, strict": {fsm.Strict, func(s *Observations) { s.errors = 3 },
			"roll back errors of pipeline itself errors of pipeline itself: 2.1 %"},
		"callers unsure": {fsm.Guidance, func(s *Observations) {
			addMany(s, 9, func(r *journal.Record) { r.Event.Agent.Basis = "environment" }, now)
		}, "no-go caller identified"},
		"bypassed": {fsm.Guidance,
			func(s *Observations) { addMany(s, 30, func(r *journal.Record) { r.Rule = "bypass" }, now) },
			"no-go bypass rate"},
		"without a state": {fsm.Guidance, func(s *Observations) { addMany(s, 1, startOf("poet"), now) },
			"no-go agents without a state"},
		"of a glob": {fsm.Guidance, func(s *Observations) { addMany(s, 1, startOf("bash-poet"), now) }, "go"},
		"more denials": {fsm.Guidance, func(s *Observations) { addMany(s, 9, denialOf("Write"), now) },
			"no-go denials falling"},
		"more, none reported": {fsm.Observe, func(s *Observations) { addMany(s, 9, denialOf("Write"), now) }, "go"},
		"no agent may do it": {fsm.Guidance, func(s *Observations) {
			s.policy.Subagents.List = []fsm.Rule{{Name: "none", Verdict: fsm.Deny, Tools: []string{"Write"}}}
		}, "no-go denied work"},
		"without states": {fsm.Guidance, func(s *Observations) { s.policy.States, s.policy.Initial = nil, "" },
			"go"},
		"stuck, strict": {fsm.Strict,
			func(s *Observations) { addMany(s, 1, stuckAt(5), now.Add(-8*24*time.Hour)) },
			"roll back an agent was stuck: refused 5 times"},
		"stuck, but not yet": {fsm.Strict,
			func(s *Observations) { addMany(s, 1, stuckAt(4), now.Add(-8*24*time.Hour)) }, "keep"},
	} {
		s := observed(t, c.level, now)
		if c.with != nil {
			c.with(s)
		}
		out := s.Judge(now)
		got := out.Verdict
		for _, x := range out.Criteria {
			if x.Verdict == NoGo {
				got += " " + x.Name
			}
		}
		got += " " + strings.Join(out.RedFlags, " ")
		if !strings.HasPrefix(strings.TrimSpace(got), c.want) || c.want == strings.Fields(c.want)[0] &&
			strings.TrimSpace(got) != c.want {
			t.Errorf("%s: %q, expected %q\n%+v", name, got, c.want, out.Criteria)
		}
	}
}

func addMany(s *Observations, n int, change func(*journal.Record), at time.Time) {
	for range n {
		r := askedAt("Read", "", at)
		change(&r)
		s.addRecord(r)
	}
}

// TestReadinessCountsDoubledOnce: a call that two registrations have reported is one.
func TestReadinessCountsDoubledOnce(t *testing.T) {
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	s := newObservations(&fsm.Policy{})
	for _, repeated := range []bool{false, true, false, true, false, false} {
		r := askedAt("Write", "no-editing", now)
		r.Repeated = repeated
		s.addRecord(r)
	}
	if s.calls != 4 || s.records != 6 || s.denied["no-editing"] != 4 {
		t.Errorf("%d calls, %d records, denied %v", s.calls, s.records, s.denied)
	}
}

func startOf(agent string) func(*journal.Record) {
	return func(r *journal.Record) {
		r.Event.Tool.Name, r.Event.Tool.Starts = "Agent", &fsm.Start{How: fsm.ByAgent, Type: agent}
	}
}

func denialOf(tool string) func(*journal.Record) {
	return func(r *journal.Record) { *r = askedAt(tool, "no-editing", r.Event.Time) }
}

func stuckAt(times int) func(*journal.Record) {
	return func(r *journal.Record) {
		*r = askedAt("Write", "no-editing", r.Event.Time)
		r.State.Budgets.Refusals = []fsm.Refusal{{What: "no-editing Write of a.go", Times: times}}
	}
}

// TestStuckIsWhatGrew: what was refused over and over is no other call that is refused later.
func TestStuckIsWhatGrew(t *testing.T) {
	s := newObservations(&fsm.Policy{})
	refuse := func(session, tool string, all ...fsm.Refusal) {
		r := askedAt(tool, "no-editing", time.Now())
		r.State.ID, r.State.Budgets.Refusals = session, all
		s.addRecord(r)
	}
	written := fsm.Refusal{What: "a", Times: 6}
	for i := range 6 {
		refuse("s1", "Write", fsm.Refusal{What: "a", Times: i + 1})
	}
	refuse("s1", "WebFetch", written, fsm.Refusal{What: "b", Times: 1})
	refuse("s1", "Edit", written, fsm.Refusal{What: "b", Times: 1}, fsm.Refusal{What: fsm.OtherCalls, Times: 9})
	refuse("s2", "Bash", fsm.Refusal{What: "a", Times: 5})
	if got := strings.Join(Frequent(s.stuck), "; "); got != "Write, rule no-editing 6; Bash, rule no-editing 5" {
		t.Errorf("stuck: %s", got)
	}
}

// TestRollbackTried: a softer level after a stricter one shows that going back is
// known.
func TestRollbackTried(t *testing.T) {
	for _, c := range []struct {
		levels []string
		want   string
	}{{[]string{"observe", "strict"}, NotKnown}, {[]string{"strict", "guidance", "strict"}, Go}, {nil, NotKnown}} {
		s := newObservations(&fsm.Policy{})
		for _, l := range c.levels {
			s.addRecord(journal.Record{Event: fsm.Event{Kind: fsm.ToolRequest}, Level: l})
		}
		for _, got := range s.criteria(time.Now()) {
			if got.Name == "rollback tried" && got.Verdict != c.want {
				t.Errorf("%q: %s, expected %s", c.levels, got.Verdict, c.want)
			}
		}
	}
}
