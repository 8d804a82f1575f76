package statusline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// newLine is a line with a recorded payload and a made session: two agents run, three calls were denied.
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
	l := Line{Status: told, Level: "strict"}
	l.State = fsm.Session{ID: told.Session, Machine: fsm.Machine{State: "EXECUTING"},
		Agents: fsm.Agents{Runs: []fsm.Run{
			{ID: "a0", Type: "context-gatherer", Status: fsm.Done},
			{ID: "a1", Type: "bash-developer", Status: fsm.Running},
			{ID: "a2", Type: "c-developer", Status: fsm.Waiting},
		}}, Counts: fsm.Counts{Denied: 3}}
	return l
}

func TestLines(t *testing.T) {
	const session = "EXECUTING ⚙ 2 (bash-developer, c-developer) · strict · ✗3"
	for payload, want := range map[string]string{
		"2.1.329/statusLine":                     session,
		"2.1.329/statusLine.agent_flag":          session,
		"2.1.197/statusLine":                     session,
		"2.1.197/statusLine.agent_flag":          session,
		"2.1.197/statusLine.before_first_prompt": session,
	} {
		if got := newLine(t, payload).Draw(0, false); got != want {
			t.Errorf("%s:\n got %s\nwant %s", payload, got, want)
		}
	}
}

// Every segment is there or not by itself.
func TestSegments(t *testing.T) {
	for name, c := range map[string]struct {
		change      func(*Line)
		has, hasNot string
	}{
		"no states": {func(l *Line) { l.State.Machine.State = "" }, "no states ⚙ 2", "EXECUTING"},
		"no agents": {func(l *Line) { l.State.Agents.Runs = nil }, "EXECUTING · strict", "⚙"},
		"many agents": {func(l *Line) { l.State.Agents.Runs = runs("a", "b", "a", "c", "d", "e") },
			"⚙ 6 (a, b, c, …) ·", ", d"},
		"another level": {func(l *Line) { l.Level = "observe" }, "\x1b[33mobserve\x1b[0m", "strict"},
		"no policy":     {func(l *Line) { l.Level = "" }, ") · ✗3", "strict"},
		"no denials":    {func(l *Line) { l.State.Counts.Denied = 0 }, "strict\x1b[0m", "✗"},
		"trouble": {func(l *Line) { l.State, l.Trouble = fsm.Session{}, "no session yet" },
			"\x1b[33mpipeline: no session yet\x1b[0m · ", "states"},
		"some trouble": {func(l *Line) { l.Trouble = "stale" }, "\x1b[33mEXECUTING (stale)\x1b[0m ", "pipeline"},
		"steering":     {func(l *Line) { l.State.Machine.State = "A\x1b[2JB\r\n" }, `A\u001b[2JB\u000d\u000a`, "\r"},
	} {
		l := newLine(t, "2.1.329/statusLine")
		c.change(&l)
		line := l.Draw(0, true)
		both := line + "\n" + stripped(line)
		if !strings.Contains(both, c.has) || c.hasNot != "" && strings.Contains(both, c.hasNot) ||
			strings.Count(both, "\n") != 1 {
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
		0: "✗3", -5: "✗3", 1000: "✗3", 61: "✗3", 60: "strict", 56: "strict",
		55: "(bash-developer, c-developer)", 13: "EXECUTING", 12: "EXECUTI…", 5: "…", 1: "…",
	} {
		got := newLine(t, "2.1.329/statusLine").Draw(columns, false)
		if !strings.HasSuffix(got, want) {
			t.Errorf("%d columns: %q, expected the end %q", columns, got, want)
		}
		if coloured := newLine(t, "2.1.329/statusLine").Draw(columns, true); stripped(coloured) != got ||
			coloured == got {
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
