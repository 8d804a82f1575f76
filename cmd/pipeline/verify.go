package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
)

func (p *program) verifyCommand() *cli.Command {
	return command(cli.Command{
		Name:  "verify",
		Usage: "go through every state of the pipeline and say what cannot work there",
		Description: "A config without problems can still lead nowhere: states that no one can reach or leave, agents that no state allows or\n" +
			"that do not exist, rules that never fire, refusals that propose what is refused, budgets that are never given back,\n" +
			"states that only a gate's success leads out of, turns held in vain, plans, checks and skills that nothing comes of.\n" +
			"Each is told with its place and the shortest way there. Agents are looked for in .claude/agents of the project and of\n" +
			"the user, and in plugins that are switched on. The level does not matter: all is checked as if it were strict.\n" +
			"Exit codes: 0 no problem, though maybe notes, 1 problems, 2 wrong usage, 3 no config or it could not be read.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agents", Usage: "take the agents in this `DIR` and the client's own, and no others"},
			&cli.BoolFlag{Name: "json", Usage: "print the findings as JSON"}},
		Action: p.verify,
	})
}

func (p *program) verify(c *cli.Context) error {
	if c.Args().Present() {
		return usageError{"verify takes no arguments: it checks the project's config"}
	}
	o, err := p.project(c)
	if err != nil {
		return err
	}
	known, err := p.knownAgents(c, o)
	if err != nil {
		return err
	}
	found := verify.Verify(o.Policy, known)
	if c.Bool("json") {
		if found == nil {
			found = []verify.Finding{}
		}
		err = p.json(found)
	} else {
		p.printVerified(o, known, found)
	}
	if err == nil && !verify.Passes(found) {
		return errProblems
	}
	return err
}

func (p *program) knownAgents(c *cli.Context, o config.Opened) ([]verify.Agent, error) {
	if !c.IsSet("agents") {
		return p.agents(o), nil
	}
	dir := c.String("agents")
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("look for agents: %w", err)
	}
	return slices.Concat(p.agentsIn(dir, ""), ownAgents(), p.skills(o)), nil
}

// printVerified writes problems before notes, and last how much was looked at.
func (p *program) printVerified(o config.Opened, known []verify.Agent, found []verify.Finding) {
	count := map[verify.Severity]int{}
	for _, s := range []verify.Severity{verify.Problem, verify.Note} {
		for _, f := range found {
			if f.Severity == s {
				count[s]++
				p.printFinding(f)
			}
		}
	}
	rules := len(o.Policy.Main.List) + len(o.Policy.Subagents.List)
	p.printf("%s, %s and %s on disk: %s, %s\n", rehearse.Count(len(o.Policy.States), "state"), rehearse.Count(rules, "rule"), rehearse.Count(onDisk(known), "agent"),
		rehearse.Count(count[verify.Problem], "problem"), rehearse.Count(count[verify.Note], "note"))
}

func onDisk(known []verify.Agent) (n int) {
	for _, a := range known {
		if a.From != "" {
			n++
		}
	}
	return n
}

func (p *program) printFinding(f verify.Finding) {
	where := ""
	if f.Where != "" {
		where = f.Where + ": "
	}
	p.printf("%s%s: %s (%s)\n", where, p.bold(string(f.Severity)), f.Text, f.Check)
	if len(f.Trace) > 0 {
		p.printf("  way: %s\n", strings.Join(f.Trace, ", "))
	}
	if f.Hint != "" {
		p.printf("  hint: %s\n", f.Hint)
	}
}
