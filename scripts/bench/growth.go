//go:build unix

package main

import (
	"fmt"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// growth measures whether a call costs more late in a long session than early.
func growth(l *lab) (part, error) {
	short, err := l.grown("short", 10)
	if err != nil {
		return part{}, err
	}
	long, err := l.grown("long", l.growth)
	if err != nil {
		return part{}, err
	}
	name := func(n int) string { return fmt.Sprintf("%d records in the journal", n) }
	got, err := paired(l.rounds,
		short.asks(name(10), "agent", silent, "@AGENT", "context-gatherer"),
		long.asks(name(l.growth), "agent", silent, "@AGENT", "context-gatherer"))
	if err != nil {
		return part{}, err
	}
	p := part{Title: "A long session", Base: name(10)}
	p.row(name(10), got[0], 0)
	p.row(name(l.growth), got[1], ratio(got[1], got[0]))
	p.target("more for the long session, median of the rounds", 100*(ratio(got[1], got[0])-1), "%", 10)
	return p, nil
}

// grown is a session whose journal has n records: the first ones by the program itself, the others by its own package,
// as if as many shell lines had been let through.
func (l *lab) grown(id string, n int) (*session, error) {
	s, err := l.session(id)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(s.journal())
	if err != nil {
		return nil, err
	}
	defer j.Close()
	for last := j.Last(); last.Seq < int64(n); last = j.Last() {
		r := journal.Record{Event: fsm.Event{Kind: fsm.ToolRequest, Time: time.Now(), Tool: fsm.Tool{Name: "Bash", UseID: l.use()}}, Policy: last.Policy, State: last.State}
		if err := j.Append(&r, false); err != nil {
			return nil, err
		}
	}
	return s, s.keep()
}
