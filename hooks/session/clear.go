package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
)

// ErrLive says that a session is not to be removed: it may be going on, or events of it
// wait to be recorded.
var ErrLive = errors.New("the session may be going on")

// A Clearing says who removes a session, and how.
type Clearing struct {
	By     string
	Backup bool // its folder is kept elsewhere, with all that is in it
	Force  bool // even if it may be going on
}

// Clear removes a session, and what persons have ordered for it alone. Who has done so
// is a line of orders.jsonl, which is written first. It returns where the backup lies.
// A session that may be going on is left alone, which is ErrLive; one whose lock cannot
// be had in time as well, which is ErrBusy.
func (st Store) Clear(id string, now time.Time, how Clearing) (backup string, err error) {
	if err := CheckID(id); err != nil {
		return "", err
	}
	if _, ok := lastWrite(st.Path(id)); !ok {
		return "", fmt.Errorf("clear session %s: %w", id, fs.ErrNotExist)
	}
	what := "session clear"
	if how.Backup {
		backup = st.clearedPath(id, now)
		what += ", kept in " + backup
	}
	err = st.putAway(id, now, backup, func() error {
		clock, err := st.readClock(now)
		if err != nil {
			return err
		}
		if !how.Force && !isOver(st.Path(id), now, clock.heard[id]) {
			return ErrLive
		}
		return st.ChangeOverrides(Command{Time: now, Session: id, What: what, By: how.By}, func(o *Overrides) {
			o.Modes = slices.DeleteFunc(o.Modes, func(m Mode) bool { return m.Session == id })
			o.Bypasses = slices.DeleteFunc(o.Bypasses, func(l Bypass) bool { return l.Session == id })
		})
	})
	if err != nil {
		return "", fmt.Errorf("clear session %s: %w", id, err)
	}
	return backup, nil
}

// putAway moves a session's folder, or removes it where it has no place to go, if prepare
// agrees under the session's lock.
func (st Store) putAway(id string, now time.Time, backup string, prepare func() error) error {
	dir := st.Path(id)
	unlock, err := lock(system.Join(dir, "lock"), st.Wait)
	if err != nil {
		return err
	}
	unlock = sync.OnceFunc(unlock)
	defer unlock()
	if err := prepare(); err != nil {
		return err
	}
	if system.HoldsFolders {
		unlock()
	}
	if backup == "" {
		err = os.RemoveAll(dir)
	} else if err = os.MkdirAll(system.Dir(backup), 0o700); err == nil {
		if err = system.Replace(dir, backup); err == nil {
			err = os.Chtimes(backup, now, now) // it is kept for another max_age from now on
		}
	}
	if err != nil {
		return err
	}
	return st.anchorCleared(id, now)
}

// anchorCleared notes that pipeline put a session away: it is not missed.
func (st Store) anchorCleared(id string, now time.Time) error {
	err := appendAnchor(st.Dir, Anchor{Session: id, Time: now.UTC(), Cleared: true})
	for _, path := range st.headPaths(id) {
		if rm := os.Remove(path); !errors.Is(rm, fs.ErrNotExist) {
			err = errors.Join(err, rm)
		}
	}
	return err
}

// Forget removes a session that was made to try the hooks, and notes that pipeline did so.
func (st Store) Forget(id string, now time.Time) error {
	if err := CheckID(id); err != nil {
		return err
	}
	anchors, err := st.readAnchors(id)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(st.Path(id)); err != nil {
		return fmt.Errorf("forget session %s: %w", id, err)
	}
	if len(anchors) == 0 {
		return nil
	}
	return st.anchorCleared(id, now)
}

func (st Store) clearedPath(id string, now time.Time) string {
	return system.Join(st.Dir, "cleared", id+"-"+now.UTC().Format("20060102T150405.000000000Z"))
}

// Size is how many bytes a session's folder holds.
func (st Store) Size(id string) (n int64) {
	_ = system.WalkDir(st.Path(id), func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return nil // what cannot be seen is not counted
		}
		if info, err := d.Info(); err == nil {
			n += info.Size()
		}
		return nil
	})
	return n
}
