package live

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A watch is a comparison under way: how far the files were read, and what is not settled yet.
type watch struct {
	from       time.Time        // calls before it are none of our business
	transcript string           // the main agent's
	files      map[string]int64 // how many bytes were read of each transcript; "" is the main agent's
	journal    journal.Place
	asked      map[string]time.Time // the calls that the journal has, by id
	order      []string             // their ids, the oldest first
	open       map[string]*made     // the calls that the transcripts have and the journal has not
	missed     []missed
	off        []span // while the level was off
	notes      []string
	more       bool // the transcripts were not read to their ends
}

// A made call may have its result already.
type made struct {
	Call
	done bool
}

// A missed call may have been told of already.
type missed struct {
	Call
	said bool
}

// A span has no end yet while its end is zero.
type span struct{ from, to time.Time }

// step reads on: the transcripts first, then the events that wait, then the journal. In this order, what was recorded or
// put aside before its result was written is always found.
func (w *watch) step(st session.Store, id string, room int64) error {
	w.notes, w.more = nil, false
	w.fill()
	if err := w.transcripts(room); err != nil {
		return err
	}
	waiting := map[string]bool{}
	for _, e := range st.Waiting(id) {
		waiting[e.Tool.UseID] = true
	}
	if err := w.records(st.Path(id)); err != nil {
		return err
	}
	w.settle(waiting)
	return nil
}

func (w *watch) fill() {
	if w.files == nil {
		w.files = map[string]int64{}
	}
	if w.asked == nil {
		w.asked = map[string]time.Time{}
	}
	if w.open == nil {
		w.open = map[string]*made{}
	}
}

// records takes up which calls the journal has, and when the level was off.
func (w *watch) records(dir string) (err error) {
	damaged := 0
	for range 2 { // one that has become shorter is begun anew by the second
		w.journal, err = journal.From(dir, w.journal, &journal.Want{}, w.record, func(journal.Fault) { damaged++ })
		segments, offset := w.journal.Mark()
		if offset > 0 || err != nil {
			break
		}
		w.journal = journal.Marked(segments, 0)
	}
	if damaged > 0 {
		w.notes = append(w.notes, fmt.Sprintf("%d lines of the journal are damaged: the calls that they are about may count as missed", damaged))
	}
	return err
}

func (w *watch) record(l *journal.Line) {
	at := l.Time.Truncate(time.Millisecond)
	if l.UseID != "" {
		w.ask(l.UseID, at)
	}
	last := len(w.off) - 1
	since := last >= 0 && w.off[last].to.IsZero()
	switch off := bytes.Contains(l.Raw, []byte(`off":true`)); { // in a string the quote would be escaped
	case off && !since:
		w.off = append(w.off, span{from: at})
	case !off && since:
		w.off[last].to = at
	}
}

// ask notes that a call has a record; that of its result comes later and adds nothing.
func (w *watch) ask(id string, at time.Time) {
	if _, ok := w.asked[id]; !ok {
		id = strings.Clone(id) // it is a part of a line
		w.asked[id] = at
		w.order = append(w.order, id)
	}
}

// settle decides the calls of which everything is known.
func (w *watch) settle(waiting map[string]bool) {
	for id, c := range w.open {
		_, asked := w.asked[id]
		switch {
		case asked, c.Time.Before(w.from), w.wasOff(c.Time), w.known(id):
			delete(w.open, id)
		case c.done && !waiting[id]:
			delete(w.open, id)
			w.missed = append(w.missed, missed{Call: c.Call})
		}
	}
	slices.SortFunc(w.missed, func(a, b missed) int {
		if c := a.Time.Compare(b.Time); c != 0 {
			return c
		}
		return strings.Compare(a.ID, b.ID)
	})
}

func (w *watch) known(id string) bool {
	return slices.ContainsFunc(w.missed, func(m missed) bool { return m.ID == id })
}

func (w *watch) wasOff(at time.Time) bool {
	return slices.ContainsFunc(w.off, func(s span) bool {
		return !at.Before(s.from) && (s.to.IsZero() || at.Before(s.to))
	})
}

// The most that is kept of a session, so that its file stays small and is soon read.
const (
	mostAsked  = 500  // where the transcripts were read to their ends: they lag by a few calls
	mostBehind = 2000 // else
	mostOpen   = 500
	mostMissed = 500
)

// forget leaves out what is oldest. Calls as old as what was forgotten are not counted any more.
func (w *watch) forget() {
	most := mostAsked
	if w.more {
		most = mostBehind
	}
	if n := len(w.order) - most; n > 0 {
		for _, id := range w.order[:n] {
			delete(w.asked, id)
		}
		w.order = w.order[n:]
		if first := w.asked[w.order[0]]; first.After(w.from) {
			w.from = first
		}
	}
	if len(w.open) > mostOpen { // calls that came to no end, and never will
		ids := w.openIDs()
		for _, id := range ids[:len(ids)-mostOpen] {
			delete(w.open, id)
		}
	}
}

// openIDs are in the order of their times.
func (w *watch) openIDs() []string {
	var ids []string
	for id := range w.open {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int {
		if c := w.open[a].Time.Compare(w.open[b].Time); c != 0 {
			return c
		}
		return strings.Compare(a, b)
	})
	return ids
}
