package journal

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFirstVersion: a journal of record version 1 is no damage. Its session goes on where it was, with its agents and
// what it has captured.
func TestFirstVersion(t *testing.T) {
	body, err := os.ReadFile("testdata/version1.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	put(t, filepath.Join(dir, Name), body)
	last, err := Tail(dir)
	if m := last.State.Machine; err != nil || last.Seq != 6 || m.State != "GATHERING" || m.Visit != 2 ||
		m.Captures["gathered"].Size != 8 || last.State.ID != "s1" || last.Event.Kind != "tool-result" {
		t.Fatalf("%+v, %v", last, err)
	}
	if runs := last.State.Agents.Runs; len(runs) != 1 || runs[0].ID != "a1" || runs[0].Status != "done" {
		t.Fatalf("%+v", runs)
	}
	records := 0
	if damaged, err := Read(dir, func(r Record) bool { records++; return !r.Event.Time.IsZero() }); damaged > 0 ||
		err != nil {
		t.Fatal(damaged, err)
	}
	err = Scan(dir, &Want{}, func(l *Line) bool { records++; return l.Kind != "" && !l.Time.IsZero() },
		func(f Fault) { t.Error(f) })
	if err != nil || records != 12 {
		t.Fatal(records, err)
	}
	j, err := Open(dir)
	if err != nil || j.Damaged > 0 || len(j.Repairs) > 0 {
		t.Fatal(j.Repairs, err)
	}
	defer j.Close()
	next := *j.Last()
	if err := j.Append(&next, false); err != nil {
		t.Fatal(err)
	}
	if a, err := Verify(dir, Head{}); err != nil || len(a.Faults) > 0 || a.Records != 7 {
		t.Fatalf("%+v, %v", a, err)
	}
}

// TestVersionToCome: what a version to come has written is said to be that, and is never called damaged.
func TestVersionToCome(t *testing.T) {
	dir := t.TempDir()
	r := Record{Version: Version + 1, Seq: 1}
	r.Event.Kind = "prompt"
	put(t, filepath.Join(dir, Name), r.seal(new(Codec)))
	want := func(err error) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), "this pipeline knows up to") ||
			strings.Contains(err.Error(), "damaged") {
			t.Error(err)
		}
	}
	_, err := Tail(dir)
	want(err)
	_, err = Open(dir)
	want(err)
	damaged, err := Read(dir, func(Record) bool { return true })
	want(err)
	a, err := Verify(dir, Head{})
	if damaged > 0 || err != nil || len(a.Faults) != 1 {
		t.Fatal(damaged, a, err)
	}
	want(errString(a.Faults[0].What))
}

type errString string

func (e errString) Error() string { return string(e) }
