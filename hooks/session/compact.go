package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
)

const (
	// anchorsLimit is how many bytes of anchors are kept without a look at which are needed:
	// some 1,600 lines, which take a few milliseconds to read.
	anchorsLimit = 256 << 10
	// anchorWait is how long an anchor waits for a compaction.
	anchorWait = time.Second

	headsLock = "heads.lock"
)

// compactAnchors drops the anchors that later ones replace, if there are more bytes of them
// than the limit and that saves half. Who appends an anchor holds the same lock. At every
// moment heads.jsonl is the old file or the new one: a process that is killed leaves at
// most a temporary file.
func (st Store) compactAnchors(now time.Time, limit int64) error {
	path := filepath.Join(st.Dir, headsName)
	if info, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() <= limit {
		return nil
	}
	unlock, err := lock(filepath.Join(st.Dir, headsLock), 0)
	if errors.Is(err, ErrBusy) {
		return nil
	}
	if err == nil {
		defer unlock()
		err = replaceAnchors(path, now)
	}
	if err != nil {
		return fmt.Errorf("compact %s: %w", headsName, err)
	}
	return nil
}

func replaceAnchors(path string, now time.Time) error {
	body, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	kept := selectAnchors(body, now.Add(-24*time.Hour))
	if len(kept) > len(body)/2 {
		return nil
	}
	// Of a process that could not wait for the lock a line may have come.
	if info, err := os.Stat(path); err != nil || info.Size() != int64(len(body)) {
		return err
	}
	return system.WriteFile(path, kept)
}

// selectAnchors drops the lines of heads.jsonl that nothing depends on. Of a session its faults stay, its last record,
// from which the chain of the journal leads to those before, and what is young, because the clock is compared with it.
// Nothing stays from before a session was put away.
func selectAnchors(body []byte, young time.Time) (kept []byte) {
	lines := bytes.SplitAfter(body, []byte("\n"))
	all := make([]Anchor, len(lines))
	newest := 0
	for i, line := range lines {
		if json.Unmarshal(line, &all[i]) != nil {
			all[i] = Anchor{} // a process was killed while it wrote
		}
		if all[i].Time.After(all[newest].Time) {
			newest = i
		}
	}
	hasLast, isPutAway := map[string]bool{}, map[string]bool{}
	for i, a := range slices.Backward(all) {
		isNeeded := i == newest || !a.Time.Before(young) && !isPutAway[a.Session]
		switch {
		case a.Session == "" || isPutAway[a.Session]:
		case a.Cleared:
			isPutAway[a.Session] = true
			isNeeded = isNeeded || a.Session == all[newest].Session
		case a.Fault != "":
			isNeeded = true
		default:
			isNeeded = isNeeded || !hasLast[a.Session]
			hasLast[a.Session] = true
		}
		if !isNeeded {
			lines[i] = nil
		}
	}
	return bytes.Join(lines, nil)
}
