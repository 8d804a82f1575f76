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
// its first record: memory does not grow with their number.

// A Source is the journal of a session.
type Source struct{ ID, Dir string }

// batch is how many records a stream hands over at once.
const batch = 128

// A stream delivers the wanted records of a session.
type stream struct {
	Source
	begin   time.Time // of its first record, wanted or not
	batches chan []*Line
	head    []*Line
	faults  []Fault // once it is over
	err     error
}

// Merge passes the wanted records of journals to visit, the oldest first, and then faults to
// damage, each with its session. A limit leaves all records but the newest out.
func Merge(all []Source, want Want, limit int, visit func(session string, line *Line),
	damage func(session string, fault Fault)) error {
	m := newMerger(all, want)
	type found struct {
		session string
		line    *Line
	}
	var newest []found
	for id, l := m.next(); l != nil; id, l = m.next() {
		if limit == 0 {
			visit(id, l)
		} else if newest = append(newest, found{id, l}); len(newest) >= 2*limit {
			newest = slices.Delete(newest, 0, len(newest)-limit)
		}
	}
	for _, f := range newest[max(0, len(newest)-limit):] {
		visit(f.session, f.line)
	}
	var errs []error
	for _, s := range m.all {
		for _, f := range s.faults {
			damage(s.ID, f)
		}
		errs = append(errs, s.err)
	}
	return errors.Join(errs...)
}

// A merger merges streams.
type merger struct {
	want   *Want
	all    []*stream
	begun  int
	joined int
	heap   streamHeap
}

func newMerger(all []Source, want Want) *merger {
	m := &merger{want: &want}
	for _, source := range all {
		m.all = append(m.all, &stream{Source: source, begin: Begin(source.Dir), batches: make(chan []*Line, 1)})
	}
	slices.SortFunc(m.all, func(a, b *stream) int { return cmp.Or(a.begin.Compare(b.begin), cmp.Compare(a.ID, b.ID)) })
	return m
}

// next returns the next record and its session; nil at the end.
func (m *merger) next() (id string, l *Line) {
	if len(m.heap) > 0 { // whose first has given its record
		if m.heap[0].hasRecord() {
			heap.Fix(&m.heap, 0)
		} else {
			heap.Pop(&m.heap)
		}
	}
	for m.joined < len(m.all) && (len(m.heap) == 0 || !m.all[m.joined].begin.After(m.heap[0].head[0].Time)) {
		for ; m.begun < min(len(m.all), m.joined+1+runtime.GOMAXPROCS(0)); m.begun++ { // read ahead
			go m.all[m.begun].read(m.want)
		}
		if s := m.all[m.joined]; s.hasRecord() {
			heap.Push(&m.heap, s)
		}
		m.joined++
	}
	if len(m.heap) == 0 {
		return "", nil
	}
	s := m.heap[0]
	l, s.head = s.head[0], s.head[1:]
	return s.ID, l
}

// read reads a session into its stream.
func (s *stream) read(want *Want) {
	defer close(s.batches)
	var out []*Line
	err := Scan(s.Dir, want, func(l *Line) bool {
		if out = append(out, l); len(out) == batch {
			s.batches <- out
			out = nil
		}
		return true
	}, func(f Fault) { s.faults = append(s.faults, f) })
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a session whose journal is lost has no records
		s.err = fmt.Errorf("session %s: %w", s.ID, err)
	}
	if len(out) > 0 {
		s.batches <- out
	}
}

// hasRecord waits for a record; false at the end.
func (s *stream) hasRecord() bool {
	if len(s.head) == 0 {
		s.head = <-s.batches
	}
	return len(s.head) > 0
}

// A streamHeap has the stream with the next record first.
type streamHeap []*stream

func (h streamHeap) Len() int { return len(h) }
func (h streamHeap) Less(i, k int) bool {
	return cmp.Or(h[i].head[0].Time.Compare(h[k].head[0].Time), cmp.Compare(h[i].ID, h[k].ID)) < 0
}
func (h streamHeap) Swap(i, k int) { h[i], h[k] = h[k], h[i] }
func (h *streamHeap) Push(x any)   { *h = append(*h, x.(*stream)) }
func (h *streamHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
