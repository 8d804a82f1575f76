package main

import (
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/fsm"
)

func newResetCommand(p *program) *cli.Command {
	return &cli.Command{
		Usage:     "Put a session back to its initial state",
		ArgsUsage: `"REASON"`,
		Description: `It keeps a backup and records the reason. Running agents continue, but no
longer move the session. Only a person may run it.`,
		UsageText: `pipeline reset "a new task"
pipeline reset --to EXECUTING "the plan is mine"`,
		Flags: []cli.Flag{sessionFlag(),
			textFlag("to", "go to this `STATE` instead, and keep the captured context")},
		Action: p.inLiveSession(runReset),
	}
}

func runReset(c invocation, s picked) error {
	reason := joinWords(c.Args().Slice())
	if reason == "" {
		return usagef(`missing reason: pipeline reset "why"`)
	}
	return resetSession(s, c.String("to"), reason)
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
	if _, ok := policy.FindState(to); to == "" || ok {
		return nil
	}
	var names []string
	for _, st := range policy.States {
		names = append(names, st.Name)
	}
	return expectOneOf("no state", to, names)
}
