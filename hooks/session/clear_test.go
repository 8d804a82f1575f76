package session

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

func sure(by string) Clearing { return Clearing{By: by, Backup: true} }

// TestClearKeepsABackup: the whole session is where it is said to be, and nothing of it
// where it was.
func TestClearKeepsABackup(t *testing.T) {
	st, now := store(t).moves(t, "A", "B"), time.Now()
	e := note("x")
	e.Kind = fsm.SessionEnd
	st.must(t, e, count)
	err := st.ChangeOverrides(Command{Time: now, What: "mode"}, func(o *Overrides) {
		o.SetMode(Mode{Session: "s1", Mode: fsm.Mode{Level: "observe"}})
		o.SetMode(Mode{Mode: fsm.Mode{Level: "ask"}})
		o.Bypasses = append(o.Bypasses,
			Bypass{Session: "s1", Since: now, Bypass: fsm.Bypass{ID: "1", Until: now.Add(time.Hour)}})
	})
	if err != nil {
		t.Fatal(err)
	}
	before := st.view(t)
	backup, err := st.Clear("s1", now, sure("somebody"))
	if err != nil || st.Has("s1") {
		t.Fatal(backup, err)
	}
	if items, err := st.List(); len(items) > 0 || err != nil {
		t.Error(items, err)
	}
	if err := os.Rename(backup, st.Path("s1")); err != nil {
		t.Fatal(err)
	}
	leads(t, st.view(t), through(before)...)
	if got := st.view(t).Context["found"]; got != "what was found in B" {
		t.Errorf("the captured text is %q", got)
	}
	if o, err := st.Overrides(); err != nil || len(o.Bypasses) > 0 || len(o.Modes) != 1 || o.Modes[0].Level != "ask" {
		t.Error(o, err)
	}
	log, err := os.ReadFile(filepath.Join(st.Dir, "orders.jsonl"))
	what, _ := json.Marshal("session clear, kept in " + backup)
	if err != nil || !strings.Contains(string(log), `"what":`+string(what)+`,"by":"somebody"`) {
		t.Error(string(log), err)
	}
}

// TestClearLeavesTheLiving: what may be going on, or is being written to, stays, unless
// it is forced; the lock is never.
func TestClearLeavesTheLiving(t *testing.T) {
	st, now := store(t).moves(t, "A"), time.Now()
	st.Wait = 0
	if _, err := st.Clear("s1", now, sure("me")); !errors.Is(err, ErrLive) || !st.Has("s1") {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(st.Dir, "orders.jsonl")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("what was not done is written down:", err)
	}
	if err := enqueue(st.Path("s1"), note("waits")); err != nil {
		t.Fatal(err)
	}
	if _, err := st.Clear("s1", now.Add(ActiveFor+time.Hour), sure("me")); !errors.Is(err, ErrLive) {
		t.Fatal("events wait:", err)
	}
	held(t, st, func() {
		if _, err := st.Clear("s1", now, Clearing{Force: true}); !errors.Is(err, ErrBusy) || !st.Has("s1") {
			t.Error(err)
		}
	})
	if backup, err := st.Clear("s1", now, Clearing{Force: true}); err != nil || backup != "" || st.Has("s1") {
		t.Fatal(backup, err)
	}
	if _, err := os.Stat(filepath.Join(st.Dir, "cleared")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("it was to be removed for good:", err)
	}
	for _, id := range []string{"s1", "../s1", ""} {
		if _, err := st.Clear(id, now, Clearing{Force: true}); err == nil {
			t.Errorf("%q was cleared", id)
		}
	}
}

// TestSize: a session's size is that of its files, in all its folders.
func TestSize(t *testing.T) {
	st := store(t)
	write(t, st.file("one"), "12345")
	write(t, st.file("context/two"), "123")
	if n := st.Size("s1"); n != 8 {
		t.Errorf("8 bytes are %d", n)
	}
}
