package main

import (
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientGap measures what a user of the real client waits for: the time between the
// model's answer, which calls a tool, and the client's next request. Sessions without
// hooks, with hooks that do nothing and with ours alternate: what hooks that do nothing
// add is the client's own. `make bench` runs it.
func TestClientGap(t *testing.T) {
	if os.Getenv("PIPELINE_BENCH_CLIENT") == "" {
		t.Skip("PIPELINE_BENCH_CLIENT is not set")
	}
	const rounds, calls = 4, 60
	kinds := []string{"no hooks", "hooks of /bin/true", "our hooks"}
	gaps := map[string][]time.Duration{}
	for range rounds {
		for _, kind := range kinds {
			gaps[kind] = append(gaps[kind], measureGaps(t, calls, kind)...)
		}
	}
	for i, kind := range kinds {
		g := gaps[kind]
		if len(g) != rounds*calls {
			t.Fatalf("%s: %d gaps, expected %d", kind, len(g), rounds*calls)
		}
		t.Logf("%-20s mean %6.2f ms, median %6.2f, p90 %6.2f, p99 %6.2f", kind, millis(mean(g)), millis(share(g, 0.5)),
			millis(share(g, 0.9)), millis(share(g, 0.99)))
		if i > 0 {
			less := gaps[kinds[i-1]]
			t.Logf("%-20s mean %6.2f ms, median %6.2f, p90 %6.2f", "  added", millis(mean(g)-mean(less)),
				millis(share(g, 0.5)-share(less, 0.5)), millis(share(g, 0.9)-share(less, 0.9)))
		}
	}
	t.Logf("Claude Code %s, %d Bash calls of each", e2e.Latest, rounds*calls)
}

// measureGaps runs a session of so many Bash calls.
func measureGaps(t *testing.T, calls int, hooks string) (gaps []time.Duration) {
	s := enforce(t)
	s.withoutRules()
	switch hooks {
	case "no hooks":
		s.pipeline("uninstall")
	case "hooks of /bin/true":
		body, ours := s.Read(".claude/settings.local.json"), regexp.MustCompile(`"command": "[^"]*/pipeline"`)
		if len(ours.FindAllString(body, -1)) < 5 {
			t.Fatalf("no hooks in %s", body)
		}
		s.Write(".claude/settings.local.json", ours.ReplaceAllString(body, `"command": "/bin/true"`))
	}
	for range calls {
		s.Say(e2e.Main, e2e.Call("Bash", e2e.Input{"command": "git status"}))
	}
	s.Say(e2e.Main, e2e.Text("done"))
	run := s.Claude(t, e2e.Latest, s.Model, "go", e2e.Allow(everything))
	if hooks == "our hooks" && len(s.records(run.Session)) < 2*calls {
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
