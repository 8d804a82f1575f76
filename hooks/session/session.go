// Package session keeps sessions on disk: a folder each, with a lock, the journal, the
// captured texts and the published view. The journal is the truth; everything else can
// be made from it.
package session

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A Store is the folder that holds a project's sessions.
type Store struct {
	Dir  string        // sessions/ is made below it
	Wait time.Duration // how long to wait for a session's lock

	// Witness is a folder outside of Dir that has a copy of each head: it shows that Dir was removed, or restored from
	// an older copy. None if empty.
	Witness string

	// Report takes what was found wrong during an Update; nil where no caller asks.
	Report func(what string)

	// Codec is what one call reads and writes records with, so that Update does not read
	// again what Last has read; nil for a new one each time.
	Codec *journal.Codec
}

func (st Store) codec() *journal.Codec { return cmp.Or(st.Codec, new(journal.Codec)) }

// An Outcome is what an event comes to: the session after it, and what to keep of it.
type Outcome struct {
	Session fsm.Session
	Record  *journal.Record
	Texts   []fsm.Text
	Publish bool // the view is to be written even if the machine has not moved
	Skip    bool // nothing is to be recorded
}

// Decide decides an event. It may be called more than once in an Update: first for
// events that had to wait.
type Decide func(s fsm.Session, e fsm.Event) (Outcome, error)

// A RecordError says that an event was decided, but that not all of it could be
// written. The decision stands.
type RecordError struct {
	Err    error
	Effect string // what became of the record
}

func (e *RecordError) Error() string { return e.Err.Error() }

func (e *RecordError) Unwrap() error { return e.Err }

// Update takes the session's lock, records the events that had to wait,
// decides e, and records it. Whatever fails, e is decided: without the lock or the journal to
// the session as last written. Then the event is spooled for the next holder, and the
// error is a RecordError; it is ErrBusy where the lock could not be had in time.
func (st Store) Update(e fsm.Event, decide Decide) error {
	if err := CheckID(e.Session); err != nil {
		return err
	}
	dir := st.Path(e.Session)
	unlock, err := st.lockSession(dir)
	if err != nil {
		return decideUnlocked(dir, e, decide, err)
	}
	defer unlock()
	codec := st.codec()
	j, err := codec.Open(dir)
	if err != nil {
		return decideUnlocked(dir, e, decide, err)
	}
	defer j.Close()
	h := &holder{home: st.Dir, dir: dir, j: j, codec: codec, decide: decide, report: st.Report,
		witness: st.witnessPath(e.Session)}
	h.openSession()
	for _, a := range readSpool(dir) {
		if err := h.recordSpooled(a); err != nil {
			return decideUnrecorded(dir, h.cur, e, decide, err)
		}
	}
	if err := h.recordEvent(e, ""); err != nil {
		return err
	}
	if len(h.failures) > 0 {
		return &RecordError{errors.Join(h.failures...), "the call was judged and recorded all the same"}
	}
	return nil
}

// lockSession makes the session's folder and takes its lock. The folder may be cleared
// away while the call waits: then it is made again.
func (st Store) lockSession(dir string) (unlock func(), err error) {
	for range 3 {
		err := checkOwner(dir)
		if unseen := (*fs.PathError)(nil); errors.As(err, &unseen) {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return nil, fmt.Errorf("make the session's folder: %w", err)
			}
			err = checkOwner(dir)
		}
		if err != nil {
			return nil, err
		}
		unlock, err = lock(filepath.Join(dir, "lock"), st.Wait)
		if !errors.Is(err, fs.ErrNotExist) {
			return unlock, err
		}
	}
	return nil, ErrBusy
}

// decideUnlocked decides an event to the session as last written. It comes after the
// events that wait already. Where nothing of the session can be read, it begins.
func decideUnlocked(dir string, e fsm.Event, decide Decide, cause error) error {
	last, err := journal.Tail(dir)
	cur := last.State
	if err != nil || last.Seq == 0 {
		if v, err := readView(dir); err == nil {
			cur = v.Session
		}
	}
	for _, a := range readSpool(dir) {
		if filepath.Base(a.path) == last.Spooled {
			continue
		}
		a.event.Late = true
		if out, err := decide(cur, a.event); err == nil && !out.Skip {
			cur = out.Session
		}
	}
	return decideUnrecorded(dir, cur, e, decide, cause)
}

// decideUnrecorded decides an event that cannot be recorded now.
func decideUnrecorded(dir string, cur fsm.Session, e fsm.Event, decide Decide, cause error) error {
	out, err := decide(cur, e)
	if err != nil {
		return errors.Join(cause, err)
	}
	if out.Skip {
		return nil
	}
	return queueUnrecorded(dir, e, out, cause)
}

// queueUnrecorded spools an event whose answer is known already.
func queueUnrecorded(dir string, e fsm.Event, out Outcome, cause error) error {
	if out.Record.Verdict == fsm.Deny.String() {
		e.Refused = out.Record.Reason
		if e.Refused == "" {
			e.Refused = "refused"
		}
	}
	if err := enqueue(dir, e); err != nil {
		return &RecordError{errors.Join(cause, err), "the call was judged all the same, and is not recorded"}
	}
	return &RecordError{cause, "the call was judged all the same; it is queued, and the next call records it"}
}

// A holder has the session's lock: the journal is open, and no other process writes to it.
type holder struct {
	home string // of the project
	dir  string
	j    *journal.Journal

	witness string // of the head; "" for none
	codec   *journal.Codec
	cur     fsm.Session
	notes   []string // what was found wrong, for the next record
	decide  Decide

	written   []fsm.Text // what the event has captured
	report    func(string)
	failures  []error // what could not be written beside the records
	recovered bool    // the session was not in the journal, and no record says so yet
}

// openSession reads the session and reports what is wrong with its journal. Of a journal
// that lacks records the published view may be the newer session.
func (h *holder) openSession() {
	h.cur, h.notes, h.recovered = recoverSession(h.dir, h.j)
	for _, what := range h.j.Repairs {
		if h.j.Damaged > 0 {
			h.addFault(what)
		} else {
			h.reportTrouble(what)
		}
	}
	seq := h.j.Last().Seq
	if h.checkAnchor() {
		h.repairView()
		return
	}
	h.recovered = true
	if v, err := readView(h.dir); err == nil && v.Head.Seq > seq {
		h.cur = v.Session
	}
}

// recordSpooled records an event from the spool, unless the process that recorded it was
// killed before it could remove the file. Its host was answered long before.
func (h *holder) recordSpooled(a spooledEvent) error {
	if name := filepath.Base(a.path); h.j.Last().Spooled != name {
		a.event.Late = true
		a.event.Notes = append(a.event.Notes, "it had to wait for the lock: "+name)
		if err := h.recordEvent(a.event, name); err != nil {
			return err
		}
	}
	if err := os.Remove(a.path); err != nil {
		return fmt.Errorf("remove a spooled event: %w", err)
	}
	return nil
}

// recordEvent decides an event and writes it: texts first, so that what the record refers to exists;
// then the record; then the view. A text or a view that cannot be written does not keep
// the record from being written.
func (h *holder) recordEvent(e fsm.Event, spooled string) error {
	noted := e
	noted.Notes = append(slices.Clone(e.Notes), h.notes...)
	out, err := h.decide(h.cur, noted)
	if err != nil || out.Skip {
		return err
	}
	h.written = nil
	for _, t := range out.Texts {
		if err := writeText(h.dir, t); err == nil {
			h.written = append(h.written, t)
		} else {
			h.failures = append(h.failures, err)
			out.Record.Notes = append(slices.Clone(out.Record.Notes), "a captured text is missing: "+err.Error())
			out.Record.Texts = slices.DeleteFunc(slices.Clone(out.Record.Texts),
				func(hash string) bool { return hash == t.Ref.Hash })
		}
	}
	moved := len(out.Record.Moves) > 0
	out.Record.State, out.Record.Spooled, out.Record.Recovered = out.Session, spooled, h.recovered
	if err := h.j.Append(out.Record, moved); err != nil {
		if h.j.Last().Seq != out.Record.Seq { // it is not in the file
			if spooled != "" {
				return err
			}
			return queueUnrecorded(h.dir, e, out, err)
		}
		h.failures = append(h.failures, err)
	}
	h.keepAnchor(out.Record, moved || out.Publish)
	h.cur, h.notes, h.recovered = out.Session, nil, false
	if moved || out.Publish {
		if err := h.publishView(out.Record); err != nil {
			h.failures = append(h.failures, err)
		}
	}
	return nil
}

// recoverSession is the session as the journal has it; failing that as it was last
// published, which is what isRecovered says.
func recoverSession(dir string, j *journal.Journal) (s fsm.Session, notes []string, isRecovered bool) {
	if last := j.Last(); last.Seq > 0 {
		return last.State, j.Repairs, false
	}
	view, err := readView(dir)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) || !j.Empty() {
			return s, append(j.Repairs, "nothing of the session could be recovered: it begins again"), true
		}
		return s, j.Repairs, false
	}
	return view.Session, append(j.Repairs, "the journal has no good record: the session was recovered from state.json"),
		true
}

// ErrName says that a session id cannot be a folder's name.
var ErrName = errors.New("not a session id")

// CheckID refuses what must not become a path: ids come from outside.
func CheckID(id string) error {
	isForeign := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r))
	}
	if id == "" || len(id) > 128 || strings.Trim(id, ".") == "" || strings.ContainsFunc(id, isForeign) {
		if len(id) > 60 {
			id = id[:60] + "…"
		}
		return fmt.Errorf("%w: %q", ErrName, id)
	}
	return nil
}

// Path is a session's folder.
func (st Store) Path(id string) string { return filepath.Join(st.Dir, "sessions", id) }
