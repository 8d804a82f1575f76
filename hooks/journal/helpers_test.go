package journal

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// numbered is the record that a test writes as the nth.
func numbered(n int) *Record {
	return &Record{Event: fsm.Event{Time: time.Unix(1_800_000_000+int64(n), 0).UTC(), Kind: "prompt"},
		Notes: []string{fmt.Sprint("note ", n)},
		State: fsm.Session{ID: "s1", Machine: fsm.Machine{State: "IDLE", Visit: n}}}
}

// written makes a journal of n records, and returns its path.
func written(t testing.TB, n int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	if n > 0 {
		add(t, path, n)
	}
	return path
}

// add appends n records, and returns what Open said.
func add(t testing.TB, path string, n int) []string {
	t.Helper()
	j := opened(t, path)
	defer j.Close()
	for range n {
		if err := j.Append(numbered(int(j.Seq)+1), false); err != nil {
			t.Fatal(err)
		}
	}
	return j.Repairs
}

func opened(t testing.TB, path string) *Journal {
	t.Helper()
	j, err := Open(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { j.Close() })
	return j
}

func bytesOf(t testing.TB, path string) []byte {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func put(t testing.TB, path string, body []byte) {
	t.Helper()
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
}

// lines are a journal's lines, newlines included.
func lines(t testing.TB, path string) [][]byte {
	t.Helper()
	return bytes.SplitAfter(bytes.TrimSuffix(bytesOf(t, path), []byte("\n")), []byte("\n"))
}

// visits are the numbers that Read gives of a journal, and how many lines it counts as
// damaged.
func visits(t testing.TB, path string) (out []int, damaged int) {
	t.Helper()
	damaged, err := Read(filepath.Dir(path), func(r Record) bool {
		out = append(out, r.State.Machine.Visit)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	return out, damaged
}

// whole checks that the chain of a journal of n records holds.
func whole(t testing.TB, path string, n int) {
	t.Helper()
	if got, err := Verify(filepath.Dir(path), Head{}); got.Records != n || len(got.Faults) > 0 || err != nil {
		t.Fatalf("%+v, %v; expected %d records and no fault", got, err, n)
	}
}

// broken checks that the chain breaks at a line, and how.
func broken(t testing.TB, path string, line int, what string) {
	t.Helper()
	got, err := Verify(filepath.Dir(path), Head{})
	if err != nil || len(got.Faults) == 0 {
		t.Fatalf("%+v, %v; expected a fault at line %d", got, err, line)
	}
	if fault := got.Faults[0]; fault.Line != line || !strings.Contains(fault.What, what) {
		t.Fatalf("line %d: %s; expected line %d: %s", fault.Line, fault.What, line, what)
	}
}

func says(t testing.TB, said []string, want string) {
	t.Helper()
	if want == "" && len(said) == 0 {
		return
	}
	if want == "" || !strings.Contains(strings.Join(said, "\n"), want) {
		t.Fatalf("said %q, expected %q", said, want)
	}
}
