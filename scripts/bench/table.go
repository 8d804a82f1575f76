//go:build unix

package main

import (
	"fmt"
	"slices"
	"strings"
)

// rivalRuns bounds the rivals' rounds: they are slow, and need no third digit.
const rivalRuns = 50

// wantAny takes any answer that is no failure.
func wantAny(s sample) error {
	if s.code != 0 || s.err != "" {
		return fmt.Errorf("expected exit code 0 and no error, found %s", s)
	}
	return nil
}

// wantDenial checks the answer to a call that is refused.
func wantDenial(s sample) error {
	if s.code != 0 || !strings.Contains(s.out, `"permissionDecision":"deny"`) {
		return fmt.Errorf("expected a denial, found %s", s)
	}
	return nil
}

// A target is what a hook must reach: a multiple of the empty program.
const (
	mostRatio    = 1.7
	mostRatioEnd = 2.7 // of an agent's end, which moves the machine and syncs the disk
	mostAlone    = 5   // ms, 99 of 100 calls
	mostAtEight  = 10  // ms, 99 of 100 calls, 8 at once
)

// ourCalls are the hooks that are measured, each on a session of its own, so that what a
// call restores is not another's.
func (l *lab) ourCalls() (all []contender, err error) {
	for _, c := range []struct {
		id, name, event, payload string
		answer                   func(sample) error
		running                  bool // an agent runs
		alone                    bool
	}{
		{"agent", "PreToolUse: an agent starts", "pre-tool-use", "agent", wantSilence, false, false},
		{"shell", "PreToolUse: git status && ls -la", "pre-tool-use", "bash", wantSilence, false, false},
		{"read", "PreToolUse: an agent reads a file", "pre-tool-use", "read", wantSilence, true, false},
		{"after", "PostToolUse: an agent has read it", "post-tool-use", "after", wantSilence, true, false},
		{"prompt", "UserPromptSubmit", "user-prompt-submit", "prompt", wantAny, false, true},
	} {
		start := l.startSession
		if c.running {
			start = l.startAgent
		}
		s, err := start(l.name + c.id)
		if err != nil {
			return nil, err
		}
		call := s.hookCall(c.name, c.event, c.payload, c.answer, "@AGENT", "context-gatherer")
		call.alone = c.alone
		all = append(all, call)
	}
	s, err := l.startAgent(l.name + "end")
	if err != nil {
		return nil, err
	}
	return append(all, s.agentEnd()), nil
}

// agentEnd is a contender: an agent has completed. The machine must have moved.
func (s *session) agentEnd() contender {
	stdin := s.fillPayload("agent-stop", "@AGENT", "context-gatherer")
	return contender{name: endName, of: s.lab.hookProgram("subagent-stop"), alone: true,
		stdin: func() []byte { return stdin },
		check: func(got []sample) error {
			if err := each(wantAny)(got); err != nil {
				return err
			}
			if err := s.wantRecord(`"moves":[`, `"to":"GATHERING"`); err != nil {
				return err
			}
			return s.restore()
		}}
}

const endName = "SubagentStop: the machine moves"

// measureTable runs all contenders alone, 8 at once and 64 at once.
func measureTable(l *lab) (part, error) {
	p := part{Title: "Hook calls, by the number of processes at once", Base: emptyName}
	s, err := l.startSession("empty")
	if err != nil {
		return p, err
	}
	ours, err := l.ourCalls()
	if err != nil {
		return p, err
	}
	rivals, note, err := l.rivals(s)
	if err != nil {
		return p, err
	}
	p.Note = note
	empty := s.emptyCall()
	for _, group := range []struct {
		all    []contender
		rounds int
		isOurs bool
	}{{ours, l.rounds, true}, {rivals, min(rivalRuns, l.rounds), false}} {
		rows, err := measureRows(append([]contender{empty}, group.all...), group.rounds)
		if err != nil {
			return p, err
		}
		if group.isOurs {
			p.addTargets(rows)
		} else {
			rows = rows[1:] // the empty program is there already
		}
		p.Rows = append(p.Rows, rows...)
	}
	return p, nil
}

// measureRows compares contenders with the first of them.
func measureRows(all []contender, rounds int) ([]row, error) {
	alone, err := runRounds(rounds, 1, all...)
	if err != nil {
		return nil, err
	}
	rows := make([]row, len(all))
	for i, c := range all {
		rows[i] = newRow(c.name, alone[i])
		if i > 0 {
			rows[i].Ratio = ratio(alone[i], alone[0])
		}
	}
	for _, n := range []int{8, 64} {
		together := slices.DeleteFunc(slices.Clone(all), func(c contender) bool { return c.alone })
		got, err := runRounds(max(1, rounds/n), n, together...)
		if err != nil {
			return nil, err
		}
		for i, c := range together {
			at := slices.IndexFunc(rows, func(r row) bool { return r.Name == c.name })
			wall := wallTimes(got[i])
			rows[at].AtOnce = append(rows[at].AtOnce, atOnce{n, median(wall), percentile(wall, 0.99)})
		}
	}
	return rows, nil
}

func (p *part) addTargets(rows []row) {
	for _, r := range rows {
		most := mostRatio
		switch r.Name {
		case emptyName:
			continue
		case endName:
			most = mostRatioEnd
		default:
			p.addTarget(r.Name+": 99th percentile alone", r.P99, "ms", mostAlone)
		}
		p.addTarget(r.Name+": median", r.Ratio, "x", most)
		if len(r.AtOnce) > 0 {
			p.addTarget(r.Name+": 99th percentile with 8 at once", r.AtOnce[0].P99, "ms", mostAtEight)
		}
	}
}

// measureAgainst compares this binary with another one, such as that of the release
// before: round by round, each in a lab of its own.
func measureAgainst(l *lab) (part, error) {
	p := part{Title: "Against " + l.against}
	if l.against == "" {
		p.Note = "not measured: name another binary, or a commit, with -against"
		return p, nil
	}
	o := l.options
	built, err := l.buildOther()
	if err != nil {
		return p, err
	}
	o.binary = built
	other, err := newLab(o)
	if err != nil {
		return p, err
	}
	defer other.removeAll()
	l.name = "against-"
	ours, err := l.ourCalls()
	if err != nil {
		return p, err
	}
	theirs, err := other.ourCalls()
	if err != nil {
		return p, err
	}
	got, err := runRounds(l.rounds, 1, append(ours, theirs...)...)
	if err != nil {
		return p, err
	}
	p.Base = "the same of the other"
	for i, c := range ours {
		r := newRow(c.name, got[i])
		r.Ratio, r.Other = ratio(got[i], got[i+len(ours)]), median(wallTimes(got[i+len(ours)]))
		p.Rows = append(p.Rows, r)
	}
	return p, nil
}
