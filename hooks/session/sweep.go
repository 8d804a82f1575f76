package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system/filepath"

	"github.com/agent-pipeline/pipeline/fsm"
)

// sweepOld removes what lies beside the sessions and is older than they may become:
// backups of those that were cleared, the marks of what a person was told, traces of
// crashes.
func (st Store) sweepOld(now time.Time, keep fsm.Retention) (notes []string) {
	if keep.MaxAge <= 0 {
		return nil
	}
	for _, name := range []string{"cleared", "said", "crashes", st.Witness} {
		dir := filepath.Join(st.Dir, name)
		if name == st.Witness {
			dir = name
		}
		n, err := removeOlder(dir, now.Add(-keep.MaxAge))
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

// sweepTemporary removes files that killed processes have left behind in folders below one: those that a process
// writes beside a file before it replaces it. It takes milliseconds to do so: after a minute no process is at it.
func sweepTemporary(dir, folders string, now time.Time) {
	for _, path := range filepath.Glob(dir, folders+"/*[0-9]") {
		info, err := os.Lstat(path)
		if err != nil || !info.Mode().IsRegular() || !isTemporary(filepath.Base(path)) {
			continue
		}
		if now.Sub(info.ModTime()) > time.Minute {
			_ = os.Remove(path) // else the next time
		}
	}
}

// isTemporary knows the names: state.json123, heads.jsonl123, journal.1.jsonl.gz123, root123.
func isTemporary(name string) bool {
	base := strings.TrimRight(name, "0123456789")
	return base != name && (base == "root" ||
		slices.Contains([]string{".json", ".jsonl", ".gz", ".md", ".tsv", ".txt"}, filepath.Ext(base)))
}
