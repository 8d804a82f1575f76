package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// Of makes the report of one session. Records from before since are left out.
func Of(store session.Store, id string, since time.Time) (r Report, err error) {
	if err := session.CheckID(id); err != nil {
		return r, err
	}
	c := newCollector(since)
	if err := c.addSession(store, id); err != nil {
		return r, err
	}
	return c.makeReport(), nil
}

// All makes one report of all sessions that were active since then.
func All(store session.Store, since time.Time) (r Report, err error) {
	items, err := store.List()
	if err != nil {
		return r, err
	}
	gone, err := store.Vanished()
	if err != nil {
		return r, err
	}
	c := newCollector(since)
	for _, id := range gone {
		c.r.Evidence.Unread++
		c.addFault(id, journal.Fault{File: journal.Name}, "the session's folder is missing")
	}
	for _, i := range slices.Backward(items) {
		if i.Last.Before(since) {
			continue
		}
		if err := c.addSession(store, i.ID); err != nil {
			return r, err
		}
	}
	return c.makeReport(), nil
}

// addSession adds a session. One whose journal is gone is named, and hides none of the others.
func (c *collector) addSession(store session.Store, id string) error {
	// before the journal, which is never behind it
	state, _ := system.ReadFile(filepath.Join(store.Path(id), "state.json"))
	t := &track{c: c, id: id, open: map[string]run{}}
	last, err := c.scanJournal(store, t)
	e := &c.r.Evidence
	switch {
	case errors.Is(err, fs.ErrNotExist):
		e.Unread++
		c.addFault(id, journal.Fault{File: journal.Name}, "it is missing")
		return nil
	case err != nil:
		return err
	}
	t.closeTrack()
	if published := gjson.GetBytes(state, "head.n").Int(); published > last {
		e.Missing += published - last
		c.addFault(id, journal.Fault{File: journal.Name},
			fmt.Sprintf("it ends at record %d; state.json was written at record %d", last, published))
	}
	return nil
}

// scanJournal takes every verified record of a session's journal, oldest first, and notes every fault. It returns the
// number of the last record.
func (c *collector) scanJournal(store session.Store, t *track) (last int64, err error) {
	prev, isAfterLoss, e := "", false, &c.r.Evidence
	err = journal.Walk(store.Path(t.id), func(l *journal.Line, err error) error {
		at := journal.Fault{File: l.File, Line: l.Line}
		if err == nil && (l.Version < 1 || l.Seq == 0 || l.Kind == "" || l.Time.IsZero()) {
			err = fmt.Errorf("%w: it lacks what every record has", journal.ErrDamaged)
		}
		if err != nil {
			if !l.Torn || l.File != journal.Name || errors.Is(err, journal.ErrPacked) { // else it may be being written
				e.Unread++
				c.addFault(t.id, at, err.Error())
				isAfterLoss = true
			}
			return nil
		}
		// After a line that could not be read the next one cannot be held to it.
		switch {
		case isAfterLoss:
		case l.Prev() != prev:
			e.Breaks++
			c.addFault(t.id, at, "it does not follow the record before it")
		case l.Seq != last+1:
			e.Breaks++
			c.addFault(t.id, at, fmt.Sprintf("record %d follows record %d", l.Seq, last))
		}
		prev, last, isAfterLoss = l.Hash(), l.Seq, false
		t.takeLine(l)
		return nil
	})
	return last, err
}

// WriteSession writes a session's report to its folder, as report.json.
func WriteSession(store session.Store, id string) error {
	r, err := Of(store, id, time.Time{})
	if err == nil {
		_, err = os.Stat(store.Path(id))
	}
	var doc bytes.Buffer
	if err == nil {
		err = r.JSON(&doc)
	}
	if err == nil {
		err = system.WriteFile(filepath.Join(store.Path(id), "report.json"), doc.Bytes())
	}
	if err != nil {
		return fmt.Errorf("report on session %s: %w", id, err)
	}
	return nil
}

// JSON writes the report as a document.
func (r Report) JSON(w io.Writer) error {
	enc := json.NewEncoder(visible.NewWriter(w))
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return fmt.Errorf("encode report: %w", err)
	}
	return nil
}
