//go:build unix

package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A contender is one of several programs that are compared. It is run once, or several
// times at once.
type contender struct {
	name   string
	of     program
	before func() error         // prepares what is run; not timed
	stdin  func() []byte        // a new one for each run; not timed
	check  func([]sample) error // checks the answers and restores the files; not timed
	alone  bool                 // several at once would mean nothing
}

// warmUp is the number of rounds before those that count.
const warmUp = 5

// runRounds runs every contender n times at once in each round, in a new random order
// each. Other load on the machine then affects all of them alike.
func runRounds(rounds, n int, contenders ...contender) ([][]sample, error) {
	got := make([][]sample, len(contenders))
	for round := range warmUp + rounds {
		for _, i := range rand.Perm(len(contenders)) {
			s, err := contenders[i].runAtOnce(n)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", contenders[i].name, err)
			}
			if round >= warmUp {
				got[i] = append(got[i], s...)
			}
		}
	}
	return got, nil
}

// runAtOnce starts n runs, one after the other as fast as one process can, as a client
// starts its hooks. It waits for all of them.
func (c contender) runAtOnce(n int) ([]sample, error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return nil, err
		}
	}
	inputs := make([][]byte, n)
	for i := range inputs {
		inputs[i] = c.stdin()
	}
	got, errs := make([]sample, n), make([]error, n)
	var ended sync.WaitGroup
	defer ended.Wait()
	for i, text := range inputs {
		r, err := c.of.start(text)
		if err != nil {
			return nil, err
		}
		ended.Go(func() { got[i], errs[i] = r.wait() })
	}
	ended.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return got, c.check(got)
}

// each makes a check of all answers from a check of one.
func each(check func(sample) error) func([]sample) error {
	return func(got []sample) error {
		for _, s := range got {
			if err := check(s); err != nil {
				return err
			}
		}
		return nil
	}
}

// emptyCall is the empty program, with a hook's input.
func (s *session) emptyCall() contender {
	stdin := s.fillPayload("agent", "@USE", "toolu_empty", "@AGENT", "context-gatherer")
	return contender{name: emptyName, of: s.lab.empty, stdin: func() []byte { return stdin }, check: each(wantSilence)}
}

const emptyName = "empty Go program"

// hookCall is a contender: the hook of an event. Each call must be answered as expected,
// and leave a record.
func (s *session) hookCall(name, event, payload string, answer func(sample) error, fields ...string) contender {
	var uses []string
	return contender{
		name: name, of: s.lab.hookProgram(event),
		stdin: func() []byte {
			use := s.lab.nextUseID()
			uses = append(uses, use)
			return s.fillPayload(payload, append([]string{"@USE", use}, fields...)...)
		},
		check: func(got []sample) error {
			expected := uses
			uses = nil
			if err := each(answer)(got); err != nil {
				return err
			}
			if err := s.wantRecords(expected); err != nil {
				return err
			}
			return s.restore()
		},
	}
}

// wantRecords checks that each call has left one record, and after calls at once that the
// whole chain holds.
func (s *session) wantRecords(uses []string) error {
	lines, err := s.readGained()
	if err != nil {
		return err
	}
	if len(lines) != len(uses) {
		return fmt.Errorf("the journal gained %d records from %d calls", len(lines), len(uses))
	}
	for _, use := range uses {
		if n := countLines(lines, use); n != 1 {
			return fmt.Errorf("the journal has %d records of call %s, expected 1", n, use)
		}
	}
	if len(uses) == 1 {
		return nil
	}
	found, err := journal.Verify(s.dir, journal.Head{})
	if err == nil && len(found.Faults) > 0 {
		err = errors.New(found.Faults[0].String())
	}
	return err
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
