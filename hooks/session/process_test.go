package session

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestManyProcesses: 64 processes at once on one session.
func TestManyProcesses(t *testing.T) {
	const n = 64
	st := store(t)
	in, begin := pipe(t)
	var children []child
	for i := range n {
		children = append(children, start(t, st, "few", fmt.Sprint("child ", i), in))
	}
	begin()
	for _, c := range children {
		c.ends(t)
	}
	st.counted(t, n*perChild)
	seen := map[string]int{}
	for _, r := range records(t, st, "s1") {
		seen[r.Notes[0]]++
	}
	for i := range n {
		for k := range perChild {
			if name := fmt.Sprint("child ", i, ".", k); seen[name] != 1 {
				t.Errorf("%s is recorded %d times", name, seen[name])
			}
		}
	}
}

// kills is how often a writer is killed.
const kills = 120

// TestKill kills a writer at any moment: the journal opens, at most the call under way
// is lost, and state.json can be read and is brought up to date by the next call.
func TestKill(t *testing.T) {
	st := store(t)
	st.must(t, note("first"), to("0"))
	cut, random := 0, rand.New(rand.NewPCG(9, 12))
	for range kills {
		said := killed(t, st, random)
		before := st.published(t)
		v := st.view(t)
		if v.Session.Machine.Visit < said || v.Session.Machine.Visit > said+1 {
			t.Fatalf("%d updates were answered, %d are recorded", said, v.Session.Machine.Visit)
		}
		if before.Session.Machine.Visit < said || before.Session.Machine.Moves != len(before.History) {
			t.Fatalf("state.json is of update %d, after %d; its history has %d of %d", before.Session.Machine.Visit,
				said, len(before.History), before.Session.Machine.Moves)
		}
		next(t, st, v)
		cut += len(records(t, st, "s1")[v.Session.Machine.Visit].Notes) - 1
	}
	st.counted(t, st.view(t).Session.Machine.Visit)
	t.Logf("%d updates, %d lines cut off or ended", st.view(t).Session.Machine.Visit, cut)
}

// killed runs a writer, kills it, and returns the last count that it had said.
func killed(t *testing.T, st Store, random *rand.Rand) (said int) {
	t.Helper()
	c := start(t, st, "endless", "endless", nil)
	if !c.out.Scan() {
		t.Fatal("the child said nothing")
	}
	time.AfterFunc(time.Duration(random.Int64N(int64(8*time.Millisecond))), func() { _ = c.Process.Kill() })
	for ok := true; ok; ok = c.out.Scan() {
		n, err := strconv.Atoi(c.out.Text())
		if err != nil {
			break // cut off by the kill
		}
		said = n
	}
	_ = c.Wait()
	return said
}

// next makes an update that moves nothing, after which state.json must be as the
// journal was.
func next(t *testing.T, st Store, v View) {
	t.Helper()
	st.must(t, note("after the kill"), count)
	got := st.published(t)
	if got.Session.Machine.Moves != v.Session.Machine.Moves || !slices.Equal(through(got), through(v)) ||
		got.Context["found"] == "" {
		t.Fatalf("state.json has %d moves %q, the journal %d %q", got.Session.Machine.Moves, through(got),
			v.Session.Machine.Moves, through(v))
	}
}

// TestViewWhileWriting: writers never hinder a reader.
func TestViewWhileWriting(t *testing.T) {
	st := store(t)
	st.must(t, note("first"), to("0"))
	for range 2 {
		c := start(t, st, "endless", "endless", nil)
		go func() {
			for c.out.Scan() { // the pipe must not fill
			}
		}()
	}
	last, began := 0, time.Now()
	for time.Since(began) < time.Second || last < 10 && time.Since(began) < time.Minute {
		v := st.view(t)
		if v.Session.Machine.Visit < last || len(v.History) != v.Session.Machine.Moves ||
			v.Context["found"] != "what was found in "+v.State {
			t.Fatalf("after %d: %d with %d of %d moves, in %s: %q", last, v.Session.Machine.Visit, len(v.History),
				v.Session.Machine.Moves, v.State, v.Context)
		}
		noted(t, v.Notes, "")
		last = v.Session.Machine.Visit
		if items, err := st.List(); err != nil || len(items) != 1 {
			t.Fatal(items, err)
		}
	}
	if last < 10 {
		t.Errorf("only %d updates were seen in a minute", last)
	}
}

// TestKillLeavesNoLock: the lock goes with its holder.
func TestKillLeavesNoLock(t *testing.T) {
	st := store(t)
	in, _ := pipe(t)
	c := start(t, st, "hold", "s1", in)
	c.out.Scan()
	_ = c.Process.Kill()
	_ = c.Wait()
	st.Wait = 0
	st.must(t, note("after"), count)
	if names, _ := filepath.Glob(st.file("aside/*")); len(names) > 0 {
		t.Error(names)
	}
	if _, err := os.Stat(st.file("lock")); err != nil {
		t.Error(err)
	}
}
