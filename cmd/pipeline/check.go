package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newCheckCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "Report everything that is wrong with the config, with file, line and column",
		ArgsUsage: "[FILE...]",
		Description: "Without FILE it checks the project's config as it is merged. With --host it also lists\n" +
			"what in the config this client cannot do; that does not count as a problem.\n" +
			"Exit codes: 0 fine, 1 problems, 2 wrong usage, 3 could not read.",
		UsageText: "pipeline check\n" +
			"pipeline check pipeline.yaml --json\n" +
			"pipeline check --host codex",
		Flags: []cli.Flag{jsonFlag(),
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
	host     hooks.Installer  // that client; nil where none is named
}

func runCheck(p *program, c *cli.Context) error {
	w, err := p.here(c)
	if err != nil {
		return err
	}
	var asked func(root string) hooks.Installer // nil where no client is named
	if name := c.String("host"); c.IsSet("host") {
		if !slices.Contains(hostNames(), name) {
			return unknownHost(name)
		}
		asked = func(root string) hooks.Installer {
			h, _ := p.findHost(name, "", config.Opened{Project: config.Project{Root: root}})
			return h
		}
	}
	var found checked
	for _, one := range worldsToCheck(w, c.Args().Slice()) {
		if err := found.checkOne(one, asked); err != nil {
			return err
		}
	}
	if all := append([]config.Problem{}, found.problems...); c.Bool("json") {
		err = p.printJSON(append(all, slices.Concat(found.locked, found.unmet)...))
	} else {
		err = p.printProblemList(append(all, slices.Concat(found.locked, found.unmet)...), w.Dir)
	}
	switch {
	case err != nil:
		return err
	case len(found.problems) > 0:
		return errProblems
	case !c.Bool("json"):
		found.printSummary(p)
	}
	return nil
}

// checkOne checks one config, also for a client if there is one.
func (f *checked) checkOne(w config.World, host func(root string) hooks.Installer) error {
	proj, err := findProject(w)
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
		f.host = host(proj.Root)
		more, err = listUnmet(proj, w, f.host)
		f.unmet = append(f.unmet, more...)
	}
	return err
}

func (f *checked) printSummary(p *program) {
	for _, file := range f.files {
		p.printf("%s: %s\n", file, p.style(visible.Green, "no problems"))
	}
	switch {
	case f.host == nil:
	case len(f.unmet) > 0:
		p.printf("%s: %s where the config relies on what it cannot do\n", f.host.Name(),
			visible.Count(len(f.unmet), "place"))
	default:
		p.printf("%s: it can do all that the config relies on\n", f.host.Name())
	}
}

// listUnmet lists what in a project's config relies on what a client cannot do, and on
// agents that it does not find.
func listUnmet(proj config.Project, w config.World, host hooks.Installer) (out []config.Problem, err error) {
	all, err := config.Reliances(proj, w)
	for _, r := range all {
		if a, _ := hooks.FindAbility(r.On); !host.Can().Has(a.Set) {
			r.Message = fmt.Sprintf("%s: %s cannot %s: %s", r.Message, host.Name(), a.Text, r.Effect)
			out = append(out, r.Problem)
		}
	}
	o, openErr := config.Open(w)
	if openErr != nil || o.Policy == nil {
		return out, err // a config that cannot be used is reported beside this
	}
	for _, f := range findUndefined(o.Policy, host) {
		name, line, _ := strings.Cut(f.Where, ":")
		p := config.Problem{File: name, Col: 1, Message: host.Name() + ": " + f.Text,
			Hint: "pipeline init --host " + host.Name()}
		p.Line, _ = strconv.Atoi(line) // without one it is the file as a whole
		for _, file := range proj.Files {
			if filepath.Base(file) == name {
				p.File = file
			}
		}
		out = append(out, p)
	}
	return out, err
}

// findUndefined finds the agents that a policy's states name and a client does not have.
// Those that come with Claude Code have their like in each client.
func findUndefined(policy *fsm.Policy, host hooks.Installer) []verify.Finding {
	known := agentsOf(host)
	for _, a := range claude.BuiltinAgents() {
		known = append(known, verify.Agent{Name: a.Name})
	}
	return slices.DeleteFunc(verify.Verify(policy, known, "unknown-agent"),
		func(f verify.Finding) bool { return f.Severity != verify.Problem })
}

// worldsToCheck is the one that we are in, or one for each file that is checked by
// itself.
func worldsToCheck(w config.World, files []string) []config.World {
	if len(files) == 0 {
		return []config.World{w}
	}
	var out []config.World
	for _, w.Config = range files {
		out = append(out, w)
	}
	return out
}

// printProblems prints what is wrong with a config beside the answer to something else.
func printProblems(p *program, problems []config.Problem) {
	_ = config.PrintProblems(p.err, problems, "") // without stderr no one reads them
}
