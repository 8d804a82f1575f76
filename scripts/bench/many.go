//go:build unix

package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// startBurst starts a run for each payload, one after the other as fast as one process can,
// as a client starts its hooks. It waits for all of them. None may print anything.
func startBurst(of program, payloads [][]byte) ([]sample, error) {
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
	return b.got, b.checkAll()
}

// makeCalls returns n payloads of calls that are allowed, and the ids in them.
func (s *session) makeCalls(n int) (payloads [][]byte, uses []string) {
	for range n {
		use := s.lab.nextUseID()
		uses = append(uses, use)
		payloads = append(payloads, s.fillPayload("agent", "@USE", use, "@AGENT", "context-gatherer"))
	}
	return payloads, uses
}

// releaseAtOnce starts a hook for each payload, waits until all of them read their input, and
// then sends the payloads.
func releaseAtOnce(of program, payloads [][]byte) ([]sample, error) {
	b, held := newBatch(len(payloads)), make([]*running, len(payloads))
	for i := range held {
		var err error
		if held[i], err = of.startHeld(); err != nil {
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
	return b.got, b.checkAll()
}

// settle is the time that held programs get to reach their input.
const settle = 300 * time.Millisecond

// A batch is the result of programs that run in parallel.
type batch struct {
	got  []sample
	errs []error
}

func newBatch(n int) batch { return batch{make([]sample, n), make([]error, n)} }

func (b batch) checkAll() error {
	for i, err := range b.errs {
		if err == nil {
			err = wantSilence(b.got[i])
		}
		if err != nil {
			return fmt.Errorf("call %d of %d at once: %w", i+1, len(b.errs), err)
		}
	}
	return nil
}

// checkChain checks that each call of a burst has one record, and that the whole chain holds.
func (s *session) checkChain(uses []string) (records int, err error) {
	lines, err := s.readGained()
	if err != nil {
		return 0, err
	}
	if len(lines) != len(uses) {
		return 0, fmt.Errorf("the journal gained %d records from %d calls", len(lines), len(uses))
	}
	for _, use := range uses {
		if n := countLines(lines, `"use":"`+use+`"`); n != 1 {
			return 0, fmt.Errorf("the journal has %d records of call %s, expected 1", n, use)
		}
	}
	records, fault, err := journal.Check(s.journalPath())
	if err == nil && fault != nil {
		err = fmt.Errorf("line %d of the journal: %s", fault.Line, fault.What)
	}
	return records, err
}

// countLines counts the records that contain the word before their session state.
func countLines(lines []string, word string) (n int) {
	for _, l := range lines {
		if head, _, _ := strings.Cut(l, `"session":{`); strings.Contains(head, word) {
			n++
		}
	}
	return n
}

// measureEight measures a call while seven others run on the same session. It measures the
// empty program alike: eight processes on two processors wait for each other in any case.
func measureEight(l *lab) (part, error) {
	const n = 8
	s, err := l.startSession("eight")
	if err != nil {
		return part{}, err
	}
	var ours, empty []sample
	var peaks []float64
	for round := range warmUp + l.rounds {
		got, none, err := s.runSideBySide(n)
		if err != nil {
			return part{}, err
		}
		if round >= warmUp {
			ours, empty, peaks = append(ours, got...), append(empty, none...), append(peaks, float64(countPeak(got)))
		}
	}
	p := part{Title: "Eight at once on one session"}
	p.addRow("one empty Go program of eight", empty, 0)
	p.addRow("one call of eight", ours, 0)
	p.addTarget("99th percentile with 8 at once", percentile(wallTimes(ours), 0.99), "ms", 10)
	p.addResult("alive at the same time, median of the bursts", median(peaks), "processes")
	return p, nil
}

// runSideBySide runs n calls at once, checks their records, and then runs as many empty
// programs.
func (s *session) runSideBySide(n int) (ours, empty []sample, err error) {
	payloads, uses := s.makeCalls(n)
	if ours, err = startBurst(s.lab.hookProgram("pre-tool-use"), payloads); err != nil {
		return nil, nil, err
	}
	if _, err = s.checkChain(uses); err != nil {
		return nil, nil, err
	}
	if err = s.restore(); err != nil {
		return nil, nil, err
	}
	empty, err = startBurst(s.lab.empty, payloads)
	return ours, empty, err
}

// measureSixtyFour looks for lost records.
func measureSixtyFour(l *lab) (part, error) {
	const n = 64
	s, err := l.startSession("sixty-four")
	if err != nil {
		return part{}, err
	}
	before, _, err := journal.Check(s.journalPath())
	if err != nil {
		return part{}, err
	}
	payloads, uses := s.makeCalls(n)
	got, err := releaseAtOnce(l.hookProgram("pre-tool-use"), payloads)
	if err != nil {
		return part{}, err
	}
	records, err := s.checkChain(uses)
	if err != nil {
		return part{}, err
	}
	p := part{Title: "64 at once on one session: every call recorded once, the chain whole"}
	p.Note = "All have started before the first is given its payload; the time is from there."
	p.addRow("one call of 64", got, 0)
	p.addTarget("records lost", float64(n-(records-before)), "", 0)
	return p, nil
}
