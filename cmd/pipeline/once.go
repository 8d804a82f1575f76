package main

import (
	"github.com/urfave/cli/v2"
)

func newOnceCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "once",
		Usage:     "Give a session guidance instead of refusals until its turn ends: for a quick fix",
		ArgsUsage: `["REASON"]`,
		Description: "Until the current turn ends (or the next one, if none is under way), the agent is warned and\n" +
			"not stopped. Only a person may run it.\n" +
			"Exit codes: 0 fine, 2 wrong usage, 3 no session, or it could not be saved.",
		UsageText: "pipeline once \"a typo\"",
		Flags:     []cli.Flag{sessionFlag()},
		Action: func(c *cli.Context) error {
			s, err := pickLive(p, c)
			if err != nil {
				return err
			}
			if err := newOverrider(s.Opened, s.id).AllowOnce(joinArguments(c.Args().Slice())); err != nil {
				return err
			}
			p.printf("session %s (%s): guidance until its turn ends\n", s.id, s.how)
			return nil
		},
	}
}
