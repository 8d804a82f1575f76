package journal

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestMark: a place that was written down is found again, across a rotation and by file
// and by packed segment; a journal that has become shorter is read from its start.
func TestMark(t *testing.T) {
	path := written(t, 3)
	dir := filepath.Dir(path)
	var at Place
	next := func() (seen []int64) {
		t.Helper()
		var err error
		at, err = From(dir, PlaceAt(at.Position()), &Want{},
			func(l *Line) bool { seen = append(seen, l.Seq); return true },
			func(f Fault) { t.Error(f) })
		if err != nil {
			t.Fatal(err)
		}
		return seen
	}
	expect := func(want ...int64) {
		t.Helper()
		if got := next(); !slices.Equal(got, want) {
			t.Fatalf("%v, expected %v", got, want)
		}
	}
	expect(1, 2, 3)
	expect()
	add(t, path, 2)
	if _, err := Rotate(dir, time.Unix(1_900_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if err := Compress(dir); err != nil {
		t.Fatal(err)
	}
	add(t, path, 1)
	expect(4, 5, 6, 7)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	expect()
	add(t, path, 1)
	if got := next(); len(got) != 1 {
		t.Fatalf("after it was cut: %v", got)
	}
}

// TestStop: a reader that stops goes on behind the line that it saw last, and each line
// says where it begins.
func TestStop(t *testing.T) {
	path := written(t, 5)
	dir := filepath.Dir(path)
	if _, err := Rotate(dir, time.Unix(1_900_000_000, 0)); err != nil {
		t.Fatal(err)
	}
	if err := Compress(dir); err != nil {
		t.Fatal(err)
	}
	add(t, path, 2)
	var seen []int64
	at, last := Place{}, Place{}
	for range 4 {
		n := 0
		var err error
		at, err = From(dir, at, &Want{}, func(l *Line) bool {
			seen, last, n = append(seen, l.Seq), l.At, n+1
			return n < 2
		}, func(f Fault) { t.Error(f) })
		if err != nil {
			t.Fatal(err)
		}
		_, _ = From(dir, PlaceAt(last.Position()), &Want{}, func(l *Line) bool {
			if l.Seq != seen[len(seen)-1] {
				t.Errorf("record %d begins where %d should", l.Seq, seen[len(seen)-1])
			}
			return false
		}, func(f Fault) { t.Error(f) })
	}
	if want := []int64{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(seen, want) {
		t.Errorf("%v, expected %v", seen, want)
	}
}
