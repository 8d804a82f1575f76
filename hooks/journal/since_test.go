package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

func everything([]byte) bool { return true }

// since reads on, and returns the numbers of what it got.
func since(t testing.TB, path string, at Mark, most int64) (Since, []int64) {
	t.Helper()
	s, err := ReadSince(filepath.Dir(path), at, most, everything)
	if err != nil {
		t.Fatal(err)
	}
	var got []int64
	for _, l := range s.Lines {
		got = append(got, l.Seq)
	}
	return s, got
}

func TestSinceReadsOn(t *testing.T) {
	path := written(t, 3)
	first, got := since(t, path, Mark{}, 1<<20)
	if !slices.Equal(got, []int64{1, 2, 3}) || first.From != 1 || first.To != 3 || first.More || first.Restarted {
		t.Errorf("from the beginning: %v, %+v", got, first)
	}
	if again, got := since(t, path, first.Mark, 1<<20); got != nil || again.Mark != first.Mark || again.From != 0 {
		t.Errorf("with nothing new: %v, %+v", got, again)
	}
	add(t, path, 2)
	if next, got := since(t, path, first.Mark, 1<<20); !slices.Equal(got, []int64{4, 5}) || next.From != 4 ||
		next.To != 5 {
		t.Errorf("what has come: %v, %+v", got, next)
	}
}

// What is read at a time is bounded, but a line that is longer than that is read whole.
func TestSinceIsBounded(t *testing.T) {
	path := written(t, 5)
	one := int64(len(lines(t, path)[0]))
	for most, a := range map[int64]int{1: 1, one: 1, one + 10: 1, 3 * one: 2} {
		at, n, all := Mark{}, 0, []int64{}
		for more := true; more; n++ {
			s, got := since(t, path, at, most)
			if at, more = s.Mark, s.More; n == 0 && len(got) != a {
				t.Errorf("%d bytes: %d lines at first, expected %d", most, len(got), a)
			}
			all = append(all, got...)
		}
		if !slices.Equal(all, []int64{1, 2, 3, 4, 5}) {
			t.Errorf("%d bytes: %v", most, all)
		}
	}
}

func TestSinceLeavesWhatIsUnfinished(t *testing.T) {
	path := written(t, 2)
	whole := bytesOf(t, path)
	put(t, path, whole[:len(whole)-5])
	s, got := since(t, path, Mark{}, 1<<20)
	if !slices.Equal(got, []int64{1}) || s.More {
		t.Errorf("a line that is being written: %v, %+v", got, s)
	}
	put(t, path, whole)
	if _, got := since(t, path, s.Mark, 1<<20); !slices.Equal(got, []int64{2}) {
		t.Errorf("when it is finished: %v", got)
	}
}

func TestSinceTakesApartWhatIsWanted(t *testing.T) {
	path := written(t, 3)
	s, err := ReadSince(filepath.Dir(path), Mark{}, 1<<20,
		func(raw []byte) bool { return bytes.Contains(raw, []byte(`"n":2,`)) })
	if err != nil || len(s.Lines) != 1 || s.Lines[0].Kind != "prompt" || s.From != 1 || s.To != 3 {
		t.Errorf("%+v, %v", s, err)
	}
}

// After a rotation reading goes on in the new file, and the numbers tell what was left
// behind.
func TestSinceRotation(t *testing.T) {
	path := written(t, 3)
	s, _ := since(t, path, Mark{}, 1<<20)
	add(t, path, 1)
	if _, err := Rotate(filepath.Dir(path), time.Unix(1_800_000_100, 0)); err != nil {
		t.Fatal(err)
	}
	add(t, path, 1)
	next, got := since(t, path, s.Mark, 1<<20)
	if !slices.Equal(got, []int64{5, 6}) || next.From != 5 || next.First != 5 || next.Restarted {
		t.Errorf("%v, %+v", got, next)
	}
}

// A journal that is shorter than it was, or where no line begins at the mark, is
// another one.
func TestSinceAnew(t *testing.T) {
	path := written(t, 4)
	s, _ := since(t, path, Mark{}, 1<<20)
	put(t, path, slices.Concat(lines(t, path)[:2]...))
	if next, got := since(t, path, s.Mark, 1<<20); !next.Restarted || !slices.Equal(got, []int64{1, 2}) {
		t.Errorf("shorter: %v, %+v", got, next)
	}
	if next, got := since(t, path, Mark{First: 1, Offset: 7}, 1<<20); !next.Restarted ||
		!slices.Equal(got, []int64{1, 2}) {
		t.Errorf("in a line: %v, %+v", got, next)
	}
	if next, got := since(t, path, Mark{First: 9, Offset: 0}, 1<<20); !next.Restarted ||
		!slices.Equal(got, []int64{1, 2}) {
		t.Errorf("begins earlier: %v, %+v", got, next)
	}
}

func TestSinceEmptyAndMissing(t *testing.T) {
	path := written(t, 0)
	if _, err := ReadSince(filepath.Dir(path), Mark{}, 1<<20, everything); !os.IsNotExist(err) {
		t.Errorf("missing: %v", err)
	}
	put(t, path, nil)
	if s, got := since(t, path, Mark{}, 1<<20); got != nil || s.Mark != (Mark{}) || s.More {
		t.Errorf("empty: %v, %+v", got, s)
	}
	put(t, path, []byte("no record\n"))
	s, got := since(t, path, Mark{}, 1<<20)
	if got != nil || s.Offset != 10 {
		t.Errorf("no record: %v, %+v", got, s)
	}
}
