package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

// selectAnchors drops the lines of heads.jsonl that nothing depends on: those of sessions
// that were put away since, and of a session without a fault all but its last record. The
// chain of the journal leads from there to the records before. What is young stays, because
// the clock is compared with it.
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
	sessions := surveySessions(all)
	for i, a := range all {
		s := sessions[a.Session]
		isNeeded := i == newest || !a.Time.Before(young)
		switch {
		case a.Session == "":
			continue
		case a.Cleared:
			isNeeded = isNeeded || s.isKept // so that those before it stay put away
		case i >= s.begin:
			isNeeded = isNeeded || s.hasFault || i == s.last
		}
		if isNeeded {
			kept = append(kept, lines[i]...)
			s.isKept = true
		}
	}
	return kept
}

// An anchoredSession is what the lines of a session come to.
type anchoredSession struct {
	begin    int // the line after the one by which it was put away
	last     int // the line of its last record since then
	hasFault bool
	isKept   bool
}

func surveySessions(all []Anchor) map[string]*anchoredSession {
	sessions := map[string]*anchoredSession{}
	for i, a := range all {
		s := sessions[a.Session]
		if s == nil || a.Cleared {
			s = &anchoredSession{last: -1}
			sessions[a.Session] = s
		}
		if a.Cleared {
			s.begin = i + 1
			continue
		}
		if s.last < 0 || a.Seq >= all[s.last].Seq {
			s.last = i
		}
		s.hasFault = s.hasFault || a.Fault != ""
	}
	return sessions
}
