package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/hooks"
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

// A checked is what there is to say of configs.
type checked struct {
	files    []string
	problems []config.Problem
	locked   []config.Problem // what has no effect, because the organisation locks it
	unmet    []config.Problem // what relies on what a client cannot do
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
	var asked hooks.Host // nil where no client is named
	if c.IsSet("host") {
		asked = host
	}
	var found checked
	for _, one := range worldsToCheck(w, c.Args().Slice()) {
		if err := found.add(one, asked); err != nil {
			return err
		}
	}
	if all := append([]config.Problem{}, found.problems...); c.Bool("json") {
		err = p.json(append(all, slices.Concat(found.locked, found.unmet)...))
	} else {
		err = p.printProblemList(append(all, slices.Concat(found.locked, found.unmet)...), w.Dir)
	}
	switch {
	case err != nil:
		return err
	case len(found.problems) > 0:
		return errProblems
	case !c.Bool("json"):
		found.printSummary(p, asked)
	}
	return nil
}

// add checks one config, also for a client if there is one.
func (f *checked) add(w config.World, host hooks.Host) error {
	proj, exists, err := config.Find(w)
	if err == nil && !exists {
		return errNoConfig
	}
	if err != nil {
		return err
	}
	more, err := config.Check(proj, w)
	if err != nil {
		return err
	}
	f.files, f.problems = append(f.files, proj.Files...), append(f.problems, more...)
	f.locked = append(f.locked, config.FindLocked(proj, w)...)
	if host != nil {
		more, err = listUnmet(proj, w, host)
		f.unmet = append(f.unmet, more...)
	}
	return err
}

func (f *checked) printSummary(p *program, host hooks.Host) {
	for _, file := range f.files {
		p.printf("%s: %s\n", file, p.style(styleGreen, "no problems"))
	}
	switch {
	case host == nil:
	case len(f.unmet) > 0:
		p.printf("%s: %s where the config relies on what it cannot do\n", host.Name(), plural(len(f.unmet), "place"))
	default:
		p.printf("%s: it can do all that the config relies on\n", host.Name())
	}
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
