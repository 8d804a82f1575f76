package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// rotated makes a journal of n records in each of some files.
func rotated(t testing.TB, counts ...int) string {
	t.Helper()
	path := written(t, counts[0])
	for _, n := range counts[1:] {
		if _, err := Rotate(filepath.Dir(path), time.Unix(1_900_000_000, 0)); err != nil {
			t.Fatal(err)
		}
		add(t, path, n)
	}
	return path
}

func audit(t testing.TB, path string, head Head) Audit {
	t.Helper()
	a, err := Verify(filepath.Dir(path), head)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestSegmentNames: a segment that is being packed is there twice and counts once, and no other file counts.
func TestSegmentNames(t *testing.T) {
	path := rotated(t, 3, 2, 1)
	dir := filepath.Dir(path)
	for _, name := range []string{"journal.1.jsonl.gz", "journal.10.jsonl", "journal.0.jsonl", "journal.7.jsonl.new",
		"journal.x.jsonl"} {
		put(t, filepath.Join(dir, name), []byte("{}"))
	}
	now, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer now.Close()
	if all, err := olderSegments(dir, now); err != nil || !slices.Equal(all, []int{1, 2, 10}) {
		t.Errorf("%v, %v", all, err)
	}
}

// TestRotate: a journal in several files is one: its chain holds, it is read as a
// whole, and its last line has the session.
func TestRotate(t *testing.T) {
	for _, packed := range []bool{false, true} {
		path := rotated(t, 3, 2, 1)
		if packed {
			if err := Compress(filepath.Dir(path)); err != nil {
				t.Fatal(err)
			}
			if names := segments(path); !slices.Equal(names, []string{"journal.1.jsonl.gz", "journal.2.jsonl.gz"}) {
				t.Fatalf("packed: %q", names)
			}
		}
		whole(t, path, 8)
		got, damaged := visits(t, path)
		if want := []int{1, 2, 3, 3, 5, 6, 6, 8}; !slices.Equal(got, want) || damaged > 0 {
			t.Fatalf("%v, %d damaged; expected %v", got, damaged, want)
		}
		if a := audit(t, path, Head{}); a.Files != 3 || len(a.Faults) > 0 || a.Records != 8 {
			t.Fatalf("%+v", a)
		}
		if r, err := Tail(filepath.Dir(path)); err != nil || r.Seq != 8 || r.State.Machine.Visit != 8 {
			t.Fatalf("%d, %v", r.Seq, err)
		}
	}
}

// segments are the names of a journal's segments.
func segments(path string) []string {
	names, _ := filepath.Glob(filepath.Dir(path) + "/journal.*.jsonl*")
	for i := range names {
		names[i] = filepath.Base(names[i])
	}
	return names
}

// TestCompressAgain: what is packed stays as it is. A segment that cannot be packed stays, and is named.
func TestCompressAgain(t *testing.T) {
	path := rotated(t, 3, 2, 1)
	dir := filepath.Dir(path)
	blocked := segmentPath(dir, 2) + ".gz"
	if err := os.MkdirAll(filepath.Join(blocked, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := Compress(dir); err == nil || !strings.Contains(err.Error(), "compress journal: ") {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(blocked); err != nil {
		t.Fatal(err)
	}
	if names := segments(path); !slices.Equal(names, []string{"journal.1.jsonl.gz", "journal.2.jsonl"}) {
		t.Fatalf("%q", names)
	}
	for range 2 {
		if err := Compress(dir); err != nil {
			t.Fatal(err)
		}
	}
	whole(t, path, 8)
}

// TestEnded: a session has ended with its last event, or before a record that changed nothing of that. A rotation
// changes nothing either.
func TestEnded(t *testing.T) {
	for _, c := range []struct {
		kind     fsm.Kind
		afterEnd bool
		want     bool
	}{{fsm.SessionEnd, false, true}, {fsm.SessionEnd, true, true}, {Dispute, true, true}, {Dispute, false, false},
		{fsm.Prompt, false, false}} {
		path := written(t, 1)
		r := Record{Event: fsm.Event{Kind: c.kind}, AfterEnd: c.afterEnd}
		j := opened(t, path)
		if err := errors.Join(j.Append(&r, false), j.Close()); err != nil {
			t.Fatal(err)
		}
		if _, err := Rotate(filepath.Dir(path), time.Now()); err != nil {
			t.Fatal(err)
		}
		if last, err := Tail(filepath.Dir(path)); err != nil || r.Ended() != c.want || last.Ended() != c.want {
			t.Errorf("%+v: %v, after a rotation %v, %v", c, r.Ended(), last.Ended(), err)
		}
	}
}

// TestRotateKeepsTheAge: a new file is as old as the one before it: that says when the session was last active.
func TestRotateKeepsTheAge(t *testing.T) {
	path, then := written(t, 2), time.Unix(1_700_000_000, 0)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
	if _, err := Rotate(filepath.Dir(path), time.Unix(1_900_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || !info.ModTime().Equal(then) {
		t.Errorf("%v, %v; want %v", info.ModTime(), err, then)
	}
}

// TestRotatedAlone: right after a rotation the session is there, with one line to be
// read.
func TestRotatedAlone(t *testing.T) {
	path := rotated(t, 4, 0)
	if n := len(lines(t, path)); n != 1 {
		t.Fatalf("%d lines", n)
	}
	r, err := Tail(filepath.Dir(path))
	if err != nil || r.Event.Kind != Rotated || r.Seq != 5 || r.State.Machine.Visit != 4 ||
		r.Event.Source != "journal.1.jsonl" {
		t.Fatalf("%+v, %v", r, err)
	}
}

// TestRotationKilled: the process that rotates is killed between any two steps: nothing is lost,
// nothing is there twice.
func TestRotationKilled(t *testing.T) {
	path := rotated(t, 3, 2)
	dir := filepath.Dir(path)
	if err := os.Link(path, segmentPath(dir, 2)); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "journal.jsonl123"), []byte("half a li"))
	whole(t, path, 6)
	if err := Compress(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(segmentPath(dir, 2)); err != nil {
		t.Fatal("what is still written to was packed")
	}
	add(t, path, 1)
	whole(t, path, 7)
	if n, err := Rotate(dir, time.Now()); err != nil || n != 2 {
		t.Fatal(n, err)
	}
	whole(t, path, 8)
	put(t, segmentPath(dir, 1)+".gz", nil) // killed while packing would leave no name: an empty one is damage
	if a := audit(t, path, Head{}); len(a.Faults) == 0 {
		t.Error("an empty segment is no fault")
	}
}

// TestRotateDamaged: a journal that ends in damage goes on from the last good record,
// and both are told.
func TestRotateDamaged(t *testing.T) {
	path := written(t, 3)
	put(t, path, append(bytesOf(t, path), "damaged\ntorn"...))
	if _, err := Rotate(filepath.Dir(path), time.Now()); err != nil {
		t.Fatal(err)
	}
	a := audit(t, path, Head{})
	if len(a.Faults) != 1 || a.Faults[0].Line != 4 || len(a.Resumed) != 1 ||
		!strings.Contains(a.Resumed[0].What, "record 5 goes on from record 3") {
		t.Fatalf("%+v", a)
	}
	if _, err := Rotate(filepath.Dir(written(t, 0)), time.Now()); err == nil {
		t.Error("an empty journal was rotated")
	}
}

// TestVerifySegments: what is done to a segment is found, and told with its file.
func TestVerifySegments(t *testing.T) {
	tests := []struct {
		name string
		do   func(t *testing.T, dir string)
		file string
		what string
	}{
		{"first missing", func(t *testing.T, dir string) { os.Remove(segmentPath(dir, 1)) }, "journal.2.jsonl",
			"journal.1.jsonl is missing, with the 2 records"},
		{"second missing", func(t *testing.T, dir string) { os.Remove(segmentPath(dir, 2)) }, Name, "does not follow"},
		{"all missing", func(t *testing.T, dir string) {
			os.Remove(segmentPath(dir, 1))
			os.Remove(segmentPath(dir, 2))
		}, Name, "journal.2.jsonl is missing"},
		{"a byte flipped", func(t *testing.T, dir string) {
			body := bytesOf(t, segmentPath(dir, 2))
			body[20] ^= 1
			put(t, segmentPath(dir, 2), body)
		}, "journal.2.jsonl", "hash does not fit"},
		{"emptied as the journal is", func(t *testing.T, dir string) {
			put(t, filepath.Join(dir, Name), nil)
			put(t, segmentPath(dir, 2), nil)
			put(t, segmentPath(dir, 1), []byte("damaged"))
		}, "journal.1.jsonl", "no hash"},
		{"cut short", func(t *testing.T, dir string) {
			body := bytesOf(t, segmentPath(dir, 1))
			put(t, segmentPath(dir, 1), body[:bytes.IndexByte(body, '\n')+1])
		}, "journal.2.jsonl", "this is record 3, that was record 1"},
		{"packed and damaged", func(t *testing.T, dir string) {
			if err := Compress(dir); err != nil {
				t.Fatal(err)
			}
			body := bytesOf(t, segmentPath(dir, 1)+".gz")
			put(t, segmentPath(dir, 1)+".gz", body[:len(body)/2])
		}, "journal.1.jsonl.gz", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			path := rotated(t, 2, 2, 2)
			tt.do(t, filepath.Dir(path))
			a := audit(t, path, Head{})
			if len(a.Faults) == 0 || a.Faults[0].File != tt.file || !strings.Contains(fmt.Sprint(a.Faults), tt.what) {
				t.Fatalf("%+v", a)
			}
			if _, err := Read(filepath.Dir(path), func(Record) bool { return true }); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestHead: a journal that ends before what was published has lost its end; one with
// another record there was written again.
func TestHead(t *testing.T) {
	path := written(t, 5)
	var at3 Record
	if _, err := Read(filepath.Dir(path), func(r Record) bool { at3 = r; return r.Seq < 3 }); err != nil {
		t.Fatal(err)
	}
	ls := lines(t, path)
	for _, tt := range []struct {
		kept int
		head Head
		want string
	}{
		{5, Head{3, at3.Hash}, ""}, {3, Head{3, at3.Hash}, ""},
		{2, Head{3, at3.Hash}, "ends at record 2, and state.json was written at record 3"},
		{5, Head{3, "another"}, "was written again"}, {2, Head{}, ""},
	} {
		put(t, path, bytes.Join(ls[:tt.kept], nil))
		if a := audit(t, path, tt.head); (tt.want == "") != (len(a.Faults) == 0) ||
			!strings.Contains(fmt.Sprint(a.Faults), tt.want) {
			t.Errorf("%d kept, head %v: %v", tt.kept, tt.head, a.Faults)
		}
	}
}

// TestFrom follows a journal over rotations.
func TestFrom(t *testing.T) {
	path := written(t, 2)
	dir := filepath.Dir(path)
	at, got := End(dir), []int64(nil)
	look := func() {
		var err error
		at, err = From(dir, at, &Want{}, func(l *Line) bool { got = append(got, l.Seq); return true },
			func(f Fault) { t.Error(f) })
		if err != nil {
			t.Fatal(err)
		}
	}
	look()
	add(t, path, 2)
	look()
	for range 2 {
		add(t, path, 1)
		if _, err := Rotate(dir, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	if err := Compress(dir); err != nil {
		t.Fatal(err)
	}
	add(t, path, 1)
	look()
	look()
	for range 3 { // more than one file later
		if _, err := Rotate(dir, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	look()
	if want := []int64{3, 4, 5, 6, 7, 8, 9, 10, 11, 12}; !slices.Equal(got, want) {
		t.Fatalf("%v, expected %v", got, want)
	}
}
