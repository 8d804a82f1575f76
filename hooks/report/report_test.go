package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// always is since when most tests report.
var always time.Time

// TestMain has days begin where the tests expect it.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	os.Exit(m.Run())
}

func of(t testing.TB, store session.Store, id string, since time.Time) Report {
	t.Helper()
	r, err := Of(store, id, since)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s: %s", what, d)
	}
}

// TestOrder: what is equally frequent has an order too, so that a report does not change by itself.
func TestOrder(t *testing.T) {
	store, w := kept(t, "s1")
	for _, rule := range []string{"a", "b", "c", "d"} {
		for _, word := range []string{"ls", "make", "rm", "touch"} {
			for range 2 {
				w.asks("", "Bash", denied(rule), runs(word)).asks("", "Read", warned(rule), reads("/p/"+word))
			}
		}
	}
	r := of(t, store, "s1", always)
	for i, v := range r.Breakdown {
		if want := []string{"a", "b", "c", "d"}[i/2]; v.Rule != want || v.Blocked != (i%2 == 0) {
			t.Errorf("%d: %+v, expected rule %s, first what was blocked", i, v, want)
		}
	}
}

func warned(rule string) journal.Record {
	r := denied(rule)
	r.Verdict, r.StrictVerdict = "warn", "deny"
	return r
}

// TestLife counts a session by hand.
func TestLife(t *testing.T) {
	store, w := kept(t, "s1")
	life(w)
	r := of(t, store, "s1", always)
	same(t, "score", *r.ComplianceScore, 33.3)
	same(t, "violations", r.Violations, Verdicts{Blocked: 4, Allowed: 2})
	same(t, "calls", r.Calls, Calls{All: 9, Orchestrator: 6, Agents: 3, Delegated: 33.3})
	same(t, "breakdown", r.Breakdown, []Violation{{Type: "T_no-building", Rule: "no-building", Count: 2, Blocked: true},
		{Type: "T_read-budget", Rule: "read-budget", Count: 1, Blocked: true},
		{Type: "T_pipeline", Rule: "state IDLE", Count: 1, Blocked: true}})
	same(t, "pipelines", r.Pipelines, Pipelines{Started: 1, Finished: 1, Stopped: []Stop{}, Slowest: "GATHERING"})
	same(t, "at once", r.Concurrency.Max, 2)
	same(t, "file", r.Files[0], File{"/p/a.go", Count{3, 1}, 2})
	same(t, "days", r.Days, []Tally{{"2026-03-02", Count{9, 4}, Verdicts{Blocked: 4, Allowed: 5}}})
	half := 50.0
	same(t, "agent", r.Agents[0],
		Agent{Tally: Tally{"c-developer", Count{3, 0}, Verdicts{Allowed: 3}}, Runs: 2, Done: 1, Failed: 1,
			Success: &half,
			Median:  240, Longest: 240})
	same(t, "state", r.States[0],
		State{Tally: Tally{"GATHERING", Count{4, 2}, Verdicts{Blocked: 2, Allowed: 2}}, Visits: 1, Working: 540})
	same(t, "evidence", r.Evidence, Evidence{Records: 19, Faults: []Fault{}})
	if !r.Ended || r.SessionID != "s1" || !r.SessionStart.Equal(noon) {
		t.Error(r.Ended, r.SessionID, r.SessionStart)
	}
}

// TestScore: what is in the score, and what is counted apart.
func TestScore(t *testing.T) {
	with := func(level, verdict, would, rule string) journal.Record {
		return journal.Record{Level: level, Verdict: verdict, StrictVerdict: would, Rule: rule}
	}
	tests := []struct {
		name string
		r    journal.Record
		want Score
	}{
		{"nothing objected", with("strict", "", "", ""), Score{Requests: 1, Clean: 1}},
		{"denied", with("strict", "deny", "", "x"), Score{Requests: 1}},
		{"a warning is an objection", with("strict", "warn", "", "x"), Score{Requests: 1}},
		{"softened", with("guidance", "warn", "deny", "x"), Score{Requests: 1}},
		{"a rule that only observes", with("strict", "", "deny", "x"), Score{Requests: 1}},
		{"observed", with("observe", "", "deny", "x"), Score{Unguarded: Count{1, 1}}},
		{"off", with("off", "", "", ""), Score{Unguarded: Count{1, 0}}},
		{"bypassed", with("strict", "", "deny", "bypass"), Score{Bypassed: Count{1, 1}}},
	}
	for _, tt := range tests {
		store, w := kept(t, "s1")
		w.asks("", "Bash", tt.r, runs("make")).asks("a1", "Bash", denied("x"), runs("make"))
		r := of(t, store, "s1", always)
		r.Score.Formula = ""
		same(t, tt.name, r.Score, tt.want)
		if (r.ComplianceScore == nil) != (tt.want.Requests == 0) {
			t.Error(tt.name, r.ComplianceScore)
		}
	}
	same(t, "rounded down", percent(7999, 10000), 79.9)
}

// TestDoubled: a request that two registrations ask about is one call.
func TestDoubled(t *testing.T) {
	store, w := kept(t, "s1")
	again := denied("x")
	again.Event.Tool.UseID = "u"
	w.asks("", "Bash", again, runs("make"))
	again.Repeated = true
	w.asks("", "Bash", again, runs("make")).asks("", "Bash", again, runs("make"))
	r := of(t, store, "s1", always)
	same(t, "calls", r.Calls, Calls{All: 1, Orchestrator: 1, Doubled: 2})
}

// TestStopped: where pipelines ended that were not finished.
func TestStopped(t *testing.T) {
	store, w := kept(t, "s1")
	go1 := func() { w.begins("g", "context-gatherer").stops("g", fsm.Done, "GATHERING") }
	go1()
	w.moves(journal.Record{Event: fsm.Event{Kind: fsm.Reset}}, "reset", "IDLE")
	go1()
	w.kind(fsm.SessionEnd).kind(fsm.SessionStart)
	w.state.Machine.State = "IDLE" // a clear
	w.kind(fsm.SessionStart)
	go1()
	r := of(t, store, "s1", always)
	same(t, "pipelines", r.Pipelines,
		Pipelines{Started: 3, Open: 1, Stopped: []Stop{{"GATHERING", 2}}, Slowest: "IDLE"})
}

// TestQuiet: where nothing stands out there is no advice.
func TestQuiet(t *testing.T) {
	store, w := kept(t, "s1")
	w.kind(fsm.SessionStart).asks("", "Read", journal.Record{}, reads("/p/x")).kind(fsm.SessionEnd)
	r := of(t, store, "s1", always)
	same(t, "advice", r.Recommendations, []string{})
	same(t, "score", *r.ComplianceScore, 100.0)
}

// TestIdle: the time between a turn's end and the next prompt is no work, unless
// an agent runs.
func TestIdle(t *testing.T) {
	store, w := kept(t, "s1")
	w.kind(fsm.Prompt).kind(fsm.TurnStop).kind(fsm.Prompt).begins("a",
		"c-developer").kind(fsm.TurnStop).kind(fsm.Prompt)
	w.kind(fsm.SessionEnd)
	w.now = w.now.Add(24 * time.Hour) // resumed the next day
	w.kind(fsm.SessionStart)
	s := of(t, store, "s1", always).States[0]
	same(t, "working, waiting", []float64{s.Working, s.Waiting}, []float64{300, 60})
	w.kind(fsm.Prompt)
	w.now = w.now.Add(10 * time.Hour) // asleep; the agent still counts as running
	w.kind(fsm.TurnStop)
	s = of(t, store, "s1", always).States[0]
	same(t, "working, waiting, silent", []float64{s.Working, s.Waiting}, []float64{360, 60 + 10*3600 + 60})
}

// TestSince: what came before tells where the session stood, and is in no figure.
func TestSince(t *testing.T) {
	store, w := kept(t, "s1")
	life(w)
	r := of(t, store, "s1", noon.Add(9*time.Minute))
	same(t, "calls", r.Calls, Calls{All: 4, Orchestrator: 2, Agents: 2, Delegated: 50})
	same(t, "pipelines", r.Pipelines.Finished, 1)
	r = of(t, store, "s1", w.now.Add(time.Hour))
	if r.ComplianceScore != nil || r.Evidence.Records != 0 || len(r.Recommendations) != 0 {
		t.Errorf("%+v", r)
	}
}

// TestAll adds up sessions, and says where the objections gather.
func TestAll(t *testing.T) {
	store, w := kept(t, "s1")
	for range 5 {
		life(w)
	}
	for _, id := range []string{"s2", "s3", "s4"} {
		inside(t, store, id).asks("", "Read", journal.Record{}, reads("/p/x"))
	}
	r, err := All(store, always)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "sessions", len(r.SessionIDs), 4)
	advice := strings.Join(r.Recommendations, "\n")
	for _, want := range []string{"no-building (pipeline.yaml:7) made 10 of the 20",
		"name c-developer, which ran 10 times", "c-developer failed in 5 of 10 runs"} {
		if !strings.Contains(advice, want) {
			t.Errorf("%q is not in:\n%s", want, advice)
		}
	}
}

// TestWriteSession writes the document with the fields that others read.
func TestWriteSession(t *testing.T) {
	store, w := kept(t, "s1")
	life(w)
	for range 2 {
		if err := WriteSession(store, "s1"); err != nil {
			t.Fatal(err)
		}
	}
	body, err := os.ReadFile(filepath.Join(store.Path("s1"), "report.json"))
	if err != nil {
		t.Fatal(err)
	}
	var doc map[string]any
	if err := json.Unmarshal(body, &doc); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"session_id", "session_start", "session_end", "agent_role", "compliance_score",
		"total_tool_calls",
		"violations", "violation_breakdown", "recommendations"} {
		if _, ok := doc[name]; !ok {
			t.Errorf("no %s", name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(store.Path("s1"), "*report*?[0-9]")); len(left) > 0 {
		t.Error(left)
	}
	if err := WriteSession(store, "../x"); !errors.Is(err, session.ErrName) {
		t.Error(err)
	}
	if err := WriteSession(store, "s9"); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}

// TestDispute: what a person says of a denial is counted, and is nothing that happened
// in the session.
func TestDispute(t *testing.T) {
	store, w := kept(t, "s1")
	life(w)
	before := of(t, store, "s1", always).States
	w.now = w.now.Add(time.Hour)
	w.add(journal.Record{Event: fsm.Event{Kind: journal.Dispute}, Of: 4, Reason: "it was right"})
	r := of(t, store, "s1", always)
	same(t, "disputes", r.Evidence.Disputes, 1)
	same(t, "states", r.States, before)
}
