package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/agent-pipeline/pipeline/config"
)

// What goes wrong in pipeline itself is kept in the project's state folder, whether or not a session could be found.

// An ownError is a line of errors.jsonl.
type ownError struct {
	Time    time.Time `json:"time"`
	Event   string    `json:"event,omitempty"`
	Session string    `json:"session,omitempty"`
	Error   string    `json:"error"`
	Closed  bool      `json:"closed"` // on_error: deny
}

func (r *hookRun) logError(err error) {
	r.keep("errors.jsonl", ownError{time.Now(), r.event, r.id, err.Error(), r.closed()})
}

// logHousekeeping keeps what was packed and what was removed.
func (r *hookRun) logHousekeeping(notes []string) {
	for _, n := range notes {
		r.keep("housekeeping.jsonl", struct {
			Time time.Time `json:"time"`
			Note string    `json:"note"`
		}{time.Now(), n})
	}
}

// keep appends a line to a file of the project's state folder.
func (r *hookRun) keep(name string, v any) {
	line, _ := json.Marshal(v)
	path := filepath.Join(r.open.Project.Home, name)
	f, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(r.open.Project.Home, 0o700) == nil {
		f, err = os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	}
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		f.Close()
	}
	if err != nil {
		r.fail("and it could not be logged: " + err.Error())
	}
}

// firstTime reports whether a person has not been told of this cause in this session. When that cannot be known, or the
// session is not known, it is said again.
func (r *hookRun) firstTime(err error) bool {
	if r.id == "" {
		return true
	}
	first, keepErr := r.first(r.id + "\x00" + err.Error())
	return first || keepErr != nil
}

// first reports whether nothing was kept under a key yet, and keeps it.
func (r *hookRun) first(key string) (bool, error) {
	sum := sha256.Sum256([]byte(key))
	dir := filepath.Join(r.open.Project.Home, "said")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return false, fmt.Errorf("remember what was said: %w", err)
	}
	f, err := os.OpenFile(filepath.Join(dir, hex.EncodeToString(sum[:8])), os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("remember what was said: %w", err)
	}
	return true, f.Close()
}

// keepTrace writes where a crash happened; it must not fail in its turn.
func (r *hookRun) keepTrace(what string, stack []byte) {
	dir := filepath.Join(r.open.Project.Home, "crashes")
	if os.MkdirAll(dir, 0o700) != nil {
		return
	}
	name := time.Now().UTC().Format("20060102T150405.000000000") + ".txt"
	_ = os.WriteFile(filepath.Join(dir, name), append([]byte(what+"\n\n"), stack...), 0o600)
}

// oneLine is a problem where there is no room for its source line.
func oneLine(p config.Problem) string { return cut(p.String(), 300) }
