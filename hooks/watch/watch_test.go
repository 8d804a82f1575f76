package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.Local)

// A writer appends to a journal, a record a minute.
type writer struct {
	*testing.T
	dir string
	j   *journal.Journal
	now time.Time
}

func begin(t *testing.T) *writer {
	dir := t.TempDir()
	j, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return &writer{t, dir, j, noon}
}

func (w *writer) add(r journal.Record) {
	w.Helper()
	r.Event.Time, r.State.ID = w.now, "s1"
	w.now = w.now.Add(time.Minute)
	if err := w.j.Append(&r, false); err != nil {
		w.Fatal(err)
	}
}

// call is a tool request; an empty verdict passes.
func (w *writer) call(agent, tool, path, use, verdict string) {
	w.Helper()
	use, isRepeated := strings.CutSuffix(use, " again")
	r := journal.Record{Event: fsm.Event{Kind: fsm.ToolRequest}, Verdict: verdict, Repeated: isRepeated}
	r.Event.Tool = fsm.Tool{Name: tool, UseID: use, Parts: []fsm.Part{{Tool: tool, Path: path}}}
	if agent != "" {
		r.Event.Agent = fsm.Agent{ID: agent + "1", Type: agent}
	}
	if verdict != "" {
		r.Rule, r.Reason = "no-editing", strings.Repeat("Files are changed in EXECUTING. ", 12)
	}
	w.add(r)
}

// walk is a session with everything that a history shows.
func (w *writer) walk() {
	w.add(journal.Record{Event: fsm.Event{Kind: fsm.SessionStart}})
	w.add(journal.Record{Event: fsm.Event{Kind: fsm.Prompt}})
	w.add(journal.Record{Event: fsm.Event{Kind: fsm.Prompt, Origin: fsm.Notification}})
	for n := range 3 {
		w.call("", "Read", fmt.Sprint("/p/", n, ".go"), fmt.Sprint("r", n), "")
	}
	w.call("", "Edit", "/p/a\x1b[31m界面.go", "e1", "deny")
	w.call("", "Edit", "/p/a\x1b[31m界面.go", "e1 again", "deny") // a second registration
	agent := fsm.Agent{ID: "x1", Type: "context-gatherer"}
	w.add(journal.Record{Event: fsm.Event{Kind: fsm.AgentStart, Agent: agent}})
	w.add(journal.Record{Event: fsm.Event{Kind: fsm.AgentStop, Agent: agent},
		Moves: []fsm.Move{{From: "IDLE", To: "GATHERING"}, {From: "GATHERING", To: "GATHERING"}}})
	w.add(journal.Record{Event: fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "y1", Type: "Explore"}}})
}

func policy() *fsm.Policy {
	return &fsm.Policy{Initial: "IDLE", States: []fsm.State{
		{Name: "IDLE", Triggers: []fsm.Trigger{{Name: "context-gatherer", To: "GATHERING"}}},
		{Name: "GATHERING", OnStop: "COMPLETE", Triggers: []fsm.Trigger{{Name: "context-gatherer", To: "GATHERING"},
			{Name: "Explore", To: "GATHERING", Helper: true}, {Name: "restarter", To: "IDLE"},
			{Name: "refiner", To: "COMPLETE", Gate: &fsm.Gate{Run: "make test"}}}},
		{Name: "COMPLETE"}},
		Main: fsm.Rules{List: []fsm.Rule{{Name: "read-budget", Budgeted: true, Budget: 2},
			{Name: "elsewhere", Budgeted: true, Budget: 2, States: []string{"IDLE"}}}},
		Subagents: fsm.Rules{List: []fsm.Rule{{Name: "search-budget", Budgeted: true, Budget: 5}}}}
}

// screen is the walk as a person sees it.
func screen(t *testing.T) Screen {
	w := begin(t)
	w.walk()
	h := &History{}
	if _, err := h.Follow(w.dir); err != nil {
		t.Fatal(err)
	}
	s := Screen{Project: "demo", Policy: policy(), Level: "strict", History: h, Now: w.now.Add(5 * time.Second)}
	s.Session = fsm.Session{ID: "4b1f6e0a-1111", Machine: fsm.Machine{State: "GATHERING", Since: noon.Add(9 * time.Minute)}}
	s.Session.Agents.Runs = []fsm.Run{{ID: "x1", Type: "context-gatherer", Status: fsm.Done},
		{ID: "y1", Type: "Explore", Status: fsm.Running, Quarantined: "GATHERING"}}
	s.Session.Agents.Runs = append(s.Session.Agents.Runs, fsm.Run{Type: "refiner", Status: fsm.Admitted})
	s.Session.Budgets.Uses = []fsm.Budget{{Rule: "read-budget", Used: 1, Held: []string{"r2"}},
		{Rule: "search-budget", Agent: "y1", Used: 3}}
	return s
}

func TestScreen(t *testing.T) {
	want := ` demo · session 4b1f6e0a · strict                          12:11:05
────────────────────────────────────────────────────────────────────
 IDLE → [GATHERING] → COMPLETE
 GATHERING for 2m5s
   → COMPLETE refiner (gate: make test), turn ends
   stays context-gatherer
   → IDLE restarter
   helps Explore

 Agents running  1
 ● Explore  1m5s  not admitted: its calls are refused
 ○ refiner  about to start

 Budgets
 read-budget 2 of 2 used
 search-budget 3 of 5 used by Explore

 Last decisions  4 calls, 1 refused
 12:10:00 · Explore starts
 12:09:00 · machine IDLE → GATHERING
 12:09:00 · context-gatherer ends
 12:08:00 · context-gatherer starts
 12:06:00 ✗ main Edit /p/a\u001b[31m界面.go
            no-editing: Files are changed in EXECUTING. Files are
            changed in EXECUTING. Files are changed in EXECUTING.…
 12:05:00 ✓ main ×3 Read /p/2.go
 12:01:00 · person writes
 12:00:00 · session start`
	if got := strings.Join(screen(t).Draw(68, 0, false), "\n"); got != want {
		t.Errorf("got\n%s", got)
	}
}

// TestFits: on each size of terminal no line is too long, and there are not too many; the
// head and the current state are always there. Colours change nothing of that.
func TestFits(t *testing.T) {
	s := screen(t)
	s.Warnings = []string{"NOT ENFORCING: 3 calls not judged: the disk is full and cannot take another record"}
	for _, columns := range []int{12, 20, 50, 80, 119, 120, 160, 240} {
		for _, lines := range []int{1, 6, 20, 24, 50} {
			rows := s.Draw(columns, lines, false)
			if len(rows) > lines {
				t.Errorf("%dx%d: %d lines", columns, lines, len(rows))
			}
			for _, r := range rows {
				if countCells(r) > columns || strings.ContainsFunc(r, func(r rune) bool { return r < ' ' }) {
					t.Errorf("%dx%d: %q", columns, lines, r)
				}
			}
			all := strings.Join(rows, "\n")
			if columns >= 50 && lines >= 20 &&
				(!strings.Contains(all, "[GATHERING]") || !strings.Contains(all, "Last decisions") ||
					!strings.Contains(all, "NOT ENFORCING")) {
				t.Errorf("%dx%d:\n%s", columns, lines, all)
			}
			coloured := strings.Join(s.Draw(columns, lines, true), "\n")
			if lines > 1 && coloured == all {
				t.Errorf("%dx%d: no colours", columns, lines)
			}
		}
	}
}

// TestWide: a wide screen has the decisions beside the state.
func TestWide(t *testing.T) {
	rows := screen(t).Draw(140, 40, false)
	if !strings.Contains(rows[2], "[GATHERING]") || !strings.Contains(rows[2], "Last decisions") {
		t.Errorf("got\n%s", strings.Join(rows, "\n"))
	}
}

// TestFollow: what comes later is read once, and damage is counted.
func TestFollow(t *testing.T) {
	w, h := begin(t), &History{}
	w.walk()
	if came, err := h.Follow(w.dir); !came || err != nil {
		t.Fatal(came, err)
	}
	if came, err := h.Follow(w.dir); came || err != nil {
		t.Error("nothing has come, and it says so:", came, err)
	}
	w.call("", "Bash", "", "b1", "ask")
	if came, err := h.Follow(w.dir); !came || err != nil || h.Calls != 5 || h.last().verdict != "ask" {
		t.Errorf("%d calls, the last is %+v: %t, %v", h.Calls, h.last(), came, err)
	}
	f, err := os.OpenFile(filepath.Join(w.dir, journal.Name), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(f, "no record")
	f.Close()
	if _, err := h.Follow(w.dir); err != nil || h.Damaged != 1 {
		t.Error(h.Damaged, err)
	}
	for n := range 3 * kept {
		w.call(fmt.Sprint("agent", n), "Read", "/p", "", "")
	}
	if _, err := h.Follow(w.dir); err != nil || len(h.entries) > 2*kept || h.last().who != fmt.Sprint("agent", 3*kept-1) {
		t.Error(len(h.entries), h.last(), err)
	}
}

// TestNoStates: a config of rules alone, and a state that the config no longer has.
func TestNoStates(t *testing.T) {
	s := screen(t)
	s.Session.Machine.State, s.Ended, s.Level = "GONE", true, "guidance"
	if all := strings.Join(s.Draw(80, 0, false), "\n"); !strings.Contains(all, "GONE, which is no longer") ||
		!strings.Contains(all, "guidance · ended") {
		t.Error(all)
	}
	s.Policy, s.History = &fsm.Policy{}, &History{}
	if all := strings.Join(s.Draw(80, 0, false), "\n"); !strings.Contains(all, "no states") ||
		!strings.Contains(all, "none yet") {
		t.Error(all)
	}
}

func TestWrapText(t *testing.T) {
	for _, c := range []struct {
		text           string
		columns, lines int
		want           string
	}{
		{"", 10, 2, ""},
		{"one two three", 7, 2, "one two|three"},
		{"one two three four", 7, 2, "one two|three…"},
		{"a-word-that-is-longer", 7, 2, "a-word…"},
		{"界面設計", 5, 1, "界面…"},
		{"a\x1b[31mb", 20, 1, `a\u001b[31mb`},
	} {
		if got := strings.Join(wrapText(c.text, c.columns, c.lines), "|"); got != c.want {
			t.Errorf("%q in %d: got %q, expected %q", c.text, c.columns, got, c.want)
		}
	}
}

func TestFormatAge(t *testing.T) {
	for d, want := range map[time.Duration]string{-time.Second: "0s", 1400 * time.Millisecond: "1s",
		3*time.Minute + 5*time.Second: "3m5s", 90 * time.Minute: "1h30m", 26 * time.Hour: "26h0m"} {
		if got := formatAge(d); got != want {
			t.Errorf("%v: got %s, expected %s", d, got, want)
		}
	}
}
