package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// ActiveFor is how long a session that was not ended counts as going on.
const ActiveFor = 12 * time.Hour

// housekeepingTime is how long Housekeep goes on before it leaves the rest to the next:
// somebody waits for it.
const housekeepingTime = 2 * time.Second

// Housekeep carries journals on that have grown too long, packs what was carried away,
// and puts away sessions that are too old or too many. It touches no session whose lock
// is held, and moves none that may be going on or that has events waiting. It moves
// nothing while the clock cannot be trusted. What it did and what it could not do are
// the notes; an error is that the sessions cannot be listed.
func (st Store) Housekeep(now time.Time, keep fsm.Retention) (notes []string, err error) {
	items, err := st.List()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	clock, err := st.readClock(now)
	if err != nil {
		return nil, err
	}
	for i := range items { // a file that is older than the session's last anchor does not count
		items[i].Last = latest(items[i].Last, clock.heard[items[i].ID])
	}
	slices.SortStableFunc(items, func(a, b Item) int { return b.Last.Compare(a.Last) }) // the newest first
	for i, item := range items {
		if time.Since(began) > housekeepingTime {
			return append(notes, "housekeeping took too long: the rest is for the next time"), nil
		}
		note, err := "", ErrLive // it is kept, unless it can be retired
		if clock.fault == "" && keep.Expires(i, item.Last, now) {
			note, err = st.retire(item.ID, now, clock.heard[item.ID])
		}
		if errors.Is(err, ErrLive) {
			note, err = st.maintain(item.ID, now, keep)
		}
		switch {
		case errors.Is(err, ErrBusy) || errors.Is(err, ErrLive):
		case err != nil:
			notes = append(notes, fmt.Sprintf("housekeeping of session %s: %v", item.ID, err))
		case note != "":
			notes = append(notes, note)
		}
	}
	for _, pattern := range []string{".", "earlier", "crashes", "export/*"} {
		sweepTemporary(st.Dir, pattern, now)
	}
	if clock.fault != "" {
		if keep.Sessions > 0 || keep.MaxAge > 0 {
			notes = append(notes, clock.fault)
		}
		return notes, nil
	}
	if err := st.compactAnchors(now, anchorsLimit); err != nil {
		notes = append(notes, err.Error())
	}
	return append(notes, st.sweepOld(now, keep)...), nil
}

// maintain carries a journal on that is too long, and packs its segments.
func (st Store) maintain(id string, now time.Time, keep fsm.Retention) (note string, err error) {
	dir := st.Path(id)
	for _, pattern := range []string{".", spoolName, "context", "backup/*"} {
		sweepTemporary(dir, pattern, now)
	}
	info, err := os.Stat(dir + "/" + journal.Name)
	if system.IsMissing(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if keep.MaxSize > 0 && info.Size() > keep.MaxSize {
		if note, err = st.rotateJournal(id, now); err != nil {
			return "", err
		}
	}
	return note, journal.Compress(dir)
}

// rotateJournal needs the lock for as long as it takes to write one line. A call that
// waits goes on with the new file.
func (st Store) rotateJournal(id string, now time.Time) (string, error) {
	dir := st.Path(id)
	unlock, err := lock(dir+"/lock", 0)
	if err != nil {
		return "", err
	}
	defer unlock()
	if len(readSpool(dir)) > 0 { // the last record tells which was recorded
		return "", nil
	}
	n, err := journal.Rotate(dir, now)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the journal of session %s had grown too long: "+
		"it begins again, and segment %d keeps what it had", id, n), nil
}

// retire moves a session to the folder cleared, where it stays for another max_age.
func (st Store) retire(id string, now, heard time.Time) (string, error) {
	st.Wait = 0
	err := st.putAway(id, now, st.clearedPath(id, now), func() error {
		if !isOver(st.Path(id), now, heard) {
			return ErrLive
		}
		return nil
	})
	return fmt.Sprintf("session %s was moved to cleared: see audit.keep and audit.max_age", id), err
}

// A clock says when sessions were last anchored, and whether the time can be trusted.
type clock struct {
	heard map[string]time.Time
	fault string // why it cannot
}

// readClock compares the time with the anchors. Those of the last hour may be those of a
// clock that has just jumped.
func (st Store) readClock(now time.Time) (clock, error) {
	c := clock{heard: map[string]time.Time{}}
	all, err := st.readAnchors("")
	var newest, before time.Time // of all, and of those that are older than an hour
	for _, a := range all {
		c.heard[a.Session] = latest(c.heard[a.Session], a.Time)
		newest = latest(newest, a.Time)
		if now.Sub(a.Time) > time.Hour {
			before = latest(before, a.Time)
		}
	}
	switch {
	case newest.After(now.Add(time.Minute)):
		c.fault = "the clock is behind the last anchored call: no session was moved to cleared"
	case !before.IsZero() && now.Sub(before) > 24*time.Hour:
		c.fault = "the clock is more than a day ahead of the last anchored call: " +
			"no session is moved to cleared for an hour"
	}
	return c, err
}

func latest(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// isOver reports whether nothing can come of a session any more: it was ended, or not
// heard of for long, and nothing waits. It is asked under the lock, so that what is
// heard of it just now counts. Heard is its last anchor's time.
func isOver(dir string, now, heard time.Time) bool {
	last, ok := lastWrite(dir)
	last = latest(last, heard)
	spool, err := os.ReadDir(dir + "/" + spoolName)
	if !ok || len(spool) > 0 || err != nil && !system.IsMissing(err) {
		return false
	}
	if now.Sub(last) > ActiveFor {
		return true
	}
	r, err := journal.Tail(dir)
	return err == nil && r.Ended()
}

// sweepOld removes what lies beside the sessions and is older than they may become:
// backups of those that were cleared, the marks of what a person was told, traces of
// crashes.
func (st Store) sweepOld(now time.Time, keep fsm.Retention) (notes []string) {
	if keep.MaxAge <= 0 {
		return nil
	}
	for _, name := range []string{"cleared", "said", "crashes", st.Witness} {
		dir := st.Dir + "/" + name
		if name == st.Witness {
			dir = name
		}
		entries, err := os.ReadDir(dir)
		if system.IsMissing(err) {
			continue
		}
		n := 0
		for _, e := range entries {
			info, infoErr := e.Info()
			if infoErr != nil || !info.ModTime().Before(now.Add(-keep.MaxAge)) {
				continue // gone meanwhile, or young
			}
			if rm := os.RemoveAll(dir + "/" + e.Name()); rm != nil {
				err = errors.Join(err, rm)
			} else {
				n++
			}
		}
		if err != nil {
			notes = append(notes, fmt.Sprintf("housekeeping of %s: %v", name, err))
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%d of %s were removed: see audit.max_age", n, name))
		}
	}
	return notes
}

// sweepTemporary removes files that killed processes have left behind in folders below one: those that a process
// writes beside a file before it replaces it. It takes milliseconds to do so: after a minute no process is at it.
func sweepTemporary(dir, folders string, now time.Time) {
	for _, path := range system.Glob(dir, folders+"/*[0-9]") {
		base := strings.TrimRight(filepath.Base(path), "0123456789") // state.json123, journal.1.jsonl.gz123, root123
		isTemporary := base == "root" ||
			slices.Contains([]string{".json", ".jsonl", ".gz", ".md", ".tsv", ".txt"}, filepath.Ext(base))
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || !isTemporary {
			continue
		}
		if now.Sub(info.ModTime()) > time.Minute {
			_ = os.Remove(path) // else the next time
		}
	}
}

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
	unlock, err := lock(dir+"/lock", st.Wait)
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
		if rm := os.Remove(path); !system.IsMissing(rm) {
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
	return st.Dir + "/cleared/" + id + "-" + now.UTC().Format("20060102T150405.000000000Z")
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
