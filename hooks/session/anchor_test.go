package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// witnessed is a store with a witness, and a session in it that has moved twice and goes on.
func witnessed(t *testing.T) Store {
	t.Helper()
	dir := t.TempDir()
	st := Store{Dir: filepath.Join(dir, "state"), Witness: filepath.Join(dir, "witness"), Wait: time.Minute}.moves(t,
		"A", "B")
	return st.counts(t, 3)
}

func (st Store) counts(t *testing.T, n int) Store {
	t.Helper()
	for range n {
		st.must(t, note("x"), count)
	}
	return st
}

func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	remove(t, to)
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// TestVerifySees: what was done to a session that goes on is found before its next call.
func TestVerifySees(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, st Store)
		want string
	}{
		"nothing": {func(*testing.T, Store) {}, ""},
		"the last records cut off": {func(t *testing.T, st Store) {
			body, err := os.ReadFile(st.file("journal.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(body), "\n")
			write(t, st.file("journal.jsonl"), strings.Join(lines[:len(lines)-3], ""))
		}, "record 5"},
		"and its head with them": {func(t *testing.T, st Store) {
			body, err := os.ReadFile(st.file("journal.jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.SplitAfter(string(body), "\n")
			write(t, st.file("journal.jsonl"), strings.Join(lines[:len(lines)-3], ""))
			remove(t, st.file("head"))
		}, "record 5"},
		"a head that a killed process left empty": {func(t *testing.T, st Store) { write(t, st.file("head"), "") }, ""},
		"heads.jsonl removed": {func(t *testing.T, st Store) { remove(t, filepath.Join(st.Dir, headsName)) },
			"heads.jsonl"},
		"heads.jsonl emptied": {func(t *testing.T, st Store) { write(t, filepath.Join(st.Dir, headsName), "") },
			"heads.jsonl"},
		"a captured text changed": {func(t *testing.T, st Store) {
			write(t, textPath(st.Path("s1"), captured("what was found in A").Ref), "something else")
		}, "changed"},
		"a captured text removed": {func(t *testing.T, st Store) {
			remove(t, textPath(st.Path("s1"), captured("what was found in A").Ref))
		}, "missing"},
		"the session restored from a copy": {func(t *testing.T, st Store) {
			old := filepath.Join(t.TempDir(), "old")
			copyFolder(t, st.Path("s1"), old)
			st.counts(t, 2)
			copyFolder(t, old, st.Path("s1"))
		}, "record 7"},
		"the state folder restored from a copy": {func(t *testing.T, st Store) {
			old := filepath.Join(t.TempDir(), "old")
			copyFolder(t, st.Dir, old)
			st.moves(t, "C")
			copyFolder(t, old, st.Dir)
		}, "record 6"},
	} {
		t.Run(name, func(t *testing.T) {
			st := witnessed(t)
			c.do(t, st)
			a, _, err := st.Verify("s1")
			if err != nil || c.want == "" && len(a.Faults) > 0 {
				t.Fatal(a.Faults, err)
			}
			if c.want != "" && (len(a.Faults) == 0 || !strings.Contains(a.Faults[0].String(), c.want)) {
				t.Fatalf("%v, expected %q", a.Faults, c.want)
			}
		})
	}
}

// TestStateRemoved: when the whole state folder goes while a session is going on, its next call says so, and it is a
// fault for good. Before that call the session has vanished.
func TestStateRemoved(t *testing.T) {
	st := witnessed(t)
	remove(t, st.Dir)
	if ids, err := st.Vanished(); err != nil || !slices.Equal(ids, []string{"s1"}) {
		t.Fatal(ids, err)
	}
	var reported []string
	st.Report = func(what string) { reported = append(reported, what) }
	st.must(t, note("x"), count)
	if all := strings.Join(reported, "\n"); !strings.Contains(all, "at least 5 records are lost") {
		t.Fatal(reported)
	}
	if len(st.Faults("s1")) != 1 {
		t.Fatal(st.Faults("s1"))
	}
	st.counts(t, 2)
	if len(st.Faults("s1")) != 1 {
		t.Fatal(st.Faults("s1"))
	}
	if a, _, err := st.Verify("s1"); err != nil || len(a.Faults) == 0 {
		t.Fatal(a.Faults, err)
	}
}

// TestClearedLeavesNoWitness: what a person cleared is not missed.
func TestClearedLeavesNoWitness(t *testing.T) {
	st := witnessed(t)
	if _, err := st.Clear("s1", time.Now(), Clearing{By: "me", Force: true}); err != nil {
		t.Fatal(err)
	}
	if ids, err := st.Vanished(); err != nil || len(ids) > 0 {
		t.Fatal(ids, err)
	}
	st.moves(t, "A").counts(t, 3)
	if a, _, err := st.Verify("s1"); err != nil || len(a.Faults) > 0 {
		t.Fatal(a.Faults, err)
	}
}

// TestDamageIsKept: of a line that was damaged afterwards the session knows for good; of one that a killed process did
// not finish it does not: nothing was lost.
func TestDamageIsKept(t *testing.T) {
	for name, c := range map[string]struct {
		do     func(*testing.T, Store)
		faults int
	}{
		"damaged": {func(t *testing.T, st Store) { spoil(t, st, 1) }, 1},
		"torn": {func(t *testing.T, st Store) {
			write(t, st.file("journal.jsonl"), read(t, st.file("journal.jsonl"))+`{"v":1,"n"`)
		}, 0},
	} {
		st := store(t).moves(t, "A", "B")
		st.counts(t, 1)
		c.do(t, st)
		st.counts(t, 2)
		if found := st.Faults("s1"); len(found) != c.faults {
			t.Errorf("%s: %q", name, found)
		}
	}
}
