package main

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

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
		r := journal.Record{Event: fsm.Event{Time: from.Add(time.Duration(i) * time.Second), Kind: fsm.Prompt},
			State: fsm.Session{ID: id}}
		if err := j.Append(&r, false); err != nil {
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

// TestLogFollows: new records, of old and new sessions, over a rotation, and each once.
func TestLogFollows(t *testing.T) {
	st := session.Store{Dir: t.TempDir()}
	now := time.Now()
	recorded(t, st, "s1", now, 2)
	var out bytes.Buffer
	p := &program{console{out: &out, err: &out, getenv: os.Getenv}}
	l := newLogger(p, st, journal.Want{})
	l.at["s1"] = journal.End(st.Path("s1"))
	look := func(want ...string) {
		t.Helper()
		if err := l.printNew(); err != nil {
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

// TestLogCountsWhatItShows: --limit keeps the newest, and the count says of how many.
func TestLogCountsWhatItShows(t *testing.T) {
	var out, errs bytes.Buffer
	l := newLogger(&program{console{out: &out, err: &errs, getenv: os.Getenv}}, session.Store{}, journal.Want{})
	l.refused, l.newest = true, 1
	for _, verdict := range []string{"deny", "", "deny"} {
		l.printRecord("s1", &journal.Line{Verdict: verdict})
	}
	l.reportCounts()
	if got := errs.String(); !strings.Contains(got, "1 of 2 objections shown; others: 1 (") {
		t.Error(got)
	}
	if lines := strings.Count(out.String(), "\n"); lines != 1 {
		t.Errorf("%d records", lines)
	}
}

// TestLogIsOneLine: what agents wrote drives no terminal.
func TestLogIsOneLine(t *testing.T) {
	if got := singleLine("a\x1b[31m\nb\u202e\r"); got != `a\u001b[31m b\u202e\u000d` {
		t.Errorf("%q", got)
	}
}
