package journal

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"slices"
	"time"
)

// Journals are merged by time, records of one instant by the sessions' ids. A journal is opened only when the
// others reach its first record: memory does not grow with their number.

// A Source is the journal of a session.
type Source struct{ ID, Dir string }

// A stream delivers the wanted records of a session.
type stream struct {
	Source
	begin  time.Time // of its first record, wanted or not
	next   func() (*Line, bool)
	head   *Line
	faults []Fault // once it is over, as what follows
	end    Place
	err    error
}

// Merge passes the wanted records of journals to visit, the oldest first, and then faults to
// damage, each with its session. It returns up to where each session was read.
func Merge(all []Source, want Want, visit func(session string, line *Line),
	damage func(session string, fault Fault)) (ends map[string]Place, err error) {
	streams := openStreams(all, &want)
	for open := slices.Clone(streams); len(open) > 0; {
		s := firstOf(open)
		if s.head == nil { // it is over
			open = slices.DeleteFunc(open, func(o *stream) bool { return o == s })
			continue
		}
		visit(s.ID, s.head)
		s.head, _ = s.next()
	}
	ends = map[string]Place{}
	for _, s := range streams {
		for _, f := range s.faults {
			damage(s.ID, f)
		}
		ends[s.ID], err = s.end, errors.Join(err, s.err)
	}
	return ends, err
}

// openStreams lists the streams of journals, that which begins first before the others.
func openStreams(all []Source, want *Want) (out []*stream) {
	for _, source := range all {
		s := &stream{Source: source, begin: Begin(source.Dir)}
		s.next, _ = iter.Pull(func(yield func(*Line) bool) { // which is read to its end
			end, err := From(s.Dir, Place{}, want, yield, func(f Fault) { s.faults = append(s.faults, f) })
			if s.end = end; err != nil && !errors.Is(err, fs.ErrNotExist) { // one whose journal is lost has no records
				s.err = fmt.Errorf("session %s: %w", s.ID, err)
			}
		})
		out = append(out, s)
	}
	slices.SortFunc(out, func(a, b *stream) int { return cmp.Or(a.begin.Compare(b.begin), cmp.Compare(a.ID, b.ID)) })
	return out
}

// firstOf is the stream with the next record, or one that is over.
func firstOf(open []*stream) (first *stream) {
	for _, s := range open {
		if first != nil && s.begin.After(first.head.Time) {
			break // and so do the others
		}
		if s.head == nil {
			if s.head, _ = s.next(); s.head == nil {
				return s
			}
		}
		if first == nil || cmp.Or(s.head.Time.Compare(first.head.Time), cmp.Compare(s.ID, first.ID)) < 0 {
			first = s
		}
	}
	return first
}
