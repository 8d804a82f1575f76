package journal

import (
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
		take := func(l *Line) bool { got = append(got, l.Seq); return true }
		if _, err := From(filepath.Dir(path), Place{}, &want, take, func(f Fault) { t.Error(f) }); err != nil {
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
	})
}

// TestScanDamaged: every line that is no record is named, a line that is being written
// is not.
func TestScanDamaged(t *testing.T) {
	path := written(t, 2)
	put(t, path, append(bytesOf(t, path), "\n{}\n[]"+strings.Repeat("x", 300_000)+"\n{\"v\":1"...))
	var named []int
	if _, err := From(filepath.Dir(path), Place{}, &Want{}, func(*Line) bool { return true },
		func(f Fault) { named = append(named, f.Line) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(named, []int{3, 4, 5}) {
		t.Errorf("%v", named)
	}
}

// TestIsOrchestrator: a record says whose rules held; an older one has only the agent's id.
func TestIsOrchestrator(t *testing.T) {
	for _, c := range []struct {
		line Line
		want bool
	}{
		{Line{Role: "orchestrator", AgentID: "a1"}, true}, {Line{Role: "subagent", AgentID: "a1"}, false},
		{Line{AgentID: "a1"}, false}, {Line{}, true},
	} {
		if got := c.line.IsOrchestrator(); got != c.want {
			t.Errorf("%q of agent %q: %v", c.line.Role, c.line.AgentID, got)
		}
	}
}
