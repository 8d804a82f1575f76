package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
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
	put(t, path, append(bytesOf(t, path), "\n{}\n[]"+strings.Repeat("x", 300_000)+"\n"+
		sealed(`{"v":2,"event":{"kind":"prompt"}`)+sealed(`{"v":2,"n":3`)+"{\"v\":1"...))
	var named []int
	if _, err := From(filepath.Dir(path), Place{}, &Want{}, func(*Line) bool { return true },
		func(f Fault) { named = append(named, f.Line) }); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(named, []int{3, 4, 5, 6, 7}) {
		t.Errorf("%v", named)
	}
}

// TestScanKeeps: what From gives may be kept, and is what stands in the file, also where a hash does not fit.
func TestScanKeeps(t *testing.T) {
	path := written(t, 3)
	put(t, path, bytes.Replace(bytesOf(t, path), []byte("note 2"), []byte("note X"), 1))
	var kept []*Line
	if _, err := From(filepath.Dir(path), Place{}, &Want{}, func(l *Line) bool { kept = append(kept, l); return true },
		func(f Fault) { t.Error(f) }); err != nil {
		t.Fatal(err)
	}
	for i, want := range lines(t, path) {
		if len(kept) != 3 || !bytes.Equal(kept[i].Raw, bytes.TrimSuffix(want, []byte("\n"))) {
			t.Fatalf("line %d of %d is not %s", i+1, len(kept), want)
		}
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

// TestLine: a line has of a record what the record has.
func TestLine(t *testing.T) {
	path := filepath.Join(t.TempDir(), Name)
	j := opened(t, path)
	r := Record{Event: fsm.Event{Time: time.Unix(1_800_000_000, 0).UTC(), Kind: "tool-request",
		Agent: fsm.Agent{ID: "a1", Type: "Explore"},
		Tool: fsm.Tool{Name: "Bash", UseID: "u1", Starts: &fsm.Start{How: "agent", Type: "c-developer", Name: "dev"},
			Parts: []fsm.Part{{Tool: "Bash", Words: []string{"git", "push a"}}, {Tool: "Write", Path: "/x"}}}},
		Verdict: "pass", StrictVerdict: "deny", Rule: fsm.RuleBypass, RuleType: "PUSH", Where: "p.yaml:3",
		Reason: "it leaves", Moves: []fsm.Move{{From: "A", To: "B"}, {From: "B", To: "C"}},
		Bypassed: []string{"no-push", "x"}, Proposed: "developer", Recovered: true,
		Repeated: true, Role: "subagent", Level: "strict", InjectedChars: 7, Error: "no disk",
		State: fsm.Session{ID: "s1", Machine: fsm.Machine{State: "C"}}}
	for range 2 {
		if err := j.Append(&r, false); err != nil {
			t.Fatal(err)
		}
	}
	var got []Line
	if _, err := From(filepath.Dir(path), Place{}, &Want{}, func(l *Line) bool {
		want := Line{Raw: l.Raw, File: l.File, Line: l.Line, At: l.At, Version: int64(r.Version), Seq: l.Seq,
			Time: r.Event.Time, Kind: r.Event.Kind, AgentID: "a1", Agent: "Explore", Tool: "Bash", UseID: "u1",
			Verdict: "pass", StrictVerdict: "deny", Rule: "bypass", RuleType: "PUSH", Where: "p.yaml:3",
			Reason: "it leaves", Role: "subagent", Level: "strict", InjectedChars: 7, Proposed: "developer",
			IsBypassed: true, bypassed: "no-push", Repeated: true, Failed: true, Recovered: true,
			Parts: l.Parts, Event: l.Event, Starts: l.Starts, Moves: l.Moves, texts: l.texts, Session: l.Session}
		if !reflect.DeepEqual(*l, want) {
			t.Errorf("%+v\nwant %+v", *l, want)
		}
		if len(l.Parts) != 2 || l.Parts[0].Tool != "Bash" || l.Parts[0].Words() != "git push a" ||
			l.Parts[1].Path != "/x" || l.Parts[1].Words() != "" {
			t.Errorf("parts %+v", l.Parts)
		}
		if moves := l.ListMoves(); !slices.Equal(moves, []string{"A → B", "B → C"}) {
			t.Errorf("moves %q", moves)
		}
		if how := l.Starts.Get("how").Str; how != "agent" || l.State() != "C" || l.Decider() != "no-push" {
			t.Errorf("starts %s in %s, decided by %s", how, l.State(), l.Decider())
		}
		got = append(got, Line{Seq: l.Seq, Reason: strings.Clone(l.Prev()), Rule: l.Hash()})
		return true
	}, func(f Fault) { t.Error(f) }); err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].Seq != 1 || got[1].Seq != 2 || got[0].Reason != "" || got[1].Reason != got[0].Rule {
		t.Errorf("the chain: %+v", got)
	}
}

// TestIsObjected: what strict would have refused, asked or warned of is objected to; what is confined is not.
func TestIsObjected(t *testing.T) {
	for _, c := range []struct {
		verdict, strict string
		want            bool
	}{{"", "", false}, {"pass", "", false}, {"confine", "", false}, {"warn", "", true}, {"deny", "", true},
		{"pass", "deny", true}, {"warn", "confine", false}} {
		if got := (&Line{Verdict: c.verdict, StrictVerdict: c.strict}).IsObjected(); got != c.want {
			t.Errorf("%q, strict %q: %t", c.verdict, c.strict, got)
		}
	}
}

// TestDecider: what decided is named as people find it in the config.
func TestDecider(t *testing.T) {
	for _, c := range []struct {
		rule     string
		bypassed []string
		state    string
		name, in string
	}{
		{"no-push", nil, "A", "no-push", "rule no-push"},
		{"bypass", []string{"no-push", "x"}, "A", "no-push", "rule no-push"},
		{"bypass", []string{""}, "A", "bypass", "rule bypass"},
		{"bypass", nil, "A", "bypass", "rule bypass"},
		{"bypass", []string{"pipeline"}, "A", "state A", "state A"},
		{"pipeline", []string{"x"}, "A", "state A", "state A"},
		{"pipeline", nil, "", "pipeline", "rule pipeline"},
		{"", nil, "A", "", "rule "},
	} {
		r := Record{Rule: c.rule, Bypassed: c.bypassed, State: fsm.Session{Machine: fsm.Machine{State: c.state}}}
		if got := r.Decider(); got != c.name || DescribeDecider(got) != c.in {
			t.Errorf("%s of %q in %s: %q, %q", c.rule, c.bypassed, c.state, got, DescribeDecider(got))
		}
	}
}
