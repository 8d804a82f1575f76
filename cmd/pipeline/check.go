package main

import (
	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks/visible"
	"github.com/agent-pipeline/pipeline/system/filepath"
)

func newCheckCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "Report everything that is wrong with the config, with file, line and column",
		ArgsUsage: "[FILE...]",
		Description: "Without FILE it checks the project's config as it is merged.\n" +
			"Exit codes: 0 fine, 1 problems, 2 wrong usage, 3 could not read.",
		UsageText: "pipeline check\n" +
			"pipeline check pipeline.yaml --json",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print the problems as JSON"}},
		Action: func(c *cli.Context) error { return runCheck(p, c) },
	}
}

func runCheck(p *program, c *cli.Context) error {
	w, err := p.here(c)
	if err != nil {
		return err
	}
	problems := []config.Problem{}
	var files []string
	var locked []config.Narrowing
	for _, one := range worldsToCheck(w, c.Args().Slice()) {
		proj, found, err := config.Find(one)
		if err == nil && !found {
			return errNoConfig
		}
		if err != nil {
			return err
		}
		more, err := config.Check(proj, one)
		if err != nil {
			return err
		}
		problems, files = append(problems, more...), append(files, proj.Files...)
		locked = append(locked, config.FindLocked(proj, one)...)
	}
	if c.Bool("json") {
		err = p.json(problems)
	} else {
		err = p.printProblemList(problems, w.Dir)
		for _, n := range locked {
			p.printf("%s\n", visible.Line(n.String()))
		}
	}
	switch {
	case err != nil:
		return err
	case len(problems) > 0:
		return errProblems
	case !c.Bool("json"):
		for _, f := range files {
			p.printf("%s: %s\n", f, p.style(styleGreen, "no problems"))
		}
	}
	return nil
}

// worldsToCheck is the one that we are in, or one for each file that is checked by
// itself.
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

// printProblems prints what is wrong with a config beside the answer to something else.
func printProblems(p *program, problems []config.Problem) {
	_ = config.PrintProblems(p.err, problems, "") // without stderr no one reads them
}
