package main

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A project's sessions are read in parallel, each by its own goroutine, and merged by
// time. A session is opened only shortly before the others reach its beginning: memory
// does not grow with their number.

// A foundRecord is a record and its session.
type foundRecord struct {
	session string
	line    journal.Line
}

// batch is how many records a stream hands over at once.
const batch = 128

// A stream delivers the wanted records of a session.
type stream struct {
	id    string
	start time.Time
	c     chan []foundRecord
	head  []foundRecord
	err   error
	lost  []journal.Fault
}

// mergeSessions passes the wanted records of sessions to visit, the oldest first, and
// faults to damage.
func mergeSessions(st session.Store, ids []string, want journal.Want, visit func(foundRecord),
	damage func(string, journal.Fault)) error {
	var all []*stream
	for _, id := range ids {
		all = append(all, &stream{id: id, start: journal.Begin(st.Path(id)), c: make(chan []foundRecord, 1)})
	}
	slices.SortStableFunc(all, func(a, b *stream) int {
		return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.id, b.id))
	})
	m := merger{store: st, want: want, all: all}
	for s := m.nextStream(); s != nil; s = m.nextStream() {
		visit(s.head[0])
		s.head = s.head[1:]
	}
	var errs []error
	for _, s := range all {
		errs = append(errs, s.err)
		for _, f := range s.lost {
			damage(s.id, f)
		}
	}
	return errors.Join(errs...)
}

type merger struct {
	store  session.Store
	want   journal.Want
	all    []*stream
	begun  int
	joined int
	heap   streamHeap
}

// nextStream returns the stream with the oldest record; nil at the end.
func (m *merger) nextStream() *stream {
	if len(m.heap) > 0 {
		if m.heap[0].hasRecord() {
			heap.Fix(&m.heap, 0)
		} else {
			heap.Pop(&m.heap)
		}
	}
	for m.joined < len(m.all) && (len(m.heap) == 0 || !m.all[m.joined].start.After(m.heap[0].head[0].line.Time)) {
		for ; m.begun < min(len(m.all), m.joined+1+runtime.GOMAXPROCS(0)); m.begun++ { // read ahead
			go m.all[m.begun].readSession(m.store, m.want)
		}
		if s := m.all[m.joined]; s.hasRecord() {
			heap.Push(&m.heap, s)
		}
		m.joined++
	}
	if len(m.heap) == 0 {
		return nil
	}
	return m.heap[0]
}

func (s *stream) readSession(st session.Store, want journal.Want) {
	defer close(s.c)
	var out []foundRecord
	err := journal.Scan(st.Path(s.id), &want, func(l *journal.Line) bool {
		if out = append(out, foundRecord{s.id, *l}); len(out) == batch {
			s.c <- out
			out = nil
		}
		return true
	}, func(f journal.Fault) { s.lost = append(s.lost, f) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a session whose journal is lost has no records
		s.err = fmt.Errorf("session %s: %w", s.id, err)
	}
	if len(out) > 0 {
		s.c <- out
	}
}

// hasRecord waits for a record; false at the end.
func (s *stream) hasRecord() bool {
	if len(s.head) == 0 {
		s.head = <-s.c
	}
	return len(s.head) > 0
}

// A streamHeap has the stream with the oldest record first.
type streamHeap []*stream

func (h streamHeap) Len() int           { return len(h) }
func (h streamHeap) Less(i, k int) bool { return h[i].head[0].line.Time.Before(h[k].head[0].line.Time) }
func (h streamHeap) Swap(i, k int)      { h[i], h[k] = h[k], h[i] }
func (h *streamHeap) Push(x any)        { *h = append(*h, x.(*stream)) }
func (h *streamHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// A ring keeps the newest records, or passes all on where there is no limit.
type ring struct {
	limit int
	kept  []foundRecord
	at    int
	visit func(foundRecord)
}

func newRing(limit int, visit func(foundRecord)) *ring { return &ring{limit: limit, visit: visit} }

func (r *ring) addRecord(f foundRecord) {
	switch {
	case r.limit == 0:
		r.visit(f)
	case len(r.kept) < r.limit:
		r.kept = append(r.kept, f)
	default:
		r.kept[r.at] = f
		r.at = (r.at + 1) % r.limit
	}
}

func (r *ring) flush() {
	for i := range r.kept {
		r.visit(r.kept[(r.at+i)%len(r.kept)])
	}
}
