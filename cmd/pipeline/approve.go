package main

import (
	"errors"
	"fmt"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newApproveCommand(p *program) command {
	return command{
		Usage:     "Show the result that waits for a person, and agree to it",
		ArgsUsage: "[HASH]",
		Description: `A move whose gate names a person waits until someone agrees, as long as that
takes. This prints the result and asks. With --yes it does not ask. If
another result came meanwhile, it is not approved. HASH is what status shows
of the result's hash. --yes needs it where another result was asked about
before and not answered. Only a person may run it.
Exit codes: 0 fine, 1 the person said no, 2 wrong usage, 3 nothing waits, or
it could not be saved.`,
		UsageText: `pipeline approve
pipeline approve --yes --session 3f2a
pipeline approve --yes 9c1b7e04d2aa`,
		Flags:  flags{sessionFlag(), boolFlag("yes", "agree without being asked")},
		Action: p.inLiveSession(runApprove),
	}
}

func runApprove(c invocation, s picked) error {
	if c.NArg() > 1 {
		return usagef("approve takes one HASH")
	}
	hash, yes := c.Args().First(), c.Bool("yes")
	seen, err := findApproval(s)
	if err != nil {
		return err
	}
	a := *seen.Machine.Approval
	if yes || hash != "" {
		if err := a.CheckSeen(hash); err != nil {
			return err
		}
	}
	if !yes {
		text, err := readResult(s, seen)
		if err != nil {
			return err
		}
		c.printf("%s\n\n%s\n\n", visible.Line(describeApproval(a)), visible.Text(text))
		if !c.isAttended() {
			return usagef("no terminal to ask in: once you have read it, run pipeline approve --yes %s", a.Hash())
		}
		if ok, err := c.confirm("Do you agree?"); err != nil || !ok {
			return errors.Join(err, errProblems)
		}
	}
	return answerApproval(s, seen, fsm.Approve, "")
}

func newRejectCommand(p *program) command {
	return command{
		Usage:     "Send the result that waits for a person back, with a reason",
		ArgsUsage: `"REASON"`,
		Description: `The main agent reads the reason, and starts the agent again. Only a person
may run it.`,
		UsageText: `pipeline reject "the tests are missing"`,
		Flags:     flags{sessionFlag()},
		Action: p.inLiveSession(func(c invocation, s picked) error {
			why := joinWords(c.Args().Slice())
			if why == "" {
				return usagef(`missing reason: pipeline reject "why"`)
			}
			seen, err := findApproval(s)
			if err != nil {
				return err
			}
			return answerApproval(s, seen, fsm.Reject, why)
		}),
	}
}

// findApproval returns a session in which something waits for a person.
func findApproval(s picked) (last fsm.Session, err error) {
	if !s.store.Has(s.ID) {
		return last, errNoSession
	}
	last, err = s.store.Last(s.ID)
	if err == nil && last.Machine.Approval == nil {
		err = fmt.Errorf("nothing waits for a person in session %s", s)
	}
	return last, err
}

// readResult reads the result that waits, as the agent gave it.
func readResult(s picked, last fsm.Session) (string, error) {
	text, ok := s.store.Texts(last)[last.Machine.Approval.AgentID]
	if !ok {
		return "", fmt.Errorf("the result of %s is gone or was changed since, and cannot be approved: reject it",
			last.Machine.Approval.Agent)
	}
	return text, nil
}

// answerApproval gives a person's answer for the result that the person has seen.
func answerApproval(s picked, seen fsm.Session, kind fsm.Kind, why string) error {
	if kind == fsm.Approve {
		if _, err := readResult(s, seen); err != nil {
			return err
		}
	}
	e := fsm.Event{Kind: kind, Text: why, Source: seen.Machine.Approval.Text.Hash}
	if _, err := s.order(e, "; it goes on with your next prompt"); err != nil {
		return err
	}
	last, err := s.store.Last(s.ID)
	switch now := last.Machine.Approval; {
	case err != nil:
	case now != nil:
		err = fmt.Errorf("another result came meanwhile, %s of %s: look at it first (pipeline approve)", now.Hash(),
			now.Agent)
	case kind == fsm.Reject:
		s.printf("session %s: rejected; the agent hears of it with your next prompt\n", s)
	}
	return err
}

// describeApproval says what is waited for, and since when.
func describeApproval(a fsm.Approval) string {
	return fmt.Sprintf("%s: the result %s of %s, since %s", a.Ask, a.Hash(), a.Agent, formatTime(a.Since))
}
