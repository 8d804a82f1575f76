package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
)

func newModeCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "mode",
		Usage:     "show or set how strictly the pipeline is applied",
		ArgsUsage: `[LEVEL ["REASON"]]`,
		Description: "Without a LEVEL: which is in force, where it comes from, since when, by whom and why.\n" +
			"LEVEL is strict, ask, guidance, observe or off; it holds for all sessions of the project, also those to come, until\n" +
			"`mode --clear`. A session's own mode holds over PIPELINE_LEVEL, that over the project's, that over what switches the\n" +
			"policy on by itself, that over the config. Only a person may set it. Exit codes: 0 fine, 2 wrong usage, 3 no config, or it could not be kept.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "session", Usage: "only for the session with this `ID`"},
			&cli.BoolFlag{Name: "clear", Usage: "go back to the config's level"},
			&cli.BoolFlag{Name: "json", Usage: "print what is in force as JSON"},
		},
		Action: func(c *cli.Context) error { return runMode(p, c) },
	}
}

func runMode(p *program, c *cli.Context) error {
	level, why := c.Args().First(), strings.Join(c.Args().Tail(), " ")
	if _, ok := fsm.ParseLevel(level); level != "" && !ok {
		return unknownLevel(level)
	}
	if level != "" && c.Bool("clear") {
		return usageError{"mode: either a level or --clear"}
	}
	o, s, err := openForSession(p, c)
	if err != nil {
		return err
	}
	if level != "" || c.Bool("clear") {
		if err := p.ordering(o, s.ID, who()).mode(level, why); err != nil {
			return err
		}
	}
	now, err := levelInForce(p, o, s, time.Now())
	if err != nil {
		p.sayf("%v", err)
	}
	if c.Bool("json") {
		return p.json(now)
	}
	printLevel(p, now)
	if level != "" && now.Level != level {
		p.sayf("%s holds over it", now.From)
	}
	return nil
}

func unknownLevel(level string) error {
	names := fsm.LevelNames()
	return usageError{fmt.Sprintf("unknown level %s: expected one of %s", quote(level), strings.Join(names, ", "))}
}

// openForSession opens the project, and the session that an order about the level is for.
func openForSession(p *program, c *cli.Context) (config.Opened, fsm.Session, error) {
	o, err := p.project(c)
	if err != nil {
		return o, fsm.Session{}, err
	}
	s, err := findSession(c, o)
	return o, s, err
}

// findSession is the session that --session names; the zero session, which stands for the whole project, without it.
func findSession(c *cli.Context, o config.Opened) (fsm.Session, error) {
	if c.String("session") == "" {
		return fsm.Session{}, nil
	}
	st := store(o, 0)
	items, err := st.List()
	if err != nil {
		return fsm.Session{}, err
	}
	id, err := oneSession(items, c.String("session"))
	if err != nil {
		return fsm.Session{}, err
	}
	return st.Last(id)
}
