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
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// The anchor shows that a journal was removed, emptied, cut or written again. It has three
// parts. A session's file "head" holds its last record's number and hash, and every call
// compares them. A copy of it lies outside of the state folder, for when that is removed or
// restored from an older copy. The project's heads.jsonl gets a line at each move, start and
// end of a session, and one for each fault that was found. Housekeeping drops what later
// lines replace.

// An Anchor is a line of heads.jsonl.
type Anchor struct {
	Session string `json:"session"`
	journal.Head
	Time    time.Time `json:"time"`
	Fault   string    `json:"fault,omitempty"`
	Cleared bool      `json:"cleared,omitempty"` // pipeline put the session away: it may begin again
}

const headsName = "heads.jsonl"

// readAnchors reads the anchors of one session since it was last cleared, or those of
// all sessions if the id is empty.
func (st Store) readAnchors(id string) (out []Anchor, err error) {
	body, err := os.ReadFile(filepath.Join(st.Dir, headsName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	mark := []byte(`{"session":` + strconv.Quote(id) + `,`)
	for line := range bytes.Lines(body) {
		if id != "" && !bytes.HasPrefix(line, mark) {
			continue
		}
		var a Anchor
		if json.Unmarshal(line, &a) != nil {
			continue // a process was killed while it wrote
		}
		if id != "" && a.Cleared {
			out = nil
			continue
		}
		out = append(out, a)
	}
	return out, err
}

// appendAnchor adds a line to the project's heads.jsonl. While the file is compacted, it
// waits; if it waits in vain, the line is written all the same.
func appendAnchor(home string, a Anchor) error {
	if unlock, err := lock(filepath.Join(home, headsLock), anchorWait); err == nil {
		defer unlock()
	}
	return writeAnchor(home, a)
}

// writeAnchor adds a line in one write, so that sessions do not mix theirs.
func writeAnchor(dir string, a Anchor) error {
	if err := system.AppendLine(filepath.Join(dir, headsName), journal.Encode(nil, &a)); err != nil {
		return fmt.Errorf("anchor the journal in %s: %w", headsName, err)
	}
	return nil
}

// headLen is the length of a head file: a number of fixed width, and a hash.
const headLen = 20 + 1 + 32 + 1

// witnessPath is the copy of a session's head; "" if none is kept.
func (st Store) witnessPath(id string) string {
	if st.Witness == "" {
		return ""
	}
	return filepath.Join(st.Witness, id)
}

// readHead reads a head. A missing or damaged one is not ok.
func readHead(path string) (h journal.Head, ok bool) {
	f, err := system.Open(path, os.O_RDONLY|system.NoFollow)
	if err != nil {
		return h, false
	}
	defer f.Close()
	var buf [headLen]byte
	if _, err := f.ReadAt(buf[:], 0); err != nil {
		return h, false
	}
	h.Seq, err = strconv.ParseInt(strings.TrimLeft(string(buf[:20]), "0"), 10, 64)
	h.Hash = string(buf[21 : headLen-1])
	return h, err == nil
}

// writeHead overwrites a head in place: its length never changes.
func writeHead(path string, h journal.Head) error {
	f, err := system.Open(path, os.O_WRONLY|os.O_CREATE|system.NoFollow)
	if errors.Is(err, fs.ErrNotExist) { // the first witness
		if err = os.MkdirAll(filepath.Dir(path), 0o700); err == nil {
			f, err = system.Open(path, os.O_WRONLY|os.O_CREATE|system.NoFollow)
		}
	}
	if err == nil {
		_, err = f.WriteAt(fmt.Appendf(nil, "%020d %-32s\n", h.Seq, h.Hash), 0)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return fmt.Errorf("keep the journal's head: %w", err)
	}
	return nil
}

// checkAnchor compares the journal with the head of the last call. A journal that lacks
// records goes on after those that it lacks, so that its chain shows the gap for good.
// It reports whether the journal can be trusted.
func (h *holder) checkAnchor() bool {
	head, ok := readHead(filepath.Join(h.dir, "head"))
	if w, known := readHead(h.witness); known && w.Seq > head.Seq {
		head, ok = w, true
	}
	if !ok {
		anchors, err := Store{Dir: h.home}.readAnchors(filepath.Base(h.dir))
		if err != nil {
			h.reportTrouble(err.Error())
		}
		for _, a := range anchors {
			if a.Seq >= head.Seq {
				head = a.Head
			}
		}
	}
	last := h.j.Last()
	what := ""
	switch {
	case head.Seq == 0:
		return true
	case last.Seq == 0:
		what = fmt.Sprintf(
			"the journal was removed, emptied or damaged as a whole: at least %d records are lost",
			head.Seq,
		)
		h.j.Continue(head.Seq, head.Hash)
	case h.j.Seq() < head.Seq:
		what = fmt.Sprintf("the journal was cut or started again: it ends at record %d, and record %d was written",
			h.j.Seq(), head.Seq)
		h.j.Continue(head.Seq, head.Hash)
	case last.Seq == head.Seq && last.Hash != head.Hash:
		what = fmt.Sprintf("the journal was changed: record %d is not the one that was written", head.Seq)
		h.j.Continue(head.Seq, head.Hash)
	default:
		return true
	}
	h.notes = append(h.notes, what)
	h.addFault(what)
	return false
}

// addFault keeps a fault for good, and reports it.
func (h *holder) addFault(what string) {
	now := time.Now().UTC()
	a := Anchor{Session: filepath.Base(h.dir), Head: h.j.Last().Head(), Time: now, Fault: what}
	if err := appendAnchor(h.home, a); err != nil {
		h.reportTrouble(err.Error())
	}
	if err := writeAnchor(h.dir, a); err != nil { // the session's own copy, which starts and prompts read
		h.reportTrouble(err.Error())
	}
	h.reportTrouble(what + " (see: pipeline audit verify)")
}

// keepAnchor follows a record that was written.
func (h *holder) keepAnchor(r *journal.Record, isAnchored bool) {
	head := r.Head()
	err := writeHead(filepath.Join(h.dir, "head"), head)
	if h.witness != "" {
		err = errors.Join(err, writeHead(h.witness, head))
	}
	if isAnchored || r.Seq <= 2 || r.Recovered { // two: a process can be killed before it anchors the first
		err = errors.Join(
			err,
			appendAnchor(h.home, Anchor{Session: filepath.Base(h.dir), Head: head, Time: r.Event.Time}),
		)
	}
	if err != nil {
		h.reportTrouble(err.Error())
	}
}

// reportTrouble reports to the call that is being answered.
func (h *holder) reportTrouble(what string) {
	if h.report != nil {
		h.report(what)
	}
}

// Vanished lists the sessions that are anchored, or have a witness, and have no folder any more.
func (st Store) Vanished() ([]string, error) {
	all, err := st.readAnchors("")
	cleared := map[string]bool{}
	var ids []string
	for _, a := range all {
		cleared[a.Session] = a.Cleared
		if !slices.Contains(ids, a.Session) {
			ids = append(ids, a.Session)
		}
	}
	witnesses, witnessErr := os.ReadDir(st.Witness)
	if !errors.Is(witnessErr, fs.ErrNotExist) {
		err = errors.Join(err, witnessErr)
	}
	for _, w := range witnesses {
		if !slices.Contains(ids, w.Name()) {
			ids = append(ids, w.Name())
		}
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		_, ok := lastWrite(st.Path(id))
		return ok || cleared[id] || CheckID(id) != nil
	})
	return ids, err
}

// Faults are what was found wrong with a session's journal when it was in use.
func (st Store) Faults(id string) []string {
	if CheckID(id) != nil {
		return nil
	}
	anchors, _ := Store{Dir: st.Path(id)}.readAnchors(id) // none in nearly every session
	var out []string
	for _, a := range anchors {
		if a.Fault != "" {
			out = append(out, a.Time.Local().Format(time.DateTime)+": "+a.Fault)
		}
	}
	return out
}
