package main

import (
	"strings"

	"github.com/urfave/cli/v2"
)

func newOnceCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "once",
		Usage:     "let a session off with guidance until its turn ends: for a quick fix",
		ArgsUsage: `["REASON"]`,
		Description: "The agent is told what it may not, and stopped by nothing, until the turn that goes on (or the next one) ends.\n" +
			"Only a person may run it. Exit codes: 0 fine, 2 wrong usage, 3 no session, or it could not be kept.",
		Flags:  []cli.Flag{sessionFlag()},
		Action: func(c *cli.Context) error { return runOnce(p, c) },
	}
}

func runOnce(p *program, c *cli.Context) error {
	s, err := pickLive(p, c)
	if err != nil {
		return err
	}
	if err := newOverrider(s.Opened, s.id).AllowOnce(strings.Join(c.Args().Slice(), " ")); err != nil {
		return err
	}
	p.printf("session %s (%s): guidance until its turn ends\n", s.id, s.how)
	return nil
}
