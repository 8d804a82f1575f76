//go:build unix

package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// burst starts n runs of a program, one after the other as fast as one process can, which is how a client starts its
// hooks, and waits for all of them. None may say anything.
func burst(of program, payloads [][]byte) ([]sample, error) {
	b := newBatch(len(payloads))
	var ended sync.WaitGroup
	defer ended.Wait()
	for i, text := range payloads {
		r, err := of.start(text)
		if err != nil {
			return nil, err
		}
		ended.Go(func() { b.got[i], b.errs[i] = r.wait() })
	}
	ended.Wait()
	return b.got, b.check()
}

// calls are n payloads of calls that nobody objects to, and the ids in them.
func (s *session) calls(n int) (payloads [][]byte, uses []string) {
	for range n {
		use := s.lab.use()
		uses = append(uses, use)
		payloads = append(payloads, s.payload("agent", "@USE", use, "@AGENT", "context-gatherer"))
	}
	return payloads, uses
}

// rush starts a hook for each payload, lets all of them come as far as reading it, and then gives it to all at once.
func rush(of program, payloads [][]byte) ([]sample, error) {
	b, held := newBatch(len(payloads)), make([]*running, len(payloads))
	for i := range held {
		var err error
		if held[i], err = of.hold(); err != nil {
			return nil, err
		}
	}
	time.Sleep(settle)
	var ended sync.WaitGroup
	defer ended.Wait()
	for i, r := range held {
		r.start = time.Now()
		if err := r.feed(payloads[i]); err != nil {
			return nil, err
		}
		ended.Go(func() { b.got[i], b.errs[i] = r.wait() })
	}
	ended.Wait()
	return b.got, b.check()
}

// settle is how long held programs are given to come to a rest.
const settle = 300 * time.Millisecond

// A batch is programs that run side by side.
type batch struct {
	got  []sample
	errs []error
}

func newBatch(n int) batch { return batch{make([]sample, n), make([]error, n)} }

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

// eightAtOnce measures a call while seven others run, all on one session; and the empty program in the same way, because
// eight processes on two processors wait for each other, whatever they do.
func eightAtOnce(l *lab) (part, error) {
	const n = 8
	s, err := l.session("eight")
	if err != nil {
		return part{}, err
	}
	var ours, empty []sample
	var peaks []float64
	for round := range warmUp + l.rounds {
		got, none, err := s.sideBySide(n)
		if err != nil {
			return part{}, err
		}
		if round >= warmUp {
			ours, empty, peaks = append(ours, got...), append(empty, none...), append(peaks, float64(peak(got)))
		}
	}
	p := part{Title: "Eight at once on one session"}
	p.row("one empty Go program of eight", empty, 0)
	p.row("one call of eight", ours, 0)
	p.target("99th percentile with 8 at once", percentile(walls(ours), 0.99), "ms", 10)
	p.result("alive at the same time, median of the bursts", median(peaks), "processes")
	return p, nil
}

// sideBySide runs n calls at once, checks that all were recorded, and then as many empty programs.
func (s *session) sideBySide(n int) (ours, empty []sample, err error) {
	payloads, uses := s.calls(n)
	if ours, err = burst(s.lab.hook("pre-tool-use"), payloads); err != nil {
		return nil, nil, err
	}
	if _, err = s.whole(uses); err != nil {
		return nil, nil, err
	}
	if err = s.putBack(); err != nil {
		return nil, nil, err
	}
	empty, err = burst(s.lab.empty, payloads)
	return ours, empty, err
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
	payloads, uses := s.calls(n)
	got, err := rush(l.hook("pre-tool-use"), payloads)
	if err != nil {
		return part{}, err
	}
	records, err := s.whole(uses)
	if err != nil {
		return part{}, err
	}
	p := part{Title: "64 at once on one session: every call recorded once, the chain whole"}
	p.Note = "All have started before the first is given its payload; the time is from there."
	p.row("one call of 64", got, 0)
	p.target("records lost", float64(n-(records-before)), "", 0)
	return p, nil
}
