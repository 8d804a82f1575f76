package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// month makes sessions of so many records each, like those of a real day, one after another.
func month(tb testing.TB, sessions, records int) (session.Store, []string) {
	tb.Helper()
	st := session.Store{Dir: tb.TempDir()}
	var ids []string
	at := time.Date(2026, 10, 1, 8, 0, 0, 0, time.UTC)
	for s := range sessions {
		id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", s)
		ids = append(ids, id)
		if err := os.MkdirAll(st.Path(id), 0o700); err != nil {
			tb.Fatal(err)
		}
		j, err := journal.Open(filepath.Join(st.Path(id), journal.Name))
		if err != nil {
			tb.Fatal(err)
		}
		for i := range records {
			at = at.Add(time.Second)
			if err := j.Append(ordinary(id, i, at), false); err != nil {
				tb.Fatal(err)
			}
		}
		j.Close()
	}
	return st, ids
}

// ordinary is a record of 900 bytes; every 50th is a denial.
func ordinary(id string, i int, at time.Time) *journal.Record {
	r := journal.Record{Event: fsm.Event{Time: at, Kind: "tool-request", Dir: "/home/me/project", Agent: fsm.Agent{ID: "a0123456789", Type: "c-developer", Basis: "agent_id"}, Tool: fsm.Tool{Name: "Bash", UseID: fmt.Sprintf("toolu_%020d", i), Parts: []fsm.Part{{Tool: "Bash", Words: []string{"grep", "-rn", fmt.Sprint("pattern", i), "src"}}}}},
		Role: "subagent", Level: "strict", Policy: "0123456789abcdef",
		State: fsm.Session{ID: id, Machine: fsm.Machine{State: "EXECUTING", Since: at, Visit: 4, Epoch: 1, Moves: 5, Captures: map[string]fsm.Ref{"gathered": {Hash: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Size: 5000, Agent: "context-gatherer"}}}, Policy: "0123456789abcdef", Agents: fsm.Agents{Runs: []fsm.Run{{ID: "a0123456789", Type: "c-developer", UseID: "toolu_00000000000000000001", Visit: 4, Status: fsm.Running}}}}}
	if i%50 == 0 {
		r.Event.Agent.ID, r.Event.Agent.Type, r.Event.Tool.Name, r.Verdict, r.Rule, r.Reason = "", "", "Grep", "deny", "no-searching", "The orchestrator does not search the code."
	}
	return &r
}

// BenchmarkLogMillion filters a month of records: 1 million in 40 sessions.
func BenchmarkLogMillion(b *testing.B) {
	if os.Getenv("PIPELINE_BENCH_MILLION") == "" {
		b.Skip("set PIPELINE_BENCH_MILLION: it writes a gigabyte")
	}
	st, ids := month(b, 40, 25_000)
	half := time.Date(2026, 10, 6, 0, 0, 0, 0, time.UTC)
	wants := map[string]journal.Want{"deny": {Verdicts: []string{"deny"}}, "agent": {Agents: []string{"c-*"}, Rules: []string{"none"}},
		"until": {Until: half}, "mainagent": {Agents: []string{"main"}}, "none": {Tools: []string{"Nope"}}}
	run := func(b *testing.B, prefix string) {
		for name, want := range wants {
			b.Run(prefix+name, func(b *testing.B) {
				for b.Loop() {
					l := &logger{program: &program{out: io.Discard, err: io.Discard, getenv: os.Getenv}, many: true}
					if err := l.printAll(st, ids, want, 0); err != nil {
						b.Fatal(err)
					}
					l.flush()
				}
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				b.ReportMetric(float64(m.Sys>>20), "MB-sys")
			})
		}
	}
	run(b, "plain/")
	for _, id := range ids {
		if _, err := journal.Rotate(st.Path(id), time.Now()); err != nil {
			b.Fatal(err)
		}
		if err := journal.Compress(st.Path(id)); err != nil {
			b.Fatal(err)
		}
	}
	run(b, "packed/")
}
