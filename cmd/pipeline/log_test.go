package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// ordinary is a record of 900 bytes; every 50th is a denial.
func ordinary(id string, i int, at time.Time) *journal.Record {
	r := journal.Record{Event: fsm.Event{Time: at, Kind: "tool-request", Dir: "/home/me/project", Agent: fsm.Agent{ID: "a0123456789", Type: "c-developer", Basis: "agent_id"}, Tool: fsm.Tool{Name: "Bash", UseID: fmt.Sprintf("toolu_%020d", i), Parts: []fsm.Part{{Tool: "Bash", Words: []string{"grep", "-rn", fmt.Sprint("pattern", i), "src"}}}}},
		Role: "subagent", Level: "strict", Policy: "0123456789abcdef",
		State: fsm.Session{ID: id, Machine: fsm.Machine{State: "EXECUTING", Since: at, Visit: 4, Epoch: 1, Moves: 5, Captures: map[string]fsm.Ref{"gathered": {Hash: "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef", Size: 5000, Agent: "context-gatherer"}}}, Policy: "0123456789abcdef", Agents: fsm.Agents{Runs: []fsm.Run{{ID: "a0123456789", Type: "c-developer", UseID: "toolu_00000000000000000001", Visit: 4, Status: fsm.Running}}}}}
	if i%50 == 0 {
		r.Event.Agent.ID, r.Event.Agent.Type, r.Event.Tool.Name, r.Verdict, r.Rule, r.Reason = "", "", "Grep", "deny", "no-searching", "The orchestrator does not search the code."
	}
	return &r
}

// recorded appends records to a session's journal: n of them, each a second later.
func recorded(t *testing.T, st session.Store, id string, from time.Time, n int) {
	t.Helper()
	if err := os.MkdirAll(st.Path(id), 0o700); err != nil {
		t.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(st.Path(id), journal.Name))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	for i := range n {
		r := ordinary(id, i, from.Add(time.Duration(i)*time.Second))
		if err := j.Append(r, false); err != nil {
			t.Fatal(err)
		}
	}
}

// firsts are the first columns of what was printed.
func firsts(out *bytes.Buffer) (names []string) {
	for line := range strings.Lines(out.String()) {
		names = append(names, strings.Fields(line)[0])
	}
	out.Reset()
	return names
}

// TestLogMerges: sessions that overlap are shown in the order of time, many more than are open at once.
func TestLogMerges(t *testing.T) {
	st := session.Store{Dir: t.TempDir()}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var ids []string
	total := 0
	for i := range 30 {
		id := fmt.Sprintf("s%02d", i)
		ids = append(ids, id)
		n := 1 + i*37%400
		recorded(t, st, id, at.Add(time.Duration(i*100)*time.Second), n)
		total += n
	}
	slices.Reverse(ids)
	var last time.Time
	seen := 0
	err := mergeSessions(st, ids, journal.Want{}, func(f foundRecord) {
		if f.line.Time.Before(last) {
			t.Fatalf("%v after %v", f.line.Time, last)
		}
		last = f.line.Time
		seen++
	}, func(id string, f journal.Fault) { t.Error(id, f) })
	if err != nil || seen != total {
		t.Errorf("%d of %d, %v", seen, total, err)
	}
}

// TestLogFollows: new records, of old and new sessions, over a rotation, and each once.
func TestLogFollows(t *testing.T) {
	st := session.Store{Dir: t.TempDir()}
	now := time.Now()
	recorded(t, st, "s1", now, 2)
	var out bytes.Buffer
	l := &logger{program: &program{out: &out, err: &out, getenv: os.Getenv}, many: true}
	f := newFollower(st, journal.Want{}, false)
	f.markEnds([]string{"s1"})
	look := func(want ...string) {
		t.Helper()
		if err := f.printNew(l); err != nil {
			t.Fatal(err)
		}
		l.reportDamage()
		got := firsts(&out)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Fatalf("%q, expected %q", got, want)
		}
	}
	look()
	recorded(t, st, "s1", now, 1)
	recorded(t, st, "s2", now, 1)
	look("s1:3", "s2:1")
	recorded(t, st, "s1", now, 1)
	if _, err := st.Housekeep(now, session.Keep{MaxSize: 1}); err != nil {
		t.Fatal(err)
	}
	recorded(t, st, "s1", now, 1)
	look("s1:4", "s1:5", "s1:6", "s2:2")
	look()
}

// TestLogRing: of what fits only the newest is kept.
func TestLogRing(t *testing.T) {
	for _, limit := range []int{0, 1, 3, 10, 11} {
		var got []int64
		r := newRing(limit, func(f foundRecord) { got = append(got, f.line.Seq) })
		for i := range 10 {
			r.addRecord(foundRecord{line: journal.Line{Seq: int64(i)}})
		}
		r.flush()
		want := 10
		if limit > 0 {
			want = min(limit, 10)
		}
		if len(got) != want || got[0] != int64(10-want) || !slices.IsSorted(got) {
			t.Errorf("limit %d: %v", limit, got)
		}
	}
}

// TestLogIsOneLine: what agents wrote drives no terminal.
func TestLogIsOneLine(t *testing.T) {
	if got := singleLine("a\x1b[31m\nb\u202e\r"); got != `a\u001b[31m b\u202e\u000d` {
		t.Errorf("%q", got)
	}
}
