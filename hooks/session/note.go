package session

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

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
	unlock, err := lock(filepath.Join(dir, "lock"), st.Wait)
	if err != nil {
		return err
	}
	defer unlock()
	j, err := journal.Open(dir)
	if err != nil {
		return err
	}
	defer j.Close()
	var notes []string
	r.State, notes, r.Recovered = recoverSession(dir, j)
	r.Notes, r.Spooled, r.AfterEnd = slices.Concat(r.Notes, notes), j.Last().Spooled, j.Last().Ended()
	return j.Append(&r, true)
}

// Verify follows the chain of a session's journal, and holds it against the head that
// was last published. A note says where that cannot be read.
func (st Store) Verify(id string) (a journal.Audit, note string, err error) {
	if err := CheckID(id); err != nil {
		return a, "", err
	}
	v, err := readView(st.Path(id)) // before the journal, which is never behind it
	if err != nil {
		note = "state.json cannot be read: it is not known whether the end is missing"
	}
	all, anchorErr := st.readAnchors(id)
	var anchors []journal.Head
	for _, anchor := range all {
		if anchor.Fault == "" {
			anchors = append(anchors, anchor.Head)
		}
	}
	a, err = journal.Verify(st.Path(id), v.Head, anchors...)
	for _, anchor := range all {
		if anchor.Fault != "" {
			a.Faults = append(a.Faults, journal.Fault{File: headsName,
				What: anchor.Time.Format(time.RFC3339) + ": " + anchor.Fault})
		}
	}
	return a, note, errors.Join(err, anchorErr)
}
