//go:build unix

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// statusLine measures the client's status line early and late in a session, once it has caught up with the journal.
func statusLine(l *lab) (part, error) {
	p := part{Title: "The status line"}
	var of []contender
	for _, n := range []int{10, l.growth} {
		s, err := l.grown(fmt.Sprintf("line-%d", n), n)
		if err == nil {
			err = s.catchUp()
		}
		if err != nil {
			return p, err
		}
		of = append(of, s.draws(fmt.Sprintf("%d records in the journal", n)))
	}
	p.Base = of[0].name
	got, err := paired(l.rounds, of...)
	if err != nil {
		return p, err
	}
	p.row(of[0].name, got[0], 0)
	p.row(of[1].name, got[1], ratio(got[1], got[0]))
	for i, c := range of {
		p.target("median with "+c.name, median(walls(got[i])), "ms", 5)
	}
	return p, nil
}

// draws is a contender: one drawing of the line, which must show the session's state.
func (s *session) draws(name string) contender {
	of := s.lab.pipeline
	of.args = []string{"statusline"}
	stdin := s.payload("statusline")
	return contender{name: name, of: of, stdin: func() []byte { return stdin }, check: func(got sample) error {
		if got.code != 0 || !strings.Contains(got.out, "IDLE") {
			return fmt.Errorf("expected a line with the state, found %s", got)
		}
		return nil
	}}
}

// catchUp draws until nothing new is counted: the line reads a long journal piece by piece.
func (s *session) catchUp() error {
	c := s.draws("catching up")
	var before []byte
	for range 10_000 {
		if _, err := c.once(); err != nil {
			return err
		}
		now, err := os.ReadFile(filepath.Join(s.dir, "statusline.json"))
		if err != nil {
			return fmt.Errorf("read what the status line has counted: %w", err)
		}
		if bytes.Equal(now, before) {
			return nil
		}
		before = now
	}
	return fmt.Errorf("the status line does not catch up with session %s", s.id)
}
