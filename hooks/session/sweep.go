package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// sweepOld removes what lies beside the sessions and is older than they may become:
// backups of those that were cleared, the marks of what a person was told, traces of
// crashes.
func (st Store) sweepOld(now time.Time, keep Keep) (notes []string) {
	if keep.MaxAge <= 0 {
		return nil
	}
	for _, name := range []string{"cleared", "said", "crashes"} {
		n, err := removeOlder(filepath.Join(st.Dir, name), now.Add(-keep.MaxAge))
		if err != nil {
			notes = append(notes, fmt.Sprintf("housekeeping of %s: %v", name, err))
		}
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%d of %s were removed: see audit.max_age", n, name))
		}
	}
	return notes
}

// removeOlder removes the entries of a folder that were last changed before a time.
func removeOlder(dir string, than time.Time) (n int, err error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	for _, e := range entries {
		info, infoErr := e.Info()
		if infoErr != nil || !info.ModTime().Before(than) {
			continue // gone meanwhile, or young
		}
		if rm := os.RemoveAll(filepath.Join(dir, e.Name())); rm != nil {
			err = errors.Join(err, rm)
			continue
		}
		n++
	}
	return n, err
}
