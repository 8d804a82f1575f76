package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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
	body, err := os.ReadFile(st.Dir + "/" + headsName)
	if system.IsMissing(err) {
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
	if unlock, err := lock(home+"/"+headsLock, anchorWait); err == nil {
		defer unlock()
	}
	return writeAnchor(home, a)
}

// writeAnchor adds a line in one write, so that sessions do not mix theirs.
func writeAnchor(dir string, a Anchor) error {
	return explain("anchor the journal in "+headsName,
		system.AppendLine(dir+"/"+headsName, journal.Encode(&a)))
}

// explain says what could not be done; nil where it was done.
func explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// headLen is the length of a head file: a number of fixed width, and a hash.
const headLen = 20 + 1 + 32 + 1

// headPaths names the files that have a session's head: its own, and the witness if one is kept.
func (st Store) headPaths(id string) []string {
	own := st.Path(id) + "/head"
	if st.Witness == "" {
		return []string{own}
	}
	return []string{own, st.Witness + "/" + id}
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
	if system.IsMissing(err) { // the first witness
		if err = os.MkdirAll(system.Dir(path), 0o700); err == nil {
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
	id, head := filepath.Base(h.dir), journal.Head{}
	for _, path := range h.headPaths(id) { // the witness last: it counts where both name one record
		if kept, ok := readHead(path); ok && kept.Seq >= head.Seq {
			head = kept
		}
	}
	if head.Seq == 0 {
		anchors, err := h.readAnchors(id)
		if err != nil {
			h.reportTrouble(err.Error())
		}
		for _, a := range anchors {
			if a.Seq >= head.Seq {
				head = a.Head
			}
		}
	}
	last := h.j.Last
	what := ""
	switch {
	case head.Seq == 0:
		return true
	case last.Seq == 0:
		what = fmt.Sprintf("the journal was removed, emptied or damaged as a whole: at least %d records are lost",
			head.Seq)
	case h.j.Seq < head.Seq:
		what = fmt.Sprintf("the journal was cut or started again: it ends at record %d, and record %d was written",
			h.j.Seq, head.Seq)
	case last.Seq == head.Seq && last.Hash != head.Hash:
		what = fmt.Sprintf("the journal was changed: record %d is not the one that was written", head.Seq)
	default:
		return true
	}
	h.j.Continue(head)
	h.notes = append(h.notes, what)
	h.addFault(what)
	return false
}

// addFault keeps a fault for good, and reports it.
func (h *holder) addFault(what string) {
	now := time.Now().UTC()
	a := Anchor{Session: filepath.Base(h.dir), Head: h.j.Last.Head(), Time: now, Fault: what}
	if err := appendAnchor(h.Dir, a); err != nil {
		h.reportTrouble(err.Error())
	}
	if err := writeAnchor(h.dir, a); err != nil { // the session's own copy, which starts and prompts read
		h.reportTrouble(err.Error())
	}
	h.reportTrouble(what + " (see: pipeline audit verify)")
}

// reportTrouble reports to the call that is being answered.
func (h *holder) reportTrouble(what string) {
	if h.Report != nil {
		h.Report(what)
	}
}

// Vanished lists the sessions that are anchored, or have a witness, and have no folder any more.
func (st Store) Vanished() ([]string, error) {
	all, err := st.readAnchors("")
	isKnown := map[string]bool{} // as one that was cleared, or that is listed before
	var ids []string
	for _, a := range all {
		isKnown[a.Session] = a.Cleared
		ids = append(ids, a.Session)
	}
	witnesses, witnessErr := os.ReadDir(st.Witness)
	if !system.IsMissing(witnessErr) {
		err = errors.Join(err, witnessErr)
	}
	for _, w := range witnesses {
		ids = append(ids, w.Name())
	}
	ids = slices.DeleteFunc(ids, func(id string) bool {
		_, isThere := lastWrite(st.Path(id))
		isDropped := isThere || isKnown[id] || CheckID(id) != nil
		isKnown[id] = true
		return isDropped
	})
	return ids, err
}

// Faults are what was found wrong with a session's journal when it was in use.
func (st Store) Faults(id string) (out []string) {
	if CheckID(id) != nil {
		return nil
	}
	anchors, _ := Store{Dir: st.Path(id)}.readAnchors(id) // none in nearly every session
	for _, a := range anchors {
		if a.Fault != "" {
			out = append(out, a.Time.Local().Format(time.DateTime)+": "+a.Fault)
		}
	}
	return out
}

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
	path := st.Dir + "/" + headsName
	if info, err := os.Stat(path); system.IsMissing(err) || err == nil && info.Size() <= limit {
		return nil
	}
	unlock, err := lock(st.Dir+"/"+headsLock, 0)
	if errors.Is(err, ErrBusy) {
		return nil
	}
	if err == nil {
		defer unlock()
		err = replaceAnchors(path, now)
	}
	return explain("compact "+headsName, err)
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
