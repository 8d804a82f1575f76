package main

import (
	"fmt"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
)

func newCheckCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:        "check",
		Usage:       "say everything that is wrong with the config, with file, line and column",
		ArgsUsage:   "[FILE...]",
		Description: "Without FILE the project's config is checked as it is merged. Exit codes: 0 fine, 1 problems, 2 wrong usage, 3 could not read.",
		Flags:       []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print the problems as JSON"}},
		Action:      func(c *cli.Context) error { return runCheck(p, c) },
	}
}

func runCheck(p *program, c *cli.Context) error {
	w, err := p.here(c)
	if err != nil {
		return err
	}
	var all []config.Problem
	var files []string
	for _, one := range worldsToCheck(w, c.Args().Slice()) {
		proj, found, err := config.Find(one)
		if err == nil && !found {
			return errNoConfig
		}
		if err != nil {
			return err
		}
		problems, err := config.Check(proj, one)
		if err != nil {
			return err
		}
		all, files = append(all, problems...), append(files, proj.Files...)
	}
	return reportProblems(p, c.Bool("json"), w.Dir, files, all)
}

// worldsToCheck are the one we are in, or one for each file that is to be checked by itself.
func worldsToCheck(w config.World, files []string) []config.World {
	if len(files) == 0 {
		return []config.World{w}
	}
	var out []config.World
	for _, f := range files {
		w.Config = f
		if !filepath.IsAbs(f) {
			w.Config = filepath.Join(w.Dir, f)
		}
		out = append(out, w)
	}
	return out
}

func reportProblems(p *program, asJSON bool, dir string, files []string, problems []config.Problem) error {
	if asJSON {
		if problems == nil {
			problems = []config.Problem{}
		}
		if err := p.json(problems); err != nil {
			return err
		}
	} else if err := config.PrintProblems(p.out, problems, dir); err != nil {
		return fmt.Errorf("print problems: %w", err)
	}
	if len(problems) > 0 {
		return errProblems
	}
	if !asJSON {
		for _, f := range files {
			p.printf("%s: no problems\n", f)
		}
	}
	return nil
}

// printProblems prints what is wrong with a config beside the answer to something else.
func printProblems(p *program, problems []config.Problem) {
	_ = config.PrintProblems(p.err, problems, "") // if stderr is closed there is nobody to tell
}
