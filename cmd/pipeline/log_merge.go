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
// time, those of one instant by the sessions' ids. A session is opened only shortly before
// the others reach its first record: memory does not grow with their number. With a limit
// everything goes backwards, from the newest record on, until there are enough.

// A foundRecord is a record and its session, or a fault in its place.
type foundRecord struct {
	session string
	line    *journal.Line // nil for a fault
	fault   journal.Fault
}

// batch is how many records a stream hands over at once.
const batch = 128

// A stream delivers the wanted records of a session.
type stream struct {
	id   string
	edge time.Time // of the first record to come, wanted or not
	c    chan []foundRecord
	head []foundRecord
	err  error // once it is over
	over bool
	lost []journal.Fault
}

// mergeSessions passes the wanted records of sessions to visit, the oldest first, and
// faults to damage. A limit leaves all but the newest out, with the faults before them.
func mergeSessions(st session.Store, ids []string, want journal.Want, limit int, visit func(foundRecord),
	damage func(string, journal.Fault)) error {
	m := newMerger(st, ids, want, limit)
	defer close(m.done)
	if limit == 0 {
		for f, ok := m.next(); ok; f, ok = m.next() {
			visit(f)
		}
	} else {
		m.takeNewest(visit)
	}
	var errs []error
	for _, s := range m.all {
		for _, f := range s.lost {
			damage(s.id, f)
		}
		if s.over {
			errs = append(errs, s.err)
		}
	}
	return errors.Join(errs...)
}

// A merger merges streams.
type merger struct {
	store  session.Store
	want   journal.Want
	limit  int // 0 for all, the oldest first
	all    []*stream
	begun  int
	joined int
	heap   streamHeap
	done   chan struct{} // closed when no more records are wanted
}

func newMerger(st session.Store, ids []string, want journal.Want, limit int) *merger {
	m := &merger{store: st, want: want, limit: limit, heap: streamHeap{sign: 1}, done: make(chan struct{})}
	edge := journal.Begin
	if limit > 0 {
		m.heap.sign = -1
		edge = func(dir string) time.Time { return journal.Newest(dir, &want) }
	}
	for _, id := range ids {
		s := &stream{id: id, edge: edge(st.Path(id)), c: make(chan []foundRecord, 1)}
		if s.edge.IsZero() && limit > 0 { // not known: it may be the newest
			s.edge = time.Unix(1<<40, 0)
		}
		m.all = append(m.all, s)
	}
	slices.SortFunc(m.all, func(a, b *stream) int { return m.heap.compare(a.edge, b.edge, a.id, b.id) })
	return m
}

// next returns the next record; false at the end.
func (m *merger) next() (f foundRecord, ok bool) {
	if m.heap.Len() > 0 { // whose first has given its record
		if m.heap.list[0].hasRecord() {
			heap.Fix(&m.heap, 0)
		} else {
			heap.Pop(&m.heap)
		}
	}
	for m.joined < len(m.all) && m.canPrecede(m.all[m.joined].edge) {
		for ; m.begun < min(len(m.all), m.joined+1+runtime.GOMAXPROCS(0)); m.begun++ { // read ahead
			go m.readSession(m.all[m.begun])
		}
		if s := m.all[m.joined]; s.hasRecord() {
			heap.Push(&m.heap, s)
		}
		m.joined++
	}
	if m.heap.Len() == 0 {
		return f, false
	}
	s := m.heap.list[0]
	f, s.head = s.head[0], s.head[1:]
	return f, true
}

// canPrecede reports whether a session with such an edge may have the next record.
func (m *merger) canPrecede(edge time.Time) bool {
	return m.heap.Len() == 0 || m.heap.compare(edge, m.heap.list[0].head[0].line.Time, "", "") <= 0
}

// takeNewest passes as many records as the limit allows to visit, the oldest first. Within a
// session the time may go back, as where an event was recorded late: so they are merged
// once more, forwards.
func (m *merger) takeNewest(visit func(foundRecord)) {
	kept := map[string]*stream{}
	forward := merger{heap: streamHeap{sign: 1}}
	for range m.limit {
		f, ok := m.next()
		if !ok {
			break
		}
		s := kept[f.session]
		if s == nil {
			s = &stream{id: f.session, c: make(chan []foundRecord)}
			close(s.c)
			kept[f.session] = s
			forward.heap.list = append(forward.heap.list, s)
		}
		s.head = append(s.head, f)
	}
	for _, s := range kept {
		slices.Reverse(s.head)
	}
	heap.Init(&forward.heap)
	for f, ok := forward.next(); ok; f, ok = forward.next() {
		visit(f)
	}
	slices.Reverse(m.all)
	for _, s := range m.all {
		slices.Reverse(s.lost)
	}
}

// readSession reads a session into its stream, until it is at its end or no more records
// are wanted.
func (m *merger) readSession(s *stream) {
	defer close(s.c)
	var out []foundRecord
	count, isWanted := 0, true
	send := func() {
		select {
		case s.c <- out:
		case <-m.done:
			isWanted = false
		}
		out = nil
	}
	add := func(f foundRecord) bool {
		if f.line != nil {
			count++
		}
		if out = append(out, f); len(out) == batch || count == m.limit {
			send()
		}
		return isWanted && (m.limit == 0 || count < m.limit)
	}
	visit := func(l *journal.Line) bool { return add(foundRecord{session: s.id, line: l}) }
	damage := func(f journal.Fault) { add(foundRecord{session: s.id, fault: f}) }
	var err error
	if dir, want := m.store.Path(s.id), m.want; m.limit > 0 {
		err = journal.ScanBack(dir, &want, m.limit, visit, damage)
	} else {
		err = journal.Scan(dir, &want, visit, damage)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a session whose journal is lost has no records
		s.err = fmt.Errorf("session %s: %w", s.id, err)
	}
	if len(out) > 0 {
		send()
	}
}

// hasRecord waits for a record; false at the end.
func (s *stream) hasRecord() bool {
	for {
		for ; len(s.head) > 0; s.head = s.head[1:] {
			if s.head[0].line != nil {
				return true
			}
			s.lost = append(s.lost, s.head[0].fault)
		}
		head, isOpen := <-s.c
		if s.head, s.over = head, !isOpen; s.over {
			return false
		}
	}
}

// A streamHeap has the stream with the next record first.
type streamHeap struct {
	list []*stream
	sign int // 1 for the oldest first, -1 for the newest
}

func (h *streamHeap) compare(at, than time.Time, id, thanID string) int {
	return h.sign * cmp.Or(at.Compare(than), cmp.Compare(id, thanID))
}

func (h *streamHeap) Len() int { return len(h.list) }
func (h *streamHeap) Less(i, k int) bool {
	a, b := h.list[i], h.list[k]
	return h.compare(a.head[0].line.Time, b.head[0].line.Time, a.id, b.id) < 0
}
func (h *streamHeap) Swap(i, k int) { h.list[i], h.list[k] = h.list[k], h.list[i] }
func (h *streamHeap) Push(x any)    { h.list = append(h.list, x.(*stream)) }
func (h *streamHeap) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
