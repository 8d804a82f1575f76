//go:build unix

package main

import (
	"encoding/json"
	"fmt"
)

// asks is a contender: the hook before a tool call, which must answer as it should and be in the journal.
func (s *session) asks(name, payload string, answer func(sample) error, fields ...string) contender {
	var use string
	return contender{
		name: name, of: s.lab.hook("pre-tool-use"),
		stdin: func() []byte {
			use = s.lab.use()
			return s.payload(payload, append([]string{"@USE", use}, fields...)...)
		},
		check: func(got sample) error {
			if err := answer(got); err != nil {
				return err
			}
			if err := s.recorded(use); err != nil {
				return err
			}
			return s.putBack()
		},
	}
}

// nothing is the empty program, given what the hook is given.
func (s *session) nothing(payload string) contender {
	stdin := s.payload(payload)
	return contender{name: "empty Go program", of: s.lab.empty, stdin: func() []byte { return stdin }, check: silent}
}

// denied is the answer to a call that the pipeline refuses.
func denied(s sample) error {
	var reply struct {
		Out struct {
			Event    string `json:"hookEventName"`
			Decision string `json:"permissionDecision"`
			Reason   string `json:"permissionDecisionReason"`
		} `json:"hookSpecificOutput"`
	}
	err := json.Unmarshal([]byte(s.out), &reply)
	if err != nil || s.code != 0 || reply.Out.Event != "PreToolUse" || reply.Out.Decision != "deny" || reply.Out.Reason == "" {
		return fmt.Errorf("expected a denial, found %s", s)
	}
	return nil
}

// oneCall measures a call by itself: an agent that may start, and one that may not.
func oneCall(l *lab) (part, error) {
	s, err := l.session("one")
	if err != nil {
		return part{}, err
	}
	base := s.nothing("agent")
	got, err := paired(l.rounds, base,
		s.asks("agent let through (context-gatherer)", "agent", silent, "@AGENT", "context-gatherer"),
		s.asks("agent refused (Explore in IDLE)", "agent", denied, "@AGENT", "Explore"))
	if err != nil {
		return part{}, err
	}
	p := part{Title: "One call: pipeline hook pre-tool-use", Base: base.name}
	p.row(base.name, got[0], 0)
	p.row("agent let through (context-gatherer)", got[1], ratio(got[1], got[0]))
	p.row("agent refused (Explore in IDLE)", got[2], ratio(got[2], got[0]))
	p.target("median against an empty Go program", ratio(got[1], got[0]), "x", 2)
	return p, nil
}

// shellLine measures a call whose command has to be parsed.
func shellLine(l *lab) (part, error) {
	s, err := l.session("shell")
	if err != nil {
		return part{}, err
	}
	base := s.nothing("bash")
	got, err := paired(l.rounds, base, s.asks("shell line", "bash", silent))
	if err != nil {
		return part{}, err
	}
	p := part{Title: "A shell line: git status && ls -la", Base: base.name}
	p.row(base.name, got[0], 0)
	p.row("shell line", got[1], ratio(got[1], got[0]))
	return p, nil
}
