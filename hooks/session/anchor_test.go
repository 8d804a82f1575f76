package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
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

// TestFirstCallIsWitnessed: the first call of all makes the witness's folder, and writes to it.
func TestFirstCallIsWitnessed(t *testing.T) {
	dir := t.TempDir()
	st := Store{Dir: filepath.Join(dir, "state"), Witness: filepath.Join(dir, "far", "witness"),
		Report: func(what string) { t.Error(what) }}
	st.counts(t, 1)
	for _, path := range st.headPaths("s1") {
		if h, ok := readHead(path); !ok || h != records(t, st, "s1")[0].Head() {
			t.Errorf("%s: %v, %v", path, h, ok)
		}
	}
}

// heads writes the two heads of s1 as they were at these records.
func (st Store) heads(t *testing.T, own, witness int64) {
	t.Helper()
	all := records(t, st, "s1")
	for i, seq := range []int64{own, witness} {
		if err := writeHead(st.headPaths("s1")[i], all[seq-1].Head()); err != nil {
			t.Fatal(err)
		}
	}
}

// cutTo leaves the first n lines of the journal of s1.
func (st Store) cutTo(t *testing.T, n int) {
	t.Helper()
	lines := strings.SplitAfter(read(t, st.file("journal.jsonl")), "\n")
	write(t, st.file("journal.jsonl"), strings.Join(lines[:n], ""))
}

// TestHeads: the next call finds that a journal lacks what either head has. A head that cannot be read shows nothing.
func TestHeads(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(t *testing.T, st Store)
		want string
	}{
		"both behind":      {func(t *testing.T, st Store) { st.heads(t, 3, 4) }, ""},
		"a witness behind": {func(t *testing.T, st Store) { st.heads(t, 5, 2); st.cutTo(t, 3) }, "ends at record 3"},
		"a head behind":    {func(t *testing.T, st Store) { st.heads(t, 2, 5); st.cutTo(t, 3) }, "ends at record 3"},
		"no number": {func(t *testing.T, st Store) {
			write(t, st.headPaths("s1")[1], strings.Repeat("9", 20)+" "+strings.Repeat("0", 32)+"\n")
		}, ""},
		"written again, with its head": {func(t *testing.T, st Store) {
			other := Store{Dir: t.TempDir()}.moves(t, "A", "Z").counts(t, 3)
			for _, file := range []string{"journal.jsonl", "head"} {
				write(t, st.file(file), read(t, other.file(file)))
			}
		}, "the journal was changed: record 5 is not the one that was written"},
	} {
		t.Run(name, func(t *testing.T) {
			st := witnessed(t)
			c.do(t, st)
			var said []string
			st.Report = func(what string) { said = append(said, what) }
			st.counts(t, 1)
			noted(t, said, c.want)
			if n := len(st.Faults("s1")); (n > 0) != (c.want != "") {
				t.Errorf("%d faults are kept", n)
			}
		})
	}
}

// TestGapIsKept: what follows a gap has the numbers behind it, so that the chain shows the gap for good, also to who
// has the journal alone. Its first record says that the session before it was not in the journal.
func TestGapIsKept(t *testing.T) {
	st := witnessed(t)
	st.cutTo(t, 3)
	st.counts(t, 2)
	a, err := journal.Verify(st.Path("s1"), journal.Head{})
	all := records(t, st, "s1")
	if err != nil || len(a.Faults) == 0 || len(all) != 5 || all[3].Seq != 6 || !all[3].Recovered || all[4].Recovered {
		t.Errorf("%v, %v, %+v", a.Faults, err, all)
	}
}

// TestSessionBehindAGap: of a journal that lacks records the newer session goes on: the published one, if it is newer.
// One that was changed is believed, and the fault is kept.
func TestSessionBehindAGap(t *testing.T) {
	for name, c := range map[string]struct {
		do    func(t *testing.T, st Store)
		state string
		count int
	}{
		"published behind the cut": {func(t *testing.T, st Store) { st.cutTo(t, 1) }, "B", 3},
		"published before the cut": {func(t *testing.T, st Store) { st.cutTo(t, 4) }, "B", 5},
		"and nothing published": {func(t *testing.T, st Store) {
			st.cutTo(t, 1)
			remove(t, st.file("state.json"))
		}, "A", 2},
		"changed where published": {func(t *testing.T, st Store) {
			other := store(t).moves(t, "A", "Z")
			write(t, st.file("journal.jsonl"), read(t, other.file("journal.jsonl")))
			st.heads(t, 2, 2)
			old := journal.Head{Seq: 2, Hash: st.published(t).Head.Hash}
			if err := writeHead(st.headPaths("s1")[1], old); err != nil {
				t.Fatal(err)
			}
		}, "Z", 3},
	} {
		t.Run(name, func(t *testing.T) {
			st := witnessed(t)
			c.do(t, st)
			st.counts(t, 1)
			s, err := st.Last("s1")
			if m := s.Machine; err != nil || m.State != c.state || m.Visit != c.count {
				t.Errorf("in %s after %d, %v; want %s after %d", m.State, m.Visit, err, c.state, c.count)
			}
			if len(st.Faults("s1")) == 0 {
				t.Error("no fault is kept")
			}
		})
	}
}

// TestAnchorInTheWay: what keeps an anchor from being read or written is reported, and stops no call.
func TestAnchorInTheWay(t *testing.T) {
	st := store(t)
	project, own := filepath.Join(st.Dir, headsName), st.file(headsName)
	for _, path := range []string{project, own} {
		write(t, path+"/x", "in the way")
	}
	write(t, st.file("journal.jsonl"), "damaged\n")
	var said []string
	st.Report = func(what string) { said = append(said, filepath.ToSlash(what)) }
	reports := func(n int, what, path string) {
		t.Helper()
		got := 0
		for _, line := range said {
			if strings.HasPrefix(line, what+filepath.ToSlash(path)) {
				got++
			}
		}
		if got != n {
			t.Errorf("%q of %s is reported %d times in %q, expected %d", what, path, got, said, n)
		}
	}
	const anchors = "anchor the journal in heads.jsonl: open "
	st.counts(t, 1)
	reports(1, "read ", project)
	reports(2, anchors, project) // of the fault, and of the record
	reports(1, anchors, own)
	said = nil
	st.must(t, note("x"), to("A"))
	reports(1, anchors, project)
	remove(t, project)
	remove(t, own)
	said = nil
	st.counts(t, 1)
	noted(t, said, "")
	if n := len(records(t, st, "s1")); n != 3 {
		t.Errorf("%d are recorded", n)
	}
}

// TestTwoAnchors: the first two records are anchored, and no later one that does not move. So what has three has an
// anchor, and what has two may have none: its process was killed.
func TestTwoAnchors(t *testing.T) {
	for n, want := range []int{0, 1, 2, 2, 2} {
		st := store(t).counts(t, n)
		if all, err := st.readAnchors("s1"); err != nil || len(all) != want {
			t.Errorf("%d records have %d anchors, %v; want %d", n, len(all), err, want)
		}
		if n == 0 {
			continue
		}
		remove(t, filepath.Join(st.Dir, headsName))
		if a, _, err := st.Verify("s1"); err != nil || len(a.Faults) > 0 != (n > 2) {
			t.Errorf("%d records without an anchor: %v, %v", n, a.Faults, err)
		}
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
