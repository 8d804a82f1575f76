package main

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientGap measures what a user of the real client waits for: the time between the
// model's answer, which calls a tool, and the client's next request. Sessions with our
// hooks and without any alternate. `make bench` runs it.
func TestClientGap(t *testing.T) {
	if os.Getenv("PIPELINE_BENCH_CLIENT") == "" {
		t.Skip("PIPELINE_BENCH_CLIENT is not set")
	}
	const rounds, calls = 4, 60
	var with, without []time.Duration
	for range rounds {
		with = append(with, measureGaps(t, calls, true)...)
		without = append(without, measureGaps(t, calls, false)...)
	}
	if len(with) != rounds*calls || len(without) != rounds*calls {
		t.Fatalf("%d gaps with hooks and %d without, expected %d of each", len(with), len(without), rounds*calls)
	}
	for _, g := range []struct {
		name string
		gaps []time.Duration
	}{{"with our hooks", with}, {"without hooks", without}} {
		t.Logf("%-15s mean %6.2f ms, median %6.2f, p90 %6.2f, p99 %6.2f", g.name, millis(mean(g.gaps)), millis(share(g.gaps, 0.5)),
			millis(share(g.gaps, 0.9)), millis(share(g.gaps, 0.99)))
	}
	t.Logf("%-15s mean %6.2f ms, p90 %6.2f (Claude Code %s, %d Bash calls of each)", "added", millis(mean(with)-mean(without)),
		millis(share(with, 0.9)-share(without, 0.9)), e2e.Latest, rounds*calls)
}

// measureGaps runs a session of so many Bash calls.
func measureGaps(t *testing.T, calls int, hooked bool) (gaps []time.Duration) {
	s := enforce(t)
	s.withoutRules()
	if !hooked {
		s.pipeline("uninstall")
	}
	for range calls {
		s.Say(e2e.Main, e2e.Call("Bash", e2e.Input{"command": "git status"}))
	}
	s.Say(e2e.Main, e2e.Text("done"))
	run := s.Claude(t, e2e.Latest, s.Model, "go", e2e.Allow(everything))
	if hooked && len(s.records(run.Session)) < 2*calls {
		t.Fatal("the hooks did not run")
	}
	var before *e2e.Request
	for _, r := range s.Requests() {
		if r.Speaker != e2e.Main {
			continue
		}
		if before != nil {
			gaps = append(gaps, r.Came.Sub(before.Answered))
		}
		before = r
	}
	return gaps
}

func mean(of []time.Duration) time.Duration {
	sum := time.Duration(0)
	for _, d := range of {
		sum += d
	}
	return sum / time.Duration(len(of))
}

func share(of []time.Duration, p float64) time.Duration {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[int(p*float64(len(sorted)-1))]
}

func millis(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
