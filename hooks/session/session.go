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

	"github.com/agent-pipeline/pipeline/config/system"
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
	st.Codec = cmp.Or(st.Codec, new(journal.Codec))
	dir := st.Path(e.Session)
	unlock, err := st.lockSession(dir)
	if err != nil {
		return st.decideUnlocked(dir, e, decide, err)
	}
	defer unlock()
	j, err := st.Codec.Open(dir)
	if err != nil {
		return st.decideUnlocked(dir, e, decide, err)
	}
	defer j.Close()
	h := &holder{Store: st, dir: dir, j: j, decide: decide}
	h.openSession()
	for _, a := range readSpool(dir) {
		// Who recorded an event may have been killed before the file was removed. The host was answered long before.
		if name := filepath.Base(a.path); j.Last.Spooled != name {
			a.event.Late = true
			a.event.Notes = append(a.event.Notes, "it had to wait for the lock: "+name)
			err = h.recordEvent(a.event, name)
		}
		if err == nil {
			err = os.Remove(a.path)
		}
		if err != nil {
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
		unlock, err = lock(dir+"/lock", st.Wait)
		if !system.IsMissing(err) {
			return unlock, err
		}
	}
	return nil, ErrBusy
}

// decideUnlocked decides an event to the session as last written. It comes after the
// events that wait already. Where nothing of the session can be read, it begins.
func (st Store) decideUnlocked(dir string, e fsm.Event, decide Decide, cause error) error {
	last, err := journal.Tail(dir)
	cur := last.State
	if err != nil || last.Seq == 0 {
		if v, err := st.readView(dir); err == nil {
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
		e.Refused = cmp.Or(out.Record.Reason, "refused")
	}
	if err := enqueue(dir, e); err != nil {
		return &RecordError{errors.Join(cause, err), "the call was judged all the same, and is not recorded"}
	}
	return &RecordError{cause, "the call was judged all the same; it is queued, and the next call records it"}
}

// A holder has the session's lock: the journal is open, and no other process writes to it.
type holder struct {
	Store
	dir       string
	j         *journal.Journal
	decide    Decide
	cur       fsm.Session
	notes     []string // what was found wrong, for the next record
	failures  []error  // what could not be written beside the records
	recovered bool     // the session was not in the journal, and no record says so yet
}

// openSession takes the session as the journal has it, failing that as it was last published, and reports what is
// wrong with its journal. Of a journal that lacks records the published view may be the newer session. A view that is
// missing, or that the last call was killed before it could write, is written.
func (h *holder) openSession() {
	last := h.j.Last
	h.cur, h.notes = last.State, h.j.Repairs
	if last.Seq == 0 {
		v, err := h.readView(h.dir)
		switch {
		case err == nil:
			h.cur, h.recovered = v.Session, true
			h.notes = append(h.notes, "the journal has no good record: the session was recovered from state.json")
		case !system.IsMissing(err) || !h.j.Empty():
			h.recovered = true
			h.notes = append(h.notes, "nothing of the session could be recovered: it begins again")
		}
	}
	for _, what := range h.j.Repairs {
		if h.j.Damaged > 0 {
			h.addFault(what)
		} else {
			h.reportTrouble(what)
		}
	}
	if !h.checkAnchor() {
		h.recovered = true
		if v, err := h.readView(h.dir); err == nil && v.Head.Seq > last.Seq {
			h.cur = v.Session
		}
		return
	}
	isPublished := last.Seq == 0
	if len(last.Moves) == 0 {
		_, err := os.Lstat(h.dir + "/" + viewName)
		isPublished = isPublished || !system.IsMissing(err)
	} else if v, err := h.readView(h.dir); err == nil {
		isPublished = isPublished || v.Head.Hash == last.Hash
	}
	if !isPublished {
		if err := h.publishView(last); err != nil { // the journal has it all
			h.notes = append(h.notes, err.Error())
		}
	}
}

// recordEvent decides an event and writes it: texts first, so that what the record refers to exists;
// then the record; then the view. A text or a view that cannot be written does not keep
// the record from being written. A note is written on behalf of an event without a kind.
func (h *holder) recordEvent(e fsm.Event, spooled string) error {
	noted := e
	noted.Notes = append(slices.Clone(e.Notes), h.notes...)
	out, err := h.decide(h.cur, noted)
	if err != nil || out.Skip {
		return err
	}
	for _, t := range out.Texts {
		if err := writeText(h.dir, t); err != nil {
			h.failures = append(h.failures, err)
			out.Record.Notes = append(slices.Clone(out.Record.Notes), "a captured text is missing: "+err.Error())
			out.Record.Texts = slices.DeleteFunc(slices.Clone(out.Record.Texts),
				func(hash string) bool { return hash == t.Ref.Hash })
		}
	}
	moved, isNote := len(out.Record.Moves) > 0, e.Kind == ""
	out.Record.State, out.Record.Spooled, out.Record.Recovered = out.Session, spooled, h.recovered
	if err := h.j.Append(out.Record, moved || isNote); err != nil {
		if h.j.Last.Seq != out.Record.Seq { // it is not in the file
			if isNote || spooled != "" {
				return err
			}
			return queueUnrecorded(h.dir, e, out, err)
		}
		h.failures = append(h.failures, err)
	}
	// A process can be killed before it anchors the first record: so two are.
	isAnchored := moved || out.Publish || out.Record.Seq <= 2 || h.recovered
	id, head := filepath.Base(h.dir), out.Record.Head()
	for _, path := range h.headPaths(id) {
		err = errors.Join(err, writeHead(path, head))
	}
	if isAnchored {
		err = errors.Join(err, appendAnchor(h.Dir, Anchor{Session: id, Head: head, Time: out.Record.Event.Time}))
	}
	if err != nil {
		h.reportTrouble(err.Error())
	}
	h.cur, h.notes, h.recovered = out.Session, nil, false
	if moved || out.Publish {
		if err := h.publishView(out.Record); err != nil {
			h.failures = append(h.failures, err)
		}
	}
	return nil
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
func (st Store) Path(id string) string { return st.Dir + "/sessions/" + id }

// A spooledEvent could not wait for the lock any longer. It is a file of its own, which the
// next holder records.
type spooledEvent struct {
	path  string
	event fsm.Event
}

// spoolName is the folder of the spool, as every version calls it.
const spoolName = "aside"

func enqueue(dir string, e fsm.Event) error {
	spool := dir + "/" + spoolName
	err := os.MkdirAll(spool, 0o700)
	if err == nil {
		err = checkOwner(dir)
	}
	if err == nil {
		name := fmt.Sprintf("%d-%d.json", time.Now().UnixNano(), os.Getpid())
		err = system.WriteFile(spool+"/"+name, journal.Encode(&e))
	}
	return explain("spool an event", err)
}

// readSpool lists the spooled events in the order in which they happened: some wait
// longer than others before they give up. One that cannot be read is left where it is.
func readSpool(dir string) (out []spooledEvent) {
	entries, _ := os.ReadDir(dir + "/" + spoolName) // nearly always there is none
	for _, entry := range entries {
		name := dir + "/" + spoolName + "/" + entry.Name()
		body, err := os.ReadFile(name)
		if err != nil || filepath.Ext(name) != ".json" {
			continue
		}
		var e fsm.Event
		if journal.Decode(body, &e) == nil && e.Session == filepath.Base(dir) {
			out = append(out, spooledEvent{name, e})
		}
	}
	slices.SortStableFunc(out, func(a, b spooledEvent) int { return a.event.Time.Compare(b.event.Time) })
	return out
}

// Waiting are a session's events that wait in the spool, in the order in which they
// happened.
func (st Store) Waiting(id string) (out []fsm.Event) {
	for _, a := range readSpool(st.Path(id)) {
		out = append(out, a.event)
	}
	return out
}

// ErrBusy says that the session's lock could not be had in time.
var ErrBusy = errors.New("the session's lock is held by another call")

// lock takes a file lock, waiting at most so long. The lock goes with the process,
// however it ends.
//
// The file may be replaced or moved while we wait, as `session clear` does. Then what we
// have locked is not what the next call locks, and we begin again.
func lock(path string, wait time.Duration) (unlock func(), err error) {
	deadline := time.Now().Add(wait)
	for {
		f, err := system.Open(path, os.O_RDWR|os.O_CREATE|system.NoFollow)
		if err != nil {
			return nil, fmt.Errorf("open the session's lock: %w", &os.PathError{Op: "open", Path: path, Err: err})
		}
		unlock = func() { _ = f.Close() } // which gives the lock back
		left := time.Until(deadline)
		if err = f.TryLock(); err != nil && left <= 0 {
			unlock()
			return nil, ErrBusy
		} else if err != nil {
			if err = waitForLock(f, left); err != nil {
				return nil, err
			}
		}
		open, openErr := f.Stat()
		named, namedErr := system.Lstat(path) // where that cannot be asked, it is the same file
		if openErr != nil || namedErr == nil && open.IsSame(named) ||
			namedErr != nil && !system.IsMissing(namedErr) {
			return unlock, nil
		}
		unlock()
		if !time.Now().Before(deadline) {
			return nil, ErrBusy
		}
	}
}

// waitForLock waits in the kernel's queue, which is fair and costs nothing, under a
// watchdog. With an error the file is closed, or will be.
func waitForLock(f system.File, wait time.Duration) error {
	got := make(chan error, 1)
	go func() { got <- f.Lock() }()
	select {
	case err := <-got:
		if err != nil {
			return errors.Join(fmt.Errorf("lock the session: %w", err), f.Close())
		}
		return nil
	case <-time.After(wait):
		go func() { // a late holder gives it back at once
			<-got
			_ = f.Close()
		}()
		return ErrBusy
	}
}

// checkOwner refuses a folder that belongs to somebody else: what we write there would
// be theirs to change, or would lock them out.
func checkOwner(dir string) error {
	info, err := system.Lstat(dir)
	switch me := os.Geteuid(); {
	case err != nil:
		return fmt.Errorf("look at the session's folder: %w", &os.PathError{Op: "lstat", Path: dir, Err: err})
	case !info.IsDir:
		return fmt.Errorf("%s is not a folder, but a link or a file: remove it", dir)
	case info.Owner != me:
		return fmt.Errorf("%s belongs to user %d, and this is user %d: remove it, or run as its owner", dir,
			info.Owner, me)
	}
	return nil
}
