//go:build unix

package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// measureGrowth measures whether a call costs more late in a long session than early.
func measureGrowth(l *lab) (part, error) {
	short, err := l.growSession("short", 10)
	if err != nil {
		return part{}, err
	}
	long, err := l.growSession("long", l.growth)
	if err != nil {
		return part{}, err
	}
	name := func(n int) string { return fmt.Sprintf("%d records in the journal", n) }
	got, err := runRounds(l.rounds, 1,
		short.hookCall(name(10), "pre-tool-use", "agent", wantSilence, "@AGENT", "context-gatherer"),
		long.hookCall(name(l.growth), "pre-tool-use", "agent", wantSilence, "@AGENT", "context-gatherer"))
	if err != nil {
		return part{}, err
	}
	p := part{Title: "A long session", Base: name(10)}
	p.addRow(name(10), got[0], 0)
	p.addRow(name(l.growth), got[1], ratio(got[1], got[0]))
	p.addTarget("more for the long session, median of the rounds", 100*(ratio(got[1], got[0])-1), "%", 2)
	return p, nil
}

// growSession starts a session and appends records up to n, as if as many shell lines had
// passed.
func (l *lab) growSession(id string, n int) (*session, error) {
	s, err := l.startSession(id)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(s.dir)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	for last := j.Last; last.Seq < int64(n); last = j.Last {
		r := journal.Record{Policy: last.Policy, State: last.State, Event: fsm.Event{
			Kind: fsm.ToolRequest, Time: time.Now(), Tool: fsm.Tool{Name: "Bash", UseID: l.nextUseID()}}}
		if err := j.Append(&r, false); err != nil {
			return nil, err
		}
	}
	return s, s.keepFiles()
}

// measureStatusLine measures the client's status line early and late in a session, after it
// has caught up with the journal.
func measureStatusLine(l *lab) (part, error) {
	p := part{Title: "The status line"}
	var of []contender
	for _, n := range []int{10, l.growth} {
		s, err := l.growSession(fmt.Sprintf("line-%d", n), n)
		if err != nil {
			return p, err
		}
		of = append(of, s.drawLine(fmt.Sprintf("%d records in the journal", n)))
	}
	p.Base = of[0].name
	got, err := runRounds(l.rounds, 1, of...)
	if err != nil {
		return p, err
	}
	p.addRow(of[0].name, got[0], 0)
	p.addRow(of[1].name, got[1], ratio(got[1], got[0]))
	for i, c := range of {
		p.addTarget("median with "+c.name, median(wallTimes(got[i])), "ms", 5)
	}
	return p, nil
}

// drawLine is a contender: one status line, which must show the session's state.
func (s *session) drawLine(name string) contender {
	of := s.lab.pipeline
	of.args = []string{"statusline"}
	stdin := s.fillPayload("statusline")
	return contender{name: name, of: of, stdin: func() []byte { return stdin }, check: each(func(got sample) error {
		if got.code != 0 || !strings.Contains(got.out, "IDLE") {
			return fmt.Errorf("expected a line with the state, found %s", got)
		}
		return nil
	})}
}
