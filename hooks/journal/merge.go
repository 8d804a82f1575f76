package journal

import (
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"time"
)

// Journals are read in parallel, each by its own goroutine, and merged by time, records of
// one instant by the sessions' ids. A journal is opened only shortly before the others reach
// its first record: memory does not grow with their number. With a limit everything goes
// backwards, from the newest record on, until there are enough.

// A Source is the journal of a session.
type Source struct{ ID, Dir string }

// A mergedRecord is a record and its session, or a fault in its place.
type mergedRecord struct {
	session string
	line    *Line // nil for a fault
	fault   Fault
}

// batch is how many records a stream hands over at once.
const batch = 128

// A stream delivers the wanted records of a session.
type stream struct {
	Source
	edge time.Time // of the first record to come, wanted or not
	c    chan []mergedRecord
	head []mergedRecord
	err  error // once it is over
	over bool
	lost []Fault
}

// Merge passes the wanted records of journals to visit, the oldest first, and faults to
// damage, each with its session. A limit leaves all but the newest out, with the faults
// before them.
func Merge(all []Source, want Want, limit int, visit func(session string, line *Line),
	damage func(session string, fault Fault)) error {
	m := newMerger(all, want, limit)
	defer close(m.done)
	if limit == 0 {
		for f, ok := m.next(); ok; f, ok = m.next() {
			visit(f.session, f.line)
		}
	} else {
		m.takeNewest(visit)
	}
	var errs []error
	for _, s := range m.all {
		for _, f := range s.lost {
			damage(s.ID, f)
		}
		if s.over {
			errs = append(errs, s.err)
		}
	}
	return errors.Join(errs...)
}

// A merger merges streams.
type merger struct {
	want   Want
	limit  int // 0 for all, the oldest first
	all    []*stream
	begun  int
	joined int
	heap   streamHeap
	done   chan struct{} // closed when no more records are wanted
}

func newMerger(all []Source, want Want, limit int) *merger {
	m := &merger{want: want, limit: limit, heap: streamHeap{sign: 1}, done: make(chan struct{})}
	edge := Begin
	if limit > 0 {
		m.heap.sign = -1
		edge = func(dir string) time.Time { return Newest(dir, &want) }
	}
	for _, source := range all {
		s := &stream{Source: source, edge: edge(source.Dir), c: make(chan []mergedRecord, 1)}
		if s.edge.IsZero() && limit > 0 { // not known: it may be the newest
			s.edge = time.Unix(1<<40, 0)
		}
		m.all = append(m.all, s)
	}
	slices.SortFunc(m.all, func(a, b *stream) int { return m.heap.compare(a.edge, b.edge, a.ID, b.ID) })
	return m
}

// next returns the next record; false at the end.
func (m *merger) next() (f mergedRecord, ok bool) {
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
func (m *merger) takeNewest(visit func(session string, line *Line)) {
	kept := map[string]*stream{}
	forward := merger{heap: streamHeap{sign: 1}}
	for range m.limit {
		f, ok := m.next()
		if !ok {
			break
		}
		s := kept[f.session]
		if s == nil {
			s = &stream{Source: Source{ID: f.session}, c: make(chan []mergedRecord)}
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
		visit(f.session, f.line)
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
	var out []mergedRecord
	count, isWanted := 0, true
	send := func() {
		select {
		case s.c <- out:
		case <-m.done:
			isWanted = false
		}
		out = nil
	}
	add := func(f mergedRecord) bool {
		if f.line != nil {
			count++
		}
		if out = append(out, f); len(out) == batch || count == m.limit {
			send()
		}
		return isWanted && (m.limit == 0 || count < m.limit)
	}
	visit := func(l *Line) bool { return add(mergedRecord{session: s.ID, line: l}) }
	damage := func(f Fault) { add(mergedRecord{session: s.ID, fault: f}) }
	var err error
	if want := m.want; m.limit > 0 {
		err = ScanBack(s.Dir, &want, m.limit, visit, damage)
	} else {
		err = Scan(s.Dir, &want, visit, damage)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a session whose journal is lost has no records
		s.err = fmt.Errorf("session %s: %w", s.ID, err)
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
	return h.compare(a.head[0].line.Time, b.head[0].line.Time, a.ID, b.ID) < 0
}
func (h *streamHeap) Swap(i, k int) { h.list[i], h.list[k] = h.list[k], h.list[i] }
func (h *streamHeap) Push(x any)    { h.list = append(h.list, x.(*stream)) }
func (h *streamHeap) Pop() any {
	last := h.list[len(h.list)-1]
	h.list = h.list[:len(h.list)-1]
	return last
}
