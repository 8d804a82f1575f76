package main

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// observed is the default policy, and what a good fortnight looks like under it: three sessions a week, fewer denials in
// the second.
func observed(t *testing.T, level fsm.Level, now time.Time) *sightings {
	t.Helper()
	p := &program{getenv: func(string) string { return "" }}
	o, err := p.preset(config.World{Dir: t.TempDir(), Getenv: p.getenv})
	if err != nil {
		t.Fatal(err)
	}
	o.Policy.Level = level
	s := newSightings(o.Policy)
	for i := range 6 {
		s.begin()
		at := now.Add(-15 * 24 * time.Hour).Add(time.Duration(i) * 3 * 24 * time.Hour)
		for n := range 20 {
			s.add(asks("Read", "", at.Add(time.Duration(n)*time.Minute)))
		}
		for range 6 - i {
			s.add(asks("Write", "no-editing", at))
		}
	}
	return s
}

func asks(tool, rule string, at time.Time) journal.Record {
	r := journal.Record{Event: fsm.Event{Kind: "tool-request", Time: at, Dir: "/project", Agent: fsm.Agent{Basis: "no agent_id"}, Tool: fsm.Tool{Name: tool, Parts: []fsm.Part{{Tool: tool, Path: "/project/a.go"}}}},
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
		with  func(*sightings)
		want  string // the verdict, and what is no-go or flagged
	}{
		"good":           {fsm.Guidance, nil, "go"},
		"good, observed": {fsm.Observe, nil, "go"},
		"good, strict":   {fsm.Strict, nil, "keep"},
		"disputed": {fsm.Guidance, func(s *sightings) {
			s.add(journal.Record{Event: fsm.Event{Kind: "dispute", Time: now}, Reason: "it was mine to do"})
		}, "no-go disputed denials"},
		"disputed, strict":  {fsm.Strict, func(s *sightings) { s.add(journal.Record{Event: fsm.Event{Kind: "dispute", Time: now}}) }, "roll back disputed denials 1 denials were disputed"},
		"errors":            {fsm.Guidance, func(s *sightings) { s.errors = 3 }, "no-go errors of pipeline itself"},
		"errors, strict":    {fsm.Strict, func(s *sightings) { s.errors = 3 }, "roll back errors of pipeline itself pipeline itself failed in 2.1 %"},
		"callers unsure":    {fsm.Guidance, func(s *sightings) { many(s, 9, func(r *journal.Record) { r.Event.Agent.Basis = "environment" }, now) }, "no-go caller identified"},
		"bypassed":          {fsm.Guidance, func(s *sightings) { many(s, 30, func(r *journal.Record) { r.Rule = "bypass" }, now) }, "no-go bypass rate"},
		"without a state":   {fsm.Guidance, func(s *sightings) { many(s, 1, starts("poet"), now) }, "no-go agents without a state"},
		"of a glob":         {fsm.Guidance, func(s *sightings) { many(s, 1, starts("bash-poet"), now) }, "go"},
		"more denials":      {fsm.Guidance, func(s *sightings) { many(s, 9, denied("Write"), now) }, "no-go denials falling"},
		"more, nobody told": {fsm.Observe, func(s *sightings) { many(s, 9, denied("Write"), now) }, "go"},
		"nobody may do it": {fsm.Guidance, func(s *sightings) {
			s.policy.Subagents.List = []fsm.Rule{{Name: "none", Verdict: fsm.Deny, Tools: []string{"Write"}}}
		}, "no-go denied work"},
		"without states":     {fsm.Guidance, func(s *sightings) { s.policy.States, s.policy.Initial = nil, "" }, "go"},
		"stuck, strict":      {fsm.Strict, func(s *sightings) { many(s, 1, stuckAt(5), now.Add(-8*24*time.Hour)) }, "roll back an agent was stuck: refused 5 times"},
		"stuck, but not yet": {fsm.Strict, func(s *sightings) { many(s, 1, stuckAt(4), now.Add(-8*24*time.Hour)) }, "keep"},
	} {
		s := observed(t, c.level, now)
		if c.with != nil {
			c.with(s)
		}
		out := s.standing(now)
		got := out.Verdict
		for _, x := range out.Criteria {
			if x.Verdict == noGo {
				got += " " + x.Name
			}
		}
		got += " " + strings.Join(out.RedFlags, " ")
		if !strings.HasPrefix(strings.TrimSpace(got), c.want) || c.want == strings.Fields(c.want)[0] && strings.TrimSpace(got) != c.want {
			t.Errorf("%s: %q, expected %q\n%+v", name, got, c.want, out.Criteria)
		}
	}
}

func many(s *sightings, n int, change func(*journal.Record), at time.Time) {
	for range n {
		r := asks("Read", "", at)
		change(&r)
		s.add(r)
	}
}

func starts(agent string) func(*journal.Record) {
	return func(r *journal.Record) {
		r.Event.Tool.Name, r.Event.Tool.Starts = "Agent", &fsm.Start{How: fsm.ByAgent, Type: agent}
	}
}

func denied(tool string) func(*journal.Record) {
	return func(r *journal.Record) { *r = asks(tool, "no-editing", r.Event.Time) }
}

func stuckAt(times int) func(*journal.Record) {
	return func(r *journal.Record) {
		*r = asks("Write", "no-editing", r.Event.Time)
		r.State.Budgets.Refusals = []fsm.Refusal{{What: "no-editing Write of a.go", Times: times}}
	}
}

func TestReviews(t *testing.T) {
	first := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int]string{0: "48 hours", 3: "1 week", 8: "2 weeks", 15: "4 weeks", 40: "6 months", 200: "12 months", 400: "18 months", 4000: "132 months"} {
		now := first.AddDate(0, 0, days)
		if got := reviewAfter(first, now); got.After != want || !got.Due.After(now) {
			t.Errorf("after %d days: %+v, expected %s", days, got, want)
		}
	}
}

func TestAges(t *testing.T) {
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.UTC)
	for in, want := range map[string]string{"": "0001-01-01T00:00:00Z", "90m": "2026-03-20T10:30:00Z", "7d": "2026-03-13T12:00:00Z", "2w": "2026-03-06T12:00:00Z",
		"2026-03-01": "2026-03-01T00:00:00Z", "2026-03-01 10:00:00": "2026-03-01T10:00:00Z", "-1h": "", "d": "", "7x": "", "99999999999d": "", "1.5d": ""} {
		got, err := ageOf(in, now)
		if err == nil != (want != "") || err == nil && got.Format(time.RFC3339) != want {
			t.Errorf("%q: %v %v, expected %s", in, got, err, fmt.Sprint(want))
		}
	}
}

// TestRollbackTried: a softer level after a stricter one shows that going back is known.
func TestRollbackTried(t *testing.T) {
	for _, c := range []struct {
		levels []string
		want   string
	}{{[]string{"observe", "strict"}, notKnown}, {[]string{"strict", "guidance", "strict"}, isGo}, {nil, notKnown}} {
		s := newSightings(&fsm.Policy{})
		for _, l := range c.levels {
			s.add(journal.Record{Event: fsm.Event{Kind: fsm.ToolRequest}, Level: l})
		}
		if got := s.rollback(); got.Verdict != c.want {
			t.Errorf("%q: %s, expected %s", c.levels, got.Verdict, c.want)
		}
	}
}
