package session

import (
	"errors"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/config/system"
)

// makeAppendOnly makes the finished segments of a session's journal append-only. A journal
// that is being written must be repaired when its writer was killed.
func makeAppendOnly(dir string) error { return eachSegment(dir, true) }

// allowRemoval takes the flag away again, so that they can be removed.
func allowRemoval(dir string) error { return eachSegment(dir, false) }

func eachSegment(dir string, on bool) error {
	names, err := filepath.Glob(filepath.Join(dir, "journal.*.jsonl.gz"))
	for _, name := range names {
		err = errors.Join(err, system.SetAppendOnly(name, on))
	}
	return err
}
