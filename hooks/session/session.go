// Package session keeps sessions on disk: a folder each, with a lock, the journal, the captured texts and the published
// view. The journal is the truth; everything else can be made from it.
package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A Store is the folder that holds a project's sessions.
type Store struct {
	Dir  string        // sessions/ is made below it
	Wait time.Duration // how long to wait for a session's lock
}

// An Outcome is what an event comes to: the session after it, and what to keep of it.
type Outcome struct {
	Session fsm.Session
	Record  journal.Record
	Texts   []fsm.Text
	Publish bool // the view is to be written even if the machine has not moved
	Skip    bool // nothing is to be recorded
}

// Apply decides an event. It may be called more than once in an Update: first for events that had to wait.
type Apply func(s fsm.Session, e fsm.Event) (Outcome, error)

// Update takes the session's lock, brings events that had to wait up to date, applies e, and records it. When the lock
// cannot be had in time the event is put aside for the next holder, and the error is ErrBusy.
func (st Store) Update(e fsm.Event, apply Apply) error {
	dir, err := st.make(e.Session)
	if err != nil {
		return err
	}
	unlock, err := lock(filepath.Join(dir, "lock"), st.Wait)
	if errors.Is(err, ErrBusy) {
		return errors.Join(err, putAside(dir, e))
	}
	if err != nil {
		return err
	}
	defer unlock()
	return update(dir, e, apply)
}

func update(dir string, e fsm.Event, apply Apply) error {
	j, err := journal.Open(filepath.Join(dir, "journal.jsonl"))
	if err != nil {
		return err
	}
	defer j.Close()
	cur, said := recovered(dir, j)
	for _, late := range waiting(dir) {
		late.event.Notes = append(late.event.Notes, "it had to wait for the lock")
		if cur, err = one(dir, j, cur, late.event, apply, said); err != nil {
			return err
		}
		said = nil
		if err := os.Remove(late.path); err != nil {
			return fmt.Errorf("remove an event that was put aside: %w", err)
		}
	}
	_, err = one(dir, j, cur, e, apply, said)
	return err
}

// one applies an event: texts first, so that what the record refers to exists; then the record; then the view.
func one(dir string, j *journal.Journal, cur fsm.Session, e fsm.Event, apply Apply, said []string) (fsm.Session, error) {
	e.Notes = append(e.Notes, said...)
	out, err := apply(cur, e)
	if err != nil || out.Skip {
		return cur, err
	}
	for _, t := range out.Texts {
		if err := writeText(dir, t); err != nil {
			return cur, err
		}
	}
	moved := len(out.Record.Moves) > 0
	out.Record.State = out.Session
	if err := j.Append(&out.Record, moved); err != nil {
		return cur, err
	}
	if moved || out.Publish {
		if err := publish(dir, out.Record); err != nil {
			return cur, err
		}
	}
	return out.Session, nil
}

// recovered is the session as the journal has it; failing that as it was last published.
func recovered(dir string, j *journal.Journal) (fsm.Session, []string) {
	if last := j.Last(); last.Seq > 0 {
		return last.State, j.Said
	}
	view, err := readView(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) || !j.Empty() {
			return fsm.Session{}, append(j.Said, "nothing of the session could be recovered: it begins anew")
		}
		return fsm.Session{}, j.Said
	}
	return view.Session, append(j.Said, "the journal has no good record: the session was recovered from state.json")
}

// ErrName says that a session id cannot be a folder's name.
var ErrName = errors.New("not a session id")

// CheckID refuses what must not become a path: ids come from outside.
func CheckID(id string) error {
	if id == "" || len(id) > 128 || strings.Trim(id, ".") == "" {
		return fmt.Errorf("%w: %q", ErrName, shorten(id))
	}
	for _, r := range id {
		if !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r)) {
			return fmt.Errorf("%w: %q", ErrName, shorten(id))
		}
	}
	return nil
}

func shorten(s string) string {
	if len(s) > 60 {
		return s[:60] + "…"
	}
	return s
}

// Path is a session's folder.
func (st Store) Path(id string) string { return filepath.Join(st.Dir, "sessions", id) }

func (st Store) make(id string) (string, error) {
	if err := CheckID(id); err != nil {
		return "", err
	}
	dir := st.Path(id)
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("make the session's folder: %w", err)
	}
	return dir, ours(dir)
}
