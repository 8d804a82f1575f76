package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newRouteCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:      "route",
		Usage:     "Find the agent for a task, by the keywords that the config gives to agents",
		ArgsUsage: `"TASK"`,
		Description: `The agent with the most keywords in the text, at least two; otherwise general-purpose.
The words of its name are keywords too, and a file stands for its language.
Agents that are only defined in .claude/agents, the project's or yours, are listed too:
without a place in the config they are never chosen.
Exit codes: 0 fine, 2 wrong usage, 3 no config or it could not be read.`,
		UsageText: "pipeline tasks route \"speed up the hash in c\"",
		Flags:     []cli.Flag{jsonFlag()},
		Action:    p.action(runRoute),
	}
}

// A candidate is an agent that a task may go to.
type candidate struct {
	fsm.RouteScore
	Description string `json:"description,omitempty"` // the config's, or that of its definition
	File        string `json:"file,omitempty"`        // where it is defined
}

func runRoute(p *program, c *cli.Context) error {
	text := joinArguments(c.Args().Slice())
	if text == "" {
		return usageError{`missing task: pipeline tasks route "speed up the hash in c"`}
	}
	o, err := p.openProject(c)
	if err != nil {
		return err
	}
	best, all := o.Policy.RouteTask(text), rankCandidates(p, o, text)
	return p.printResult(c, map[string]any{"agent": best, "candidates": all}, func() {
		p.printf("%s\n", p.bold(best))
		switch {
		case len(o.Policy.Agents) == 0:
			p.sayf("the config gives no agent keywords")
		case !slices.ContainsFunc(all, func(c candidate) bool { return len(c.Found) > 1 }):
			p.sayf("no agent has two of its keywords in this task")
		}
		printCandidates(p, all)
	})
}

func printCandidates(p *program, all []candidate) {
	if len(all) == 0 {
		return
	}
	p.printf("\n")
	t := p.newTable()
	fmt.Fprintln(t, "AGENT\tKEYWORDS FOUND\tDESCRIPTION")
	for _, a := range all {
		found := fmt.Sprintf("%d of %d: %s", len(a.Found), a.Keywords, strings.Join(a.Found, ", "))
		switch {
		case len(a.Found) == 0:
			found = fmt.Sprintf("0 of %d", a.Keywords)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\n", visible.Line(a.Agent), found, visible.Line(visible.Shorten(a.Description, 70)))
	}
	t.Flush()
}

// rankCandidates returns the agents of the config and those on disk, the best first.
func rankCandidates(p *program, o config.Opened, text string) []candidate {
	described := slices.Clone(o.Policy.Agents)
	defined, problems := p.newClaude(o).FindAgents()
	for _, err := range problems {
		p.sayf("%v", err)
	}
	var others []string
	out := make([]candidate, len(described))
	for i, a := range described {
		out[i].Description = a.Description
	}
	for _, d := range defined {
		i := slices.IndexFunc(described, func(a fsm.AgentInfo) bool { return fsm.NamesAgent(a.Name, d.Name) })
		if i < 0 {
			others = append(others, d.Name)
			out = append(out, candidate{Description: d.Description, File: d.File})
			continue
		}
		out[i].Description, out[i].File = cmp.Or(out[i].Description, d.Description), cmp.Or(out[i].File, d.File)
	}
	for i, r := range o.Policy.ScoreRoutes(text, others...) {
		out[i].RouteScore = r
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return cmp.Compare(len(b.Found), len(a.Found)) })
	return out
}
