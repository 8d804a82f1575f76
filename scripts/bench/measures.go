//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// toolCall is a contender: the hook before a tool call. It must give the expected answer and
// leave a record.
func (s *session) toolCall(name, payload string, answer func(sample) error, fields ...string) contender {
	var use string
	return contender{
		name: name, of: s.lab.hookProgram("pre-tool-use"),
		stdin: func() []byte {
			use = s.lab.nextUseID()
			return s.fillPayload(payload, append([]string{"@USE", use}, fields...)...)
		},
		check: func(got sample) error {
			if err := answer(got); err != nil {
				return err
			}
			if err := s.wantRecord(use); err != nil {
				return err
			}
			return s.restore()
		},
	}
}

// emptyCall is the empty program, with the hook's input.
func (s *session) emptyCall(payload string) contender {
	stdin := s.fillPayload(payload)
	give := func() []byte { return stdin }
	return contender{name: "empty Go program", of: s.lab.empty, stdin: give, check: wantSilence}
}

// wantDenial checks the answer to a call that the pipeline refuses.
func wantDenial(s sample) error {
	var reply struct {
		Out struct {
			Event    string `json:"hookEventName"`
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	err := json.Unmarshal([]byte(s.out), &reply)
	denied := reply.Out.Event == "PreToolUse" && reply.Out.Decision == "deny" && reply.Out.Reason != ""
	if err != nil || s.code != 0 || !denied {
		return fmt.Errorf("expected a denial, found %s", s)
	}
	return nil
}

// measureOneCall measures single calls: an agent that may start, and one that may not.
func measureOneCall(l *lab) (part, error) {
	s, err := l.startSession("one")
	if err != nil {
		return part{}, err
	}
	base := s.emptyCall("agent")
	got, err := runPaired(l.rounds, base,
		s.toolCall("agent let through (context-gatherer)", "agent", wantSilence, "@AGENT", "context-gatherer"),
		s.toolCall("agent refused (Explore in IDLE)", "agent", wantDenial, "@AGENT", "Explore"))
	if err != nil {
		return part{}, err
	}
	p := part{Title: "One call: pipeline hook pre-tool-use", Base: base.name}
	p.addRow(base.name, got[0], 0)
	p.addRow("agent let through (context-gatherer)", got[1], ratio(got[1], got[0]))
	p.addRow("agent refused (Explore in IDLE)", got[2], ratio(got[2], got[0]))
	p.addTarget("median against an empty Go program", ratio(got[1], got[0]), "x", 2)
	return p, nil
}

// measureShellLine measures a call with a command to parse.
func measureShellLine(l *lab) (part, error) {
	s, err := l.startSession("shell")
	if err != nil {
		return part{}, err
	}
	base := s.emptyCall("bash")
	got, err := runPaired(l.rounds, base, s.toolCall("shell line", "bash", wantSilence))
	if err != nil {
		return part{}, err
	}
	p := part{Title: "A shell line: git status && ls -la", Base: base.name}
	p.addRow(base.name, got[0], 0)
	p.addRow("shell line", got[1], ratio(got[1], got[0]))
	return p, nil
}

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
	got, err := runPaired(l.rounds,
		short.toolCall(name(10), "agent", wantSilence, "@AGENT", "context-gatherer"),
		long.toolCall(name(l.growth), "agent", wantSilence, "@AGENT", "context-gatherer"))
	if err != nil {
		return part{}, err
	}
	p := part{Title: "A long session", Base: name(10)}
	p.addRow(name(10), got[0], 0)
	p.addRow(name(l.growth), got[1], ratio(got[1], got[0]))
	p.addTarget("more for the long session, median of the rounds", 100*(ratio(got[1], got[0])-1), "%", 10)
	return p, nil
}

// growSession starts a session and appends records up to n, as if as many shell lines had
// passed.
func (l *lab) growSession(id string, n int) (*session, error) {
	s, err := l.startSession(id)
	if err != nil {
		return nil, err
	}
	j, err := journal.Open(s.journalPath())
	if err != nil {
		return nil, err
	}
	defer j.Close()
	for last := j.Last(); last.Seq < int64(n); last = j.Last() {
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
		if err == nil {
			err = s.catchUpLine()
		}
		if err != nil {
			return p, err
		}
		of = append(of, s.drawLine(fmt.Sprintf("%d records in the journal", n)))
	}
	p.Base = of[0].name
	got, err := runPaired(l.rounds, of...)
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
	return contender{name: name, of: of, stdin: func() []byte { return stdin }, check: func(got sample) error {
		if got.code != 0 || !strings.Contains(got.out, "IDLE") {
			return fmt.Errorf("expected a line with the state, found %s", got)
		}
		return nil
	}}
}

// catchUpLine draws until the count is stable: the line reads a long journal in pieces.
func (s *session) catchUpLine() error {
	c := s.drawLine("catching up")
	var before []byte
	for range 10_000 {
		if _, err := c.runOnce(); err != nil {
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
