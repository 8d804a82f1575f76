package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestScanIsRead: what Scan gives for a filter is what a reader of whole records
// would choose.
func TestScanIsRead(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	j := opened(t, path)
	odd := []string{"", "Bash", "Ba\"sh", "mcp__a__b", "é", "a\nb", "\xff", "x*"}
	for i := range 400 {
		r := Record{Event: fsm.Event{Time: time.Unix(1_800_000_000+int64(i), 0).UTC(),
			Kind:  []fsm.Kind{"tool-request", "prompt"}[i%2],
			Agent: fsm.Agent{ID: []string{"", "a1"}[i/5%2], Type: []string{"Explore", "c-developer"}[i/7%2]},
			Tool:  fsm.Tool{Name: odd[i%len(odd)]}},
			Rule: odd[i/3%len(odd)], Verdict: []string{"", "deny", "ask"}[i%3], Reason: `,"session":{ "rule":"Bash"`}
		r.Event.Text, r.Event.Tool.Input = `"verdict":"deny"`, map[string]string{"tool": "Bash"}
		if err := j.Append(&r, false); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chtimes(path, time.Time{}, time.Unix(1_900_000_000, 0)); err != nil { // written when its records say
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		pick := func(name string, from ...string) []string {
			return rapid.SliceOfN(rapid.SampledFrom(from), 0, 2).Draw(t, name)
		}
		want := Want{Tools: pick("tools", "Bash", "mcp__*", `Ba"sh`, "é", "*"), Rules: pick("rules", "Bash", "x*", "é"),
			Verdicts: pick("verdicts", "pass", "deny", "ask"), Kinds: pick("kinds", "prompt", "tool-request"),
			Agents: pick("agents", "main", "c-*", "a1")}
		if rapid.Bool().Draw(t, "since") {
			want.Since = time.Unix(1_800_000_100, 0)
			want.Until = want.Since.Add(99 * time.Second)
		}
		var got, expected []int64
		if err := Scan(filepath.Dir(path), &want, func(l *Line) bool { got = append(got, l.Seq); return true },
			func(f Fault) { t.Error(f) }); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(filepath.Dir(path), func(r Record) bool {
			l := Line{Seq: r.Seq, Time: r.Event.Time, Kind: r.Event.Kind, AgentID: r.Event.Agent.ID,
				Agent: r.Event.Agent.Type, Tool: r.Event.Tool.Name, Rule: r.Rule, Verdict: r.Verdict}
			if want.matches(&l) {
				expected = append(expected, r.Seq)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, expected) {
			t.Fatalf("%+v: %v, expected %v", want, got, expected)
		}
		limit := rapid.IntRange(1, 500).Draw(t, "limit")
		got = nil
		if err := ScanBack(filepath.Dir(path), &want, limit, func(l *Line) bool {
			got = append(got, l.Seq)
			return len(got) < limit
		}, func(f Fault) { t.Error(f) }); err != nil {
			t.Fatal(err)
		}
		slices.Reverse(got)
		if newest := expected[len(expected)-min(limit, len(expected)):]; !slices.Equal(got, newest) {
			t.Fatalf("%+v, from the end: %v, expected %v", want, got, newest)
		}
	})
}

// TestScanDamaged: every line that is no record is named, a line that is being written
// is not.
func TestScanDamaged(t *testing.T) {
	path := written(t, 2)
	put(t, path, append(bytesOf(t, path), "\n{}\n[]"+strings.Repeat("x", 300_000)+"\n{\"v\":1"...))
	var named []int
	if err := Scan(filepath.Dir(path), &Want{}, func(*Line) bool { return true },
		func(f Fault) { named = append(named, f.Line) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(named, []int{3, 4, 5}) {
		t.Errorf("%v", named)
	}
}

// TestScanBackOfAnything: whatever a file holds, from its end the same records and faults
// are found as from its beginning.
func TestScanBackOfAnything(t *testing.T) {
	path := written(t, 400)
	records := slices.Collect(bytes.Lines(bytesOf(t, path)))
	long := func(n int) []byte { return append(bytes.Repeat([]byte("x"), n), '\n') }
	for name, put := range map[string]map[int][]byte{
		"nothing":          {},
		"blocks":           {3: long(blockSize), 100: long(2*blockSize - 1), 399: long(3 * blockSize)},
		"endless line":     {200: long(2*longest + 1), 300: []byte("\n")},
		"endless end":      {399: long(5 * longest)},
		"endless and torn": {10: long(2 * longest), 399: bytes.TrimSpace(long(5 * longest))},
		"torn":             {0: []byte("\n"), 399: []byte(`{"v":2,`)},
	} {
		lines := slices.Clone(records)
		for i, line := range put {
			lines[i] = line
		}
		if err := os.WriteFile(path, bytes.Join(lines, nil), 0o600); err != nil {
			t.Fatal(err)
		}
		var want, got []string
		note := func(to *[]string) (func(*Line) bool, Damage) {
			return func(l *Line) bool { *to = append(*to, fmt.Sprint(l.Seq)); return true },
				func(f Fault) { *to = append(*to, f.String()) }
		}
		visit, damage := note(&want)
		err := Scan(filepath.Dir(path), &Want{}, visit, damage)
		visit, damage = note(&got)
		back := ScanBack(filepath.Dir(path), &Want{}, 1000, visit, damage)
		slices.Reverse(got)
		if err != nil || back != nil || len(got) < 390 || !slices.Equal(got, want) {
			t.Errorf("%s: %v, %v: %d, expected %d\n%q\n%q", name, err, back, len(got), len(want), got, want)
		}
	}
}

// TestNewest: the last whole line tells when a journal was written to.
func TestNewest(t *testing.T) {
	path := written(t, 3)
	last, err := Tail(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	whole := bytesOf(t, path)
	for text, want := range map[string]time.Time{
		string(whole): last.Event.Time, string(whole) + `{"v":2`: last.Event.Time, string(whole) + "{}\n": {}, "": {}, "torn": {},
	} {
		put(t, path, []byte(text))
		if got := Newest(filepath.Dir(path), &Want{}); !got.Equal(want) {
			t.Errorf("%q: %v, expected %v", text[max(0, len(text)-20):], got, want)
		}
	}
	if got := Newest(t.TempDir(), &Want{}); !got.IsZero() {
		t.Error(got)
	}

	// A journal that was carried on, and not written to since.
	put(t, path, whole)
	old := time.Unix(1_800_000_000, 0)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	rotatedAt := last.Event.Time.Add(time.Hour)
	if _, err := Rotate(filepath.Dir(path), rotatedAt); err != nil {
		t.Fatal(err)
	}
	for _, packs := range []bool{false, true} {
		if packs {
			if err := Compress(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
		}
		if got := Newest(filepath.Dir(path), &Want{}); !got.Equal(rotatedAt) {
			t.Errorf("%v, expected %v", got, rotatedAt)
		}
		if got := Newest(filepath.Dir(path), &Want{Kinds: []string{"tool-request"}}); !got.Equal(old) {
			t.Errorf("without the record of the rotation: %v, expected %v", got, old)
		}
	}
}
