package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Keep says how much is kept.
type Keep = fsm.Retention

// lively is how long a session that was not ended counts as going on.
const activeFor = 12 * time.Hour

// patience is how long Housekeep goes on before it leaves the rest to the next:
// somebody waits for it.
const housekeepingTime = 2 * time.Second

// Housekeep carries journals on that have grown too long, packs what was carried away,
// and removes sessions that are too old or too many. It touches no session whose lock
// is held, and removes none that may be going on or that has events waiting. What it
// did and what it could not do are the notes; an error is that the sessions cannot be
// listed.
func (st Store) Housekeep(now time.Time, keep Keep) (notes []string, err error) {
	items, err := st.List()
	if err != nil {
		return nil, err
	}
	began := time.Now()
	for i, item := range items {
		if time.Since(began) > housekeepingTime {
			return append(notes, "housekeeping took too long: the rest is for the next time"), nil
		}
		did := st.maintain
		if keep.Expires(i, item.Last, now) {
			did = st.removeExpired
		}
		note, err := did(item.ID, now, keep)
		if err != nil && !errors.Is(err, ErrBusy) {
			note = fmt.Sprintf("housekeeping of session %s: %v", item.ID, err)
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return append(notes, st.sweepOld(now, keep)...), nil
}

// maintain carries a journal on that is too long, and packs its segments.
func (st Store) maintain(id string, now time.Time, keep Keep) (note string, err error) {
	dir := st.Path(id)
	info, err := os.Stat(filepath.Join(dir, journal.Name))
	if errors.Is(err, fs.ErrNotExist) {
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
	err = journal.Compress(dir)
	if err == nil && keep.AppendOnly {
		err = makeAppendOnly(dir)
	}
	return note, err
}

// rotateJournal needs the lock for as long as it takes to write one line. A call that
// waits goes on with the new file.
func (st Store) rotateJournal(id string, now time.Time) (string, error) {
	dir := st.Path(id)
	unlock, err := lock(filepath.Join(dir, "lock"), 0)
	if err != nil {
		return "", err
	}
	defer unlock()
	if len(readSpool(dir)) > 0 { // whether one was played is told by the last record
		return "", nil
	}
	n, err := journal.Rotate(dir, now)
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("the journal of session %s had grown too long: it is carried on, and what was is segment %d",
		id, n), nil
}

// removeExpired removes a session for good.
func (st Store) removeExpired(id string, now time.Time, keep Keep) (string, error) {
	dir := st.Path(id)
	unlock, err := lock(filepath.Join(dir, "lock"), 0)
	if err != nil {
		return "", err
	}
	defer unlock()
	if !isOver(dir, now) {
		return "", nil
	}
	if keep.AppendOnly {
		if err := allowRemoval(dir); err != nil {
			return "", err
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return fmt.Sprintf("session %s was removed: see audit.keep and audit.max_age", id), nil
}

// isOver reports whether nothing can come of a session any more: it was ended, or not
// heard of for long, and nothing waits. It is asked under the lock, so that what is
// heard of it just now counts.
func isOver(dir string, now time.Time) bool {
	last, ok := lastWrite(dir)
	spool, err := os.ReadDir(filepath.Join(dir, "aside"))
	if !ok || len(spool) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if now.Sub(last) > activeFor {
		return true
	}
	r, err := journal.Tail(filepath.Join(dir, journal.Name))
	return err == nil && r.Ended()
}
