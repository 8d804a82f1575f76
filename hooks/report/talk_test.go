package report

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// says adds a prompt that had so many characters said.
func (w *writer) says(n int) *writer {
	return w.add(journal.Record{Event: fsm.Event{Kind: fsm.Prompt}, InjectedChars: n})
}

// TestSaid counts what was said, whatever the kind of event, and
// only in the time that is asked for.
func TestSaid(t *testing.T) {
	store, one := kept(t, "s1")
	one.says(12_000).kind(fsm.TurnStop).asks("", "Read",
		journal.Record{Verdict: "warn", StrictVerdict: "deny", Rule: "r", InjectedChars: 300}).says(45)
	inside(t, store, "s2").says(20_000)
	inside(t, store, "s3").kind(fsm.Prompt)
	same(t, "of one", of(t, store, "s1", always).Injected,
		Injected{12_345, 3})
	same(t, "of none", of(t, store, "s3", always).Injected, Injected{})
	same(t, "since", of(t, store, "s1", noon.Add(time.Minute)).Injected, Injected{345, 2})
	all, err := All(store, always)
	if err != nil {
		t.Fatal(err)
	}
	same(t, "of all", all.Injected, Injected{32_345, 4})
	if want := "sent to agents  32,345 characters in 4 texts"; !strings.Contains(printed(t, all), want) {
		t.Errorf("%s\nlacks %q", printed(t, all), want)
	}
	want := "<b>32,345</b><span>characters sent to agents</span><small>in 4 texts</small>"
	if !strings.Contains(page1(t, all), want) {
		t.Errorf("the page lacks %q", want)
	}
	body, err := json.Marshal(all)
	if err != nil || !strings.Contains(string(body),
		`"said":{"characters":32345,"texts":4}`) {
		t.Errorf("%v: %s", err, body)
	}
	if quiet := printed(t, of(t, store, "s3", always)); strings.Contains(quiet, "sent to agents") {
		t.Errorf("nothing was said: %s", quiet)
	}
}

func printed(t *testing.T, r Report) string {
	t.Helper()
	var b strings.Builder
	if err := r.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 7: "7", 999: "999", 1000: "1,000", 12345: "12,345",
		999_999: "999,999", 1_234_567: "1,234,567"} {
		if got := groupDigits(n); got != want {
			t.Errorf("%d: %s, expected %s", n, got, want)
		}
	}
}

// TestSessionWithABypass: what was let through is shown, and is in no score.
func TestSessionWithABypass(t *testing.T) {
	store, w := kept(t, "s1")
	w.asks("", "Read", journal.Record{}, reads("/p/a"))
	w.asks("", "Bash", journal.Record{StrictVerdict: "deny", Rule: fsm.RuleBypass, RuleType: "T",
		Where: "pipeline.yaml:7", Bypassed: []string{"r"}}, runs("make"))
	w.asks("", "Bash", journal.Record{Verdict: "warn", StrictVerdict: "deny", Rule: "r2", Bypassed: []string{"r"}},
		runs("make"))
	r := of(t, store, "s1", always)
	same(t, "bypassed", r.Score.Bypassed, Count{2, 2})
	same(t, "clean", *r.ComplianceScore, 100.0)
	for what, shown := range map[string]string{"text": printed(t, r), "page": page1(t, r)} {
		if !strings.Contains(shown, "2 bypassed (2)") && !strings.Contains(shown, "and 2 bypassed (2)") {
			t.Errorf("the %s does not show it: %s", what, shown)
		}
	}
}
