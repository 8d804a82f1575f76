//go:build unix

package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// burst starts n calls on one session, one after the other as fast as one process can, which is how a client starts
// them, and waits for all of them.
func (s *session) burst(n int) ([]sample, []string, error) {
	var ended sync.WaitGroup
	defer ended.Wait()
	b := newBatch(n)
	for i := range n {
		b.uses[i] = s.lab.use()
		r, err := s.lab.hook("pre-tool-use").start(s.let(b.uses[i]))
		if err != nil {
			return nil, nil, err
		}
		ended.Go(func() { b.got[i], b.errs[i] = r.wait() })
	}
	ended.Wait()
	return b.got, b.uses, b.check()
}

// rush starts n calls, lets all of them come as far as reading their payload, and gives it to all of them at once.
func (s *session) rush(n int) ([]sample, []string, error) {
	b, held := newBatch(n), make([]*running, n)
	for i := range held {
		var err error
		if held[i], err = s.lab.hook("pre-tool-use").hold(); err != nil {
			return nil, nil, err
		}
	}
	time.Sleep(settle)
	var ended sync.WaitGroup
	for i, r := range held {
		b.uses[i] = s.lab.use()
		r.start = time.Now()
		if err := r.feed(s.let(b.uses[i])); err != nil {
			return nil, nil, err
		}
		ended.Go(func() { b.got[i], b.errs[i] = r.wait() })
	}
	ended.Wait()
	return b.got, b.uses, b.check()
}

// settle is how long held programs are given to come to a rest.
const settle = 300 * time.Millisecond

// let is the payload of a call that nobody objects to.
func (s *session) let(use string) []byte {
	return s.payload("agent", "@USE", use, "@AGENT", "context-gatherer")
}

// A batch is calls that run side by side.
type batch struct {
	got  []sample
	errs []error
	uses []string
}

func newBatch(n int) batch {
	return batch{make([]sample, n), make([]error, n), make([]string, n)}
}

func (b batch) check() error {
	for i, err := range b.errs {
		if err == nil {
			err = silent(b.got[i])
		}
		if err != nil {
			return fmt.Errorf("call %d of %d at once: %w", i+1, len(b.errs), err)
		}
	}
	return nil
}

// whole checks that every call of a burst has its line, once, and that the chain holds from the first line on.
func (s *session) whole(uses []string) (records int, err error) {
	lines, err := s.gained()
	if err != nil {
		return 0, err
	}
	if len(lines) != len(uses) {
		return 0, fmt.Errorf("the journal gained %d records from %d calls", len(lines), len(uses))
	}
	for _, use := range uses {
		if n := count(lines, `"use":"`+use+`"`); n != 1 {
			return 0, fmt.Errorf("the journal has %d records of call %s, expected 1", n, use)
		}
	}
	records, fault, err := journal.Check(s.journal())
	if err == nil && fault != nil {
		err = fmt.Errorf("line %d of the journal: %s", fault.Line, fault.What)
	}
	return records, err
}

// count says how many lines begin with what is theirs and have the word in it; the session's own members come after.
func count(lines []string, word string) (n int) {
	for _, l := range lines {
		if head, _, _ := strings.Cut(l, `"session":{`); strings.Contains(head, word) {
			n++
		}
	}
	return n
}

// eightAtOnce measures a call while seven others run, all on one session.
func eightAtOnce(l *lab) (part, error) {
	const n = 8
	s, err := l.session("eight")
	if err != nil {
		return part{}, err
	}
	var all []sample
	var peaks []float64
	for round := range warmUp + l.rounds {
		got, uses, err := s.burst(n)
		if err == nil {
			_, err = s.whole(uses)
		}
		if err == nil {
			err = s.putBack()
		}
		if err != nil {
			return part{}, err
		}
		if round >= warmUp {
			all, peaks = append(all, got...), append(peaks, float64(peak(got)))
		}
	}
	p := part{Title: "Eight at once on one session"}
	p.row("one call of the eight", all, 0)
	p.target("99th percentile with 8 at once", percentile(walls(all), 0.99), "ms", 10)
	p.result("alive at the same time, median of the bursts", median(peaks), "processes")
	return p, nil
}

// sixtyFourAtOnce looks for what gets lost.
func sixtyFourAtOnce(l *lab) (part, error) {
	const n = 64
	s, err := l.session("sixty-four")
	if err != nil {
		return part{}, err
	}
	before, _, err := journal.Check(s.journal())
	if err != nil {
		return part{}, err
	}
	got, uses, err := s.rush(n)
	if err != nil {
		return part{}, err
	}
	records, err := s.whole(uses)
	if err != nil {
		return part{}, err
	}
	p := part{Title: "64 at once on one session: every call recorded once, the chain whole"}
	p.Note = "All have started before the first is given its payload; the time is from there."
	p.row("one call of the 64", got, 0)
	p.target("records lost", float64(n-(records-before)), "", 0)
	p.result("alive at the same time", float64(peak(got)), "processes")
	return p, nil
}
