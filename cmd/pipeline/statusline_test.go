package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// drawnFrom is a run with a recorded payload and a made session: two agents run, three calls were denied, ten turns.
func drawnFrom(t *testing.T, payload string, env map[string]string) *statusLine {
	t.Helper()
	f, err := os.Open(filepath.Join("../../hooks/claude/testdata/statusline", payload+".json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	told, err := claude.ReadStatus(f)
	if err != nil {
		t.Fatal(err)
	}
	told.Dir = repository(t, "ref: refs/heads/main\n")
	r := &statusLine{program: &program{console{out: &bytes.Buffer{}, getenv: func(key string) string { return env[key] }}}, Status: told,
		open: config.Opened{Policy: &fsm.Policy{Level: fsm.Strict}}, tally: session.Tally{Denied: 3}}
	r.session = fsm.Session{ID: told.Session, Machine: fsm.Machine{State: "EXECUTING"}, Agents: fsm.Agents{Runs: []fsm.Run{
		{ID: "a0", Type: "context-gatherer", Status: fsm.Done},
		{ID: "a1", Type: "bash-developer", Status: fsm.Running},
		{ID: "a2", Type: "c-developer", Status: fsm.Waiting},
	}}}
	for _, s := range []int{4, 20, 60, 95, 22, 4, 35, 10, 51, 12} {
		r.tally.Turns = append(r.tally.Turns, time.Duration(s)*time.Second)
	}
	return r
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

func TestStatusLines(t *testing.T) {
	const session = "EXECUTING ⚙ 2 (bash-developer, c-developer) · strict · ✗3"
	const turns = "main · 12s ▁▂▅█▂▁▃▁▄▁"
	for payload, want := range map[string]string{
		"2.1.329/statusLine":                     session + " · ctx ░░░░░░░░░░ 0% · $0.00 · " + turns + " · 2.1.329",
		"2.1.329/statusLine.agent_flag":          session + " · ctx ░░░░░░░░░░ 0% · $0.00 · " + turns + " · 2.1.329",
		"2.1.197/statusLine":                     session + " · ctx ░░░░░░░░░░ 0% · $0.00 · " + turns + " · 2.1.197",
		"2.1.197/statusLine.agent_flag":          session + " · ctx ░░░░░░░░░░ 0% · $0.00 · " + turns + " · 2.1.197",
		"2.1.197/statusLine.before_first_prompt": session + " · $0.00 · " + turns + " · 2.1.197",
	} {
		if got := drawnFrom(t, payload, map[string]string{"NO_COLOR": "1"}).drawLine(); got != want {
			t.Errorf("%s:\n got %s\nwant %s", payload, got, want)
		}
	}
}

// Every segment is there or not by itself.
func TestSegments(t *testing.T) {
	percent := func(f float64) func(*statusLine) { return func(r *statusLine) { r.Used = &f } }
	for name, c := range map[string]struct {
		change      func(*statusLine)
		has, hasNot string
	}{
		"no states":       {func(r *statusLine) { r.session.Machine.State = "" }, "no states ⚙ 2", "EXECUTING"},
		"no agents":       {func(r *statusLine) { r.session.Agents.Runs = nil }, "EXECUTING · strict", "⚙"},
		"many agents":     {func(r *statusLine) { r.session.Agents.Runs = runs("a", "b", "a", "c", "d", "e") }, "⚙ 6 (a, b, c, …) ·", ", d"},
		"another level":   {func(r *statusLine) { r.open.Policy.Level = fsm.Observe }, "\x1b[33mobserve\x1b[0m", "strict"},
		"no policy":       {func(r *statusLine) { r.open.Policy = nil }, ") · ✗3", "strict"},
		"no denials":      {func(r *statusLine) { r.tally.Denied = 0 }, "strict\x1b[0m · \x1b[32mctx", "✗"},
		"partly counted":  {func(r *statusLine) { r.tally.Partial = true }, "✗3+\x1b", "✗3\x1b"},
		"context":         {percent(31), "\x1b[32mctx ███░░░░░░░ 31%", " 0%"},
		"much context":    {percent(64.9), "\x1b[33mctx ██████░░░░ 65%", ""},
		"context at end":  {percent(97), "\x1b[31mctx ██████████ 97%", ""},
		"context beyond":  {percent(250), "ctx ██████████ 100%", "250"},
		"context below":   {percent(-3), "ctx ░░░░░░░░░░ 0%", "-3"},
		"no cost":         {func(r *statusLine) { r.Cost = nil }, "0%\x1b[0m · main", "$"},
		"no branch":       {func(r *statusLine) { r.Dir = "" }, "$0.00 · 12s", "main"},
		"no turn":         {func(r *statusLine) { r.tally.Turns = nil }, "main · \x1b[2m2.1.329", "12s"},
		"one turn":        {func(r *statusLine) { r.tally.Turns = r.tally.Turns[9:] }, "main · 12s · \x1b[2m", "█"},
		"no version":      {func(r *statusLine) { r.Version = "" }, "▁▄▁", "2.1.329"},
		"trouble":         {func(r *statusLine) { r.session, r.trouble = fsm.Session{}, "no session yet" }, "\x1b[33mpipeline: no session yet\x1b[0m · ", "states"},
		"some trouble":    {func(r *statusLine) { r.trouble = "stale" }, "\x1b[33mEXECUTING (stale)\x1b[0m ", "pipeline"},
		"steering":        {func(r *statusLine) { r.session.Machine.State, r.Version = "A\x1b[2JB\n", "1\r\t\u202e2" }, `A\u001b[2JB\u000a`, "\r"},
		"steering client": {func(r *statusLine) { r.Version = "1\r\t\u202e2" }, `1\u000d\u0009\u202e2`, "\u202e"},
	} {
		r := drawnFrom(t, "2.1.329/statusLine", nil)
		c.change(r)
		line := r.drawLine()
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
func TestStatusLineIsFitted(t *testing.T) {
	for columns, want := range map[string]string{
		"":     "2.1.329",
		"0":    "2.1.329",
		"-5":   "2.1.329",
		"wide": "2.1.329",
		"1000": "2.1.329",
		"123":  "2.1.329",
		"122":  "12s ▁▂▅█▂▁▃▁▄▁",
		"104":  "main",
		"56":   "strict",
		"55":   "(bash-developer, c-developer)",
		"13":   "EXECUTING",
		"12":   "EXECUTI…",
		"5":    "…",
		"1":    "…",
	} {
		got := drawnFrom(t, "2.1.329/statusLine", map[string]string{"NO_COLOR": "1", "COLUMNS": columns}).drawLine()
		if !strings.HasSuffix(got, want) {
			t.Errorf("COLUMNS=%s: %q, expected the end %q", columns, got, want)
		}
		if coloured := drawnFrom(t, "2.1.329/statusLine", map[string]string{"COLUMNS": columns}).drawLine(); stripped(coloured) != got {
			t.Errorf("COLUMNS=%s: in colour %q, without %q", columns, coloured, got)
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

func TestDumbTerminalHasNoColours(t *testing.T) {
	if got := drawnFrom(t, "2.1.329/statusLine", map[string]string{"TERM": "dumb"}).drawLine(); got != stripped(got) {
		t.Errorf("%q", got)
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
