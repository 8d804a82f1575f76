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

// The sessions of a project are read side by side and merged by time, each by a goroutine of its own. One is opened only
// when the others have come to where it begins, or shortly before: what is held in memory does not grow with their number.

// A found record, and whose it is.
type found struct {
	session string
	line    journal.Line
}

// batch is how many records are handed over at once.
const batch = 128

// A stream gives the records of a session that are wanted.
type stream struct {
	id    string
	start time.Time
	c     chan []found
	head  []found
	err   error
	lost  []journal.Fault
}

// merged gives the wanted records of sessions to visit, the oldest first, and what is damaged to damage.
func merged(st session.Store, ids []string, want journal.Want, visit func(found), damage func(string, journal.Fault)) error {
	var all []*stream
	for _, id := range ids {
		all = append(all, &stream{id: id, start: journal.Begin(st.Path(id)), c: make(chan []found, 1)})
	}
	slices.SortStableFunc(all, func(a, b *stream) int { return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.id, b.id)) })
	m := merger{store: st, want: want, all: all}
	var errs []error
	for {
		s := m.next()
		if s == nil {
			break
		}
		visit(s.head[0])
		s.head = s.head[1:]
	}
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
	heap   streams
}

// next is the stream whose first record is the oldest; nil at the end.
func (m *merger) next() *stream {
	if len(m.heap) > 0 {
		if m.heap[0].fill() {
			heap.Fix(&m.heap, 0)
		} else {
			heap.Pop(&m.heap)
		}
	}
	for m.joined < len(m.all) && (len(m.heap) == 0 || !m.all[m.joined].start.After(m.heap[0].head[0].line.Time)) {
		m.ahead()
		if s := m.all[m.joined]; s.fill() {
			heap.Push(&m.heap, s)
		}
		m.joined++
	}
	if len(m.heap) == 0 {
		return nil
	}
	return m.heap[0]
}

// ahead begins to read the sessions that come next.
func (m *merger) ahead() {
	for ; m.begun < min(len(m.all), m.joined+1+runtime.GOMAXPROCS(0)); m.begun++ {
		go m.all[m.begun].read(m.store, m.want)
	}
}

func (s *stream) read(st session.Store, want journal.Want) {
	defer close(s.c)
	var out []found
	err := journal.Scan(st.Path(s.id), &want, func(l *journal.Line) bool {
		if out = append(out, found{s.id, l.Clone()}); len(out) == batch {
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

// fill makes sure that there is a record; false at the end.
func (s *stream) fill() bool {
	if len(s.head) == 0 {
		s.head = <-s.c
	}
	return len(s.head) > 0
}

type streams []*stream

func (h streams) Len() int           { return len(h) }
func (h streams) Less(i, k int) bool { return h[i].head[0].line.Time.Before(h[k].head[0].line.Time) }
func (h streams) Swap(i, k int)      { h[i], h[k] = h[k], h[i] }
func (h *streams) Push(x any)        { *h = append(*h, x.(*stream)) }
func (h *streams) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// A ring keeps the newest records, or hands all on where there is no limit.
type ring struct {
	limit int
	kept  []found
	at    int
	visit func(found)
}

func newRing(limit int, visit func(found)) *ring { return &ring{limit: limit, visit: visit} }

func (r *ring) add(f found) {
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
