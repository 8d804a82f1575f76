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
	j, err := journal.Open(st.Path(id))
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

// TestLogMerges: sessions that overlap are shown in the order of time, many more than are
// open at once. A limit leaves the newest, wherever they are kept.
func TestLogMerges(t *testing.T) {
	st := session.Store{Dir: t.TempDir()}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var ids []string
	total := 0
	for i := range 30 {
		id := fmt.Sprintf("s%02d", i)
		ids = append(ids, id)
		n := 1 + i*37%400
		from := at.Add(time.Duration(i*100) * time.Second)
		recorded(t, st, id, from, n)
		if i%3 == 0 { // its segments: one that is packed, and one that is not
			for k := range 1 + i%2 {
				rotated(t, st, id, k == 0)
				recorded(t, st, id, from.Add(time.Duration((k+1)*n)*time.Second), n)
			}
			n *= 2 + i%2
			total += 1 + i%2 // the records that say so
		}
		total += n
	}
	slices.Reverse(ids)
	all := merged(t, st, ids, journal.Want{}, 0)
	if len(all) != total || !slices.IsSortedFunc(all, func(a, b foundRecord) int { return a.line.Time.Compare(b.line.Time) }) {
		t.Errorf("%d of %d, or not sorted", len(all), total)
	}
	denied := merged(t, st, ids, journal.Want{Verdicts: []string{"deny"}}, 0)
	for _, limit := range []int{1, 2, 99, 128, 129, 1000, total - 1, total, total + 1} {
		compareNewest(t, merged(t, st, ids, journal.Want{}, limit), all, limit)
		compareNewest(t, merged(t, st, ids, journal.Want{Verdicts: []string{"deny"}}, limit), denied, limit)
		none := merged(t, st, ids, journal.Want{Verdicts: []string{"ask"}}, limit)
		compareNewest(t, none, nil, limit)
	}
}

// rotated carries a session's journal on, and packs what was.
func rotated(t *testing.T, st session.Store, id string, packs bool) {
	t.Helper()
	last, err := journal.Tail(st.Path(id))
	if err == nil {
		_, err = journal.Rotate(st.Path(id), last.Event.Time)
	}
	if err == nil && packs {
		err = journal.Compress(st.Path(id))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// merged are the records of sessions, without a fault.
func merged(t *testing.T, st session.Store, ids []string, want journal.Want, limit int) (all []foundRecord) {
	t.Helper()
	if err := mergeSessions(st, slices.Clone(ids), want, limit, func(f foundRecord) { all = append(all, f) },
		func(id string, f journal.Fault) { t.Error(id, f) }); err != nil {
		t.Fatal(err)
	}
	return all
}

func compareNewest(t *testing.T, got, all []foundRecord, limit int) {
	t.Helper()
	name := func(list []foundRecord) (out []string) {
		for _, f := range list {
			out = append(out, fmt.Sprintf("%s:%d %s", f.session, f.line.Seq, f.line.Time))
		}
		return out
	}
	if got, want := name(got), name(all[len(all)-min(limit, len(all)):]); !slices.Equal(got, want) {
		t.Errorf("limit %d: %d records, expected %d\n%q\n%q", limit, len(got), len(want), got, want)
	}
}

// TestLogOfLateRecords: within a session the time may go back. A limit changes nothing
// about the order.
func TestLogOfLateRecords(t *testing.T) {
	st := session.Store{Dir: t.TempDir()}
	at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for i, seconds := range []int{1, 10, 5, 11, 7, 12} {
		recorded(t, st, []string{"a", "b"}[i/5], at.Add(time.Duration(seconds)*time.Second), 1)
	}
	recorded(t, st, "b", at.Add(7*time.Second), 1)
	all := merged(t, st, []string{"a", "b"}, journal.Want{}, 0)
	if len(all) != 7 {
		t.Fatalf("%d records", len(all))
	}
	for limit := 4; limit <= 7; limit++ {
		compareNewest(t, merged(t, st, []string{"a", "b"}, journal.Want{}, limit), all, limit)
	}
}

// TestLogOfDamage: with a limit the damage between the newest records is named, and
// older damage is not looked for.
func TestLogOfDamage(t *testing.T) {
	for _, isPacked := range []bool{false, true} {
		st := session.Store{Dir: t.TempDir()}
		at := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
		recorded(t, st, "s1", at, 300)
		path := filepath.Join(st.Path("s1"), journal.Name)
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		lines := bytes.SplitAfter(body, []byte("\n"))
		lines[9], lines[199], lines[296] = []byte("old\n"), []byte("[]\n"), []byte("new\n")
		if err := os.WriteFile(path, append(bytes.Join(lines, nil), "torn"...), 0o600); err != nil {
			t.Fatal(err)
		}
		file := journal.Name
		if isPacked {
			rotated(t, st, "s1", true)
			file = "journal.1.jsonl.gz"
		}
		for limit, want := range map[int][]int{0: {10, 200, 297}, 2: nil, 5: {297}, 150: {200, 297}, 1000: {10, 200, 297}} {
			var got []int
			seen := 0
			if err := mergeSessions(st, []string{"s1"}, journal.Want{Kinds: []string{"tool-request"}}, limit,
				func(foundRecord) { seen++ }, func(id string, f journal.Fault) {
					if got = append(got, f.Line); id != "s1" || f.File != file {
						t.Error(id, f)
					}
				}); err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, want) || limit > 0 && seen != min(limit, 297) {
				t.Errorf("packed %v, limit %d: %d records, damaged are %v, expected %v", isPacked, limit, seen, got, want)
			}
		}
	}
}

// TestLogFollows: new records, of old and new sessions, over a rotation, and each once.
func TestLogFollows(t *testing.T) {
	st := session.Store{Dir: t.TempDir()}
	now := time.Now()
	recorded(t, st, "s1", now, 2)
	var out bytes.Buffer
	l := &logger{program: &program{console{out: &out, err: &out, getenv: os.Getenv}}, many: true}
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
	if _, err := st.Housekeep(now, fsm.Retention{MaxSize: 1}); err != nil {
		t.Fatal(err)
	}
	recorded(t, st, "s1", now, 1)
	look("s1:4", "s1:5", "s1:6", "s2:2")
	look()
}

// TestLogIsOneLine: what agents wrote drives no terminal.
func TestLogIsOneLine(t *testing.T) {
	if got := singleLine("a\x1b[31m\nb\u202e\r"); got != `a\u001b[31m b\u202e\u000d` {
		t.Errorf("%q", got)
	}
}
