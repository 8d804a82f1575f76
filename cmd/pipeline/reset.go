package main

import (
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

// order puts a person's order to a session, and prints how it moves.
func (s picked) order(e fsm.Event, then string) (moves []fsm.Move, err error) {
	e.Session, e.Time = s.ID, time.Now()
	e.Notes = append([]string{"by " + userName() + " with pipeline " + e.Kind.String()}, e.Notes...)
	d, err := s.newHandler(s.Opened, s.store).Answer(hooks.NoCall{}, e)
	if err != nil {
		return nil, err
	}
	for _, m := range d.Moves {
		s.printf("session %s: %s → %s%s\n", s, m.From, m.To, then)
	}
	return d.Moves, nil
}

func newResetCommand(p *program) command {
	return command{
		Usage:     "Put a session back to its initial state",
		ArgsUsage: `"REASON"`,
		Description: `It keeps a backup and records the reason. Running agents continue, but no
longer move the session. Only a person may run it.`,
		UsageText: `pipeline reset "a new task"
pipeline reset --to EXECUTING "the plan is mine"`,
		Flags: flags{sessionFlag(),
			textFlag("to", "go to this `STATE` instead, and keep the captured context")},
		Action: p.inLiveSession(func(c invocation, s picked) error {
			reason := joinWords(c.Args().Slice())
			if reason == "" {
				return usagef(`missing reason: pipeline reset "why"`)
			}
			return resetSession(s, c.String("to"), reason)
		}),
	}
}

// resetSession puts a session back, with a backup and the reason recorded.
func resetSession(s picked, to, reason string) error {
	if err := checkTarget(s.Policy, to); err != nil {
		return err
	}
	allowed, err := s.newOverrider(s.ID).PermitReset(to, reason)
	if err != nil {
		return err
	}
	backup, err := s.store.Backup(s.ID, time.Now())
	if err != nil {
		return err
	}
	e := fsm.Event{Kind: fsm.Reset, Text: reason, Source: to}
	if allowed != "" {
		e.Notes = []string{"allowed by " + allowed}
	}
	moves, err := s.order(e, "")
	if err != nil {
		return err
	}
	if len(moves) == 0 {
		s.printf("session %s: the budgets, the task graph and the captured context are cleared\n", s)
	}
	s.printf("backup: %s\n", backup)
	return nil
}

// checkTarget refuses a state that does not exist.
func checkTarget(policy *fsm.Policy, to string) error {
	if len(policy.States) == 0 && to != "" {
		return usagef("no states: without --to budgets, the task graph and the captured context are cleared")
	}
	if policy.FindState(to).Name == to {
		return nil
	}
	var names []string
	for _, st := range policy.States {
		names = append(names, st.Name)
	}
	return expectOneOf("no state", to, names)
}
