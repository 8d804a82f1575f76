package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/system/filepath"
)

func newCheckCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "Report everything that is wrong with the config, with file, line and column",
		ArgsUsage: "[FILE...]",
		Description: "Without FILE it checks the project's config as it is merged. With --host it also lists\n" +
			"what in the config this client cannot do as it is written; that is no problem.\n" +
			"Exit codes: 0 fine, 1 problems, 2 wrong usage, 3 could not read.",
		UsageText: "pipeline check\n" +
			"pipeline check pipeline.yaml --json\n" +
			"pipeline check --host codex",
		Flags: []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print the problems as JSON"},
			&cli.StringFlag{Name: "host",
				Usage: "also list what this `CLIENT` cannot do: " + strings.Join(hostNames(), ", ")}},
		Action: func(c *cli.Context) error { return runCheck(p, c) },
	}
}

func runCheck(p *program, c *cli.Context) error {
	w, err := p.here(c)
	if err != nil {
		return err
	}
	host, known := p.host(c.String("host"), "", config.Opened{})
	if !known {
		return unknownHost(c.String("host"))
	}
	var locked, unmet []config.Problem
	problems := []config.Problem{}
	var files []string
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
		if c.IsSet("host") {
			if more, err = listUnmet(proj, one, host); err != nil {
				return err
			}
			unmet = append(unmet, more...)
		}
	}
	all := append(problems, slices.Concat(locked, unmet)...)
	if c.Bool("json") {
		err = p.json(all)
	} else {
		err = p.printProblemList(all, w.Dir)
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
		switch n := len(unmet); {
		case n > 0:
			p.printf("%s: %s where the config relies on what it cannot do\n", host.Name(), plural(n, "place"))
		case c.IsSet("host"):
			p.printf("%s: it can do all that the config relies on\n", host.Name())
		}
	}
	return nil
}

// listUnmet lists what in a project's config relies on what a client cannot do.
func listUnmet(proj config.Project, w config.World, host hooks.Host) (out []config.Problem, err error) {
	all, err := config.Reliances(proj, w)
	for _, r := range all {
		if a, _ := hooks.FindAbility(r.On); !host.Can().Has(a.Set) {
			r.Message = fmt.Sprintf("%s: %s cannot %s: %s", r.Message, host.Name(), a.Text, r.Effect)
			out = append(out, r.Problem)
		}
	}
	return out, err
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
