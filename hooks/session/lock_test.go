package session

import (
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"
)

// TestLockMoved: a process that waits for the lock of a folder that is cleared away meanwhile
// takes the lock of the new one, so that there is one writer.
func TestLockMoved(t *testing.T) {
	st := store(t)
	st.Wait = 10 * time.Second
	st.must(t, note("one"), count)
	unlock, err := lock(filepath.Join(st.Path("s1"), "lock"), 0)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- st.Update(note("two"), count) }()
	time.Sleep(100 * time.Millisecond) // it waits
	if err := os.Rename(st.Path("s1"), filepath.Join(st.Dir, "cleared")); err != nil {
		t.Fatal(err)
	}
	if err := appendAnchor(st.Dir, Anchor{Session: "s1", Time: time.Now(), Cleared: true}); err != nil {
		t.Fatal(err)
	}
	unlock()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	st.counted(t, 1)
}

// TestLockReplaced: a process waits for a lock file, in the place of which another comes meanwhile. Then it waits for
// that one, and holds the first no longer.
func TestLockReplaced(t *testing.T) {
	st := store(t)
	write(t, st.file("lock"), "")
	first, err := lock(st.file("lock"), 0)
	if err != nil {
		t.Fatal(err)
	}
	var isFree atomic.Bool
	done := make(chan error)
	go func() {
		unlock, err := lock(st.file("lock"), 10*time.Second)
		if err == nil {
			defer unlock()
			if !isFree.Load() {
				err = errors.New("two have the lock")
			}
		}
		var old func()
		if err == nil {
			if old, err = lock(st.file("old"), 0); err == nil {
				old()
			}
		}
		done <- err
	}()
	time.Sleep(100 * time.Millisecond) // it waits
	if err := os.Rename(st.file("lock"), st.file("old")); err != nil {
		t.Fatal(err)
	}
	second, err := lock(st.file("lock"), 0)
	if err != nil {
		t.Fatal(err)
	}
	first()
	time.Sleep(100 * time.Millisecond) // it has the first, and waits again
	isFree.Store(true)
	second()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestFolderLink: a session's folder that is a link is refused, and the event is
// applied all the same.
func TestFolderLink(t *testing.T) {
	st := store(t)
	st.must(t, note("one"), count)
	elsewhere := filepath.Join(st.Dir, "elsewhere")
	if err := os.Rename(st.Path("s1"), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, st.Path("s1")); err != nil {
		t.Fatal(err)
	}
	applied := false
	err := st.Update(note("two"), func(s session, e event) (Outcome, error) {
		applied = true
		return count(s, e)
	})
	fails(t, err, "is not a folder, but a link or a file: remove it")
	if !applied {
		t.Error("the event was not applied")
	}
}

// TestVanished: an anchored session without a folder has vanished, unless pipeline put it
// away itself.
func TestVanished(t *testing.T) {
	st := store(t)
	st.must(t, note("one"), count)
	if err := appendAnchor(st.Dir, Anchor{Session: "s1", Time: time.Now()}); err != nil {
		t.Fatal(err)
	}
	list := func(want int) {
		t.Helper()
		if ids, err := st.Vanished(); err != nil || len(ids) != want {
			t.Errorf("vanished: %q, %v; expected %d", ids, err, want)
		}
	}
	list(0)
	if err := os.RemoveAll(st.Path("s1")); err != nil {
		t.Fatal(err)
	}
	list(1)
	if err := st.Forget("s1", time.Now()); err != nil {
		t.Fatal(err)
	}
	list(0)
}
