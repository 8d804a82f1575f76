package main

import (
	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
)

func newConfigCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:        "config",
		Usage:       "Print the config in force, and where each value comes from",
		Description: "Exit codes: 0 fine, 1 the config has problems, 2 wrong usage, 3 could not read.",
		UsageText:   "pipeline config",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print it as JSON, without where it comes from"}},
		Action:      func(c *cli.Context) error { return printConfig(p, c) },
	}
}

func printConfig(p *program, c *cli.Context) error {
	w, err := p.here(c)
	if err != nil {
		return err
	}
	proj, found, err := config.Find(w)
	if err != nil {
		return err
	}
	if !found {
		return errNoConfig
	}
	merged, origins, problems, err := config.Load(proj, w)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		printProblems(p, problems)
		return errProblems
	}
	if c.Bool("json") {
		return config.PrintJSON(p.out, merged)
	}
	return config.Print(p.out, merged, origins)
}
