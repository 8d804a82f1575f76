package journal

import (
	"path/filepath"
	"strings"
	"testing"
)

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
	a, err := Verify(dir, Head{}, r.Head()) // which is not missing
	if damaged > 0 || err != nil || len(a.Faults) != 1 {
		t.Fatal(damaged, a, err)
	}
	want(errString(a.Faults[0].What))
}

type errString string

func (e errString) Error() string { return string(e) }
