package statusline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// newLine is a line with a recorded payload and a made session: two agents run, three calls were denied, ten turns.
func newLine(t *testing.T, payload string) Line {
	t.Helper()
	f, err := os.Open(filepath.Join("../claude/testdata/statusline", payload+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	told, err := claude.ReadStatus(f)
	if err != nil {
		t.Fatal(err)
	}
	told.Dir = repository(t, "ref: refs/heads/main\n")
	l := Line{Status: told, Level: "strict"}
	l.State = fsm.Session{ID: told.Session, Machine: fsm.Machine{State: "EXECUTING"}, Agents: fsm.Agents{Runs: []fsm.Run{
		{ID: "a0", Type: "context-gatherer", Status: fsm.Done},
		{ID: "a1", Type: "bash-developer", Status: fsm.Running},
		{ID: "a2", Type: "c-developer", Status: fsm.Waiting},
	}}, Counts: fsm.Counts{Denied: 3}}
	for _, s := range []int{4, 20, 60, 95, 22, 4, 35, 10, 51, 12} {
		l.State.Counts.Turns = append(l.State.Counts.Turns, s*1000)
	}
	return l
}

// repository makes a folder whose .git/HEAD says head, and returns a folder below it.
func repository(t *testing.T, head string) string {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, ".git", "HEAD"), head)
	return filepath.Join(dir, "a", "b")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestLines(t *testing.T) {
	const session = "EXECUTING ⚙ 2 (bash-developer, c-developer) · strict · ✗3"
	const turns = "main · 12s ▁▂▅█▂▁▃▁▄▁"
	for payload, want := range map[string]string{
		"2.1.329/statusLine":                     session + " · ctx ░░░░░░░░░░ 0% · $0.00 · " + turns + " · 2.1.329",
		"2.1.329/statusLine.agent_flag":          session + " · ctx ░░░░░░░░░░ 0% · $0.00 · " + turns + " · 2.1.329",
		"2.1.197/statusLine":                     session + " · ctx ░░░░░░░░░░ 0% · $0.00 · " + turns + " · 2.1.197",
		"2.1.197/statusLine.agent_flag":          session + " · ctx ░░░░░░░░░░ 0% · $0.00 · " + turns + " · 2.1.197",
		"2.1.197/statusLine.before_first_prompt": session + " · $0.00 · " + turns + " · 2.1.197",
	} {
		if got := newLine(t, payload).Draw(0, false); got != want {
			t.Errorf("%s:\n got %s\nwant %s", payload, got, want)
		}
	}
}

// Every segment is there or not by itself.
func TestSegments(t *testing.T) {
	percent := func(f float64) func(*Line) { return func(l *Line) { l.Used = &f } }
	for name, c := range map[string]struct {
		change      func(*Line)
		has, hasNot string
	}{
		"no states":       {func(l *Line) { l.State.Machine.State = "" }, "no states ⚙ 2", "EXECUTING"},
		"no agents":       {func(l *Line) { l.State.Agents.Runs = nil }, "EXECUTING · strict", "⚙"},
		"many agents":     {func(l *Line) { l.State.Agents.Runs = runs("a", "b", "a", "c", "d", "e") }, "⚙ 6 (a, b, c, …) ·", ", d"},
		"another level":   {func(l *Line) { l.Level = "observe" }, "\x1b[33mobserve\x1b[0m", "strict"},
		"no policy":       {func(l *Line) { l.Level = "" }, ") · ✗3", "strict"},
		"no denials":      {func(l *Line) { l.State.Counts.Denied = 0 }, "strict\x1b[0m · \x1b[32mctx", "✗"},
		"context":         {percent(31), "\x1b[32mctx ███░░░░░░░ 31%", " 0%"},
		"much context":    {percent(64.9), "\x1b[33mctx ██████░░░░ 65%", ""},
		"context at end":  {percent(97), "\x1b[31mctx ██████████ 97%", ""},
		"context beyond":  {percent(250), "ctx ██████████ 100%", "250"},
		"context below":   {percent(-3), "ctx ░░░░░░░░░░ 0%", "-3"},
		"no cost":         {func(l *Line) { l.Cost = nil }, "0%\x1b[0m · main", "$"},
		"no branch":       {func(l *Line) { l.Dir = "" }, "$0.00 · 12s", "main"},
		"no turn":         {func(l *Line) { l.State.Counts.Turns = nil }, "main · \x1b[2m2.1.329", "12s"},
		"one turn":        {func(l *Line) { l.State.Counts.Turns = l.State.Counts.Turns[9:] }, "main · 12s · \x1b[2m", "█"},
		"no version":      {func(l *Line) { l.Version = "" }, "▁▄▁", "2.1.329"},
		"trouble":         {func(l *Line) { l.State, l.Trouble = fsm.Session{}, "no session yet" }, "\x1b[33mpipeline: no session yet\x1b[0m · ", "states"},
		"some trouble":    {func(l *Line) { l.Trouble = "stale" }, "\x1b[33mEXECUTING (stale)\x1b[0m ", "pipeline"},
		"steering":        {func(l *Line) { l.State.Machine.State, l.Version = "A\x1b[2JB\n", "1\r\t\u202e2" }, `A\u001b[2JB\u000a`, "\r"},
		"steering client": {func(l *Line) { l.Version = "1\r\t\u202e2" }, `1\u000d\u0009\u202e2`, "\u202e"},
	} {
		l := newLine(t, "2.1.329/statusLine")
		c.change(&l)
		line := l.Draw(0, true)
		both := line + "\n" + stripped(line)
		if !strings.Contains(both, c.has) || c.hasNot != "" && strings.Contains(both, c.hasNot) || strings.Count(both, "\n") != 1 {
			t.Errorf("%s: expected %q and not %q in %q", name, c.has, c.hasNot, line)
		}
	}
}

func runs(types ...string) (out []fsm.Run) {
	for _, name := range types {
		out = append(out, fsm.Run{ID: name, Type: name, Status: fsm.Running})
	}
	return out
}

// From the right, whole segments go; the first is cut where even that has no room.
func TestLineIsFitted(t *testing.T) {
	for columns, want := range map[int]string{
		0: "2.1.329", -5: "2.1.329", 1000: "2.1.329", 123: "2.1.329", 122: "12s ▁▂▅█▂▁▃▁▄▁", 104: "main", 56: "strict",
		55: "(bash-developer, c-developer)", 13: "EXECUTING", 12: "EXECUTI…", 5: "…", 1: "…",
	} {
		got := newLine(t, "2.1.329/statusLine").Draw(columns, false)
		if !strings.HasSuffix(got, want) {
			t.Errorf("%d columns: %q, expected the end %q", columns, got, want)
		}
		if coloured := newLine(t, "2.1.329/statusLine").Draw(columns, true); stripped(coloured) != got || coloured == got {
			t.Errorf("%d columns: in colour %q, without %q", columns, coloured, got)
		}
	}
}

// stripped is a line without its colours.
func stripped(s string) string {
	for {
		from := strings.Index(s, "\x1b[")
		if from < 0 {
			return s
		}
		s = s[:from] + s[from+strings.IndexByte(s[from:], 'm')+1:]
	}
}

func TestSparkline(t *testing.T) {
	for want, ms := range map[string][]time.Duration{
		"":         nil,
		"▁▁":       {0, 0},
		"█":        {7},
		"▁▂▃▄▅▆▇█": {0, 1, 2, 3, 4, 5, 6, 7},
		"▁█":       {1, 1 << 40},
	} {
		var all []time.Duration
		for _, d := range ms {
			all = append(all, d*time.Millisecond)
		}
		if got := drawSparkline(all); got != want {
			t.Errorf("%v: %s, expected %s", all, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	for want, d := range map[string]time.Duration{"0s": 400 * time.Millisecond, "1s": 600 * time.Millisecond, "59s": 59 * time.Second,
		"1m00s": 59600 * time.Millisecond, "3m05s": 185 * time.Second, "1h02m": 62 * time.Minute, "30h00m": 30 * time.Hour} {
		if got := formatDuration(d); got != want {
			t.Errorf("%v: %s, expected %s", d, got, want)
		}
	}
}

func TestBranch(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for head, want := range map[string]string{
		"ref: refs/heads/main\n": "main", "ref: refs/heads/a/b": "a/b", commit + "\n": "0123456", commit + commit[:24]: "0123456",
		"ref: refs/heads/.invalid\n": "", "": "", "rubbish": "", "ref: refs/remotes/x\n": "refs/remotes/x",
	} {
		if got := readBranch(repository(t, head)); got != want {
			t.Errorf("%q: %q, expected %q", head, got, want)
		}
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, "main", ".git", "worktrees", "w", "HEAD"), "ref: refs/heads/side\n")
	put(t, filepath.Join(dir, "absolute", ".git"), "gitdir: "+filepath.Join(dir, "main", ".git", "worktrees", "w")+"\n")
	put(t, filepath.Join(dir, "relative", ".git"), "gitdir: ../main/.git/worktrees/w\n")
	put(t, filepath.Join(dir, "stray", ".git"), "something else\n")
	for name, want := range map[string]string{"absolute": "side", "relative": "side", "stray": ""} {
		if got := readBranch(filepath.Join(dir, name)); got != want {
			t.Errorf("%s: %q, expected %q", name, got, want)
		}
	}
	if got := readBranch("relative/path"); got != "" {
		t.Errorf("a relative path: %q", got)
	}
}
