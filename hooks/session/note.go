package session

import (
	"errors"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Note appends a record that changes nothing of the session: what a person has to say
// of it.
func (st Store) Note(id string, r journal.Record) error {
	if err := CheckID(id); err != nil {
		return err
	}
	dir := st.Path(id)
	if err := checkOwner(dir); err != nil {
		return err
	}
	unlock, err := lock(dir+"/lock", st.Wait)
	if err != nil {
		return err
	}
	defer unlock()
	j, err := journal.Open(dir)
	if err != nil {
		return err
	}
	defer j.Close()
	h := &holder{Store: st, dir: dir, j: j, decide: func(s fsm.Session, e fsm.Event) (Outcome, error) {
		r.Notes, r.AfterEnd = slices.Concat(r.Notes, e.Notes), j.Last.Ended()
		return Outcome{Session: s, Record: &r}, nil
	}}
	h.openSession()
	err = h.recordEvent(fsm.Event{}, j.Last.Spooled)
	return errors.Join(append(h.failures, err)...)
}

// Verify follows the chain of a session's journal, and holds it against all that is known
// elsewhere: the head that was last published, the head of the last call and its witness, the
// project's anchors, and the texts that were captured. A note says where state.json cannot be
// read.
func (st Store) Verify(id string) (a journal.Audit, note string, err error) {
	if err := CheckID(id); err != nil {
		return a, "", err
	}
	dir := st.Path(id)
	v, err := st.readView(dir) // before the journal, which is never behind it
	if err != nil {
		note = "state.json cannot be read, so it does not show whether the journal's end is missing"
		if system.IsMissing(err) {
			note = "there is no state.json: the journal's end is compared with the anchors alone"
		}
	}
	all, anchorErr := st.readAnchors(id)
	var anchors []journal.Head
	var known []journal.Fault
	for _, anchor := range all {
		if anchor.Fault == "" {
			anchors = append(anchors, anchor.Head)
		} else {
			known = append(known, journal.Fault{File: headsName,
				What: anchor.Time.Format(time.RFC3339) + ": " + anchor.Fault})
		}
	}
	for _, path := range st.headPaths(id) {
		if head, ok := readHead(path); ok {
			anchors = append(anchors, head)
		}
	}
	a, err = journal.Verify(dir, v.Head, anchors...)
	if len(all) == 0 && a.Records > 2 { // the first two are anchored
		a.Faults = append(a.Faults, journal.Fault{File: headsName,
			What: "it has no line of this session: it was removed, emptied or cut"})
	}
	for _, hash := range a.Texts {
		_, err := readText(dir, fsm.Ref{Hash: hash})
		if system.IsMissing(err) {
			err = errors.New("captured text " + hash + " is missing")
		}
		if err != nil {
			a.Faults = append(a.Faults, journal.Fault{File: journal.Name, What: err.Error()})
		}
	}
	a.Faults = append(a.Faults, known...)
	return a, note, errors.Join(err, anchorErr)
}
