package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newVerifyCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Usage: "Walk through every state of the pipeline and report what cannot work there",
		Description: "A config without problems can still lead nowhere: states that cannot be reached or left,\n" +
			"agents that no state allows or that do not exist, rules that never fire, refusals that\n" +
			"propose what is refused, budgets that are never released, states that only a gate's success\n" +
			"leads out of, turns held in vain, plans, checks and skills without effect. Each finding has\n" +
			"its place and the shortest way there. Agents are looked for in .claude/agents of the project\n" +
			"and of the user, in enabled plugins, in the plugin that this program is a part of, and where\n" +
			"other clients that are used here have them.\n" +
			"The level does not matter: everything is checked as under strict.\n" +
			"\n" +
			"With --diff it compares what two configs allow, and names each difference with the shortest\n" +
			"way to it: which agents may start, what moves the pipeline, which calls pass, how often, and\n" +
			"what else holds agents back. \"widened\" is what was refused before, \"narrowed\" the reverse.\n" +
			"Without NEW it compares OLD with the project's config.\n" +
			"Exit codes: 0 no problem, though maybe notes, 1 problems, or what --fail-on names was found,\n" +
			"2 wrong usage, 3 no config or it could not be read.",
		ArgsUsage: "[OLD [NEW]]",
		UsageText: "pipeline verify\n" +
			"pipeline verify --agents .claude/agents --json\n" +
			"pipeline verify --diff --fail-on widened old.yaml configs/pipeline.yaml",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "agents", Usage: "take the agents in this `DIR` and the client's own, and no others"},
			&cli.StringSliceFlag{Name: "plugin-dir", Usage: "count what the plugin in this `DIR` has too, " +
				"as for claude --plugin-dir"},
			&cli.BoolFlag{Name: "diff", Usage: "compare what the configs OLD and NEW allow"},
			&cli.StringFlag{Name: "fail-on", Usage: "with --diff: exit with 1 if something was `WHAT`: widened, " +
				"narrowed, or changed for either"},
			&cli.BoolFlag{Name: "json", Usage: "print the findings as JSON"}},
		Action: func(c *cli.Context) error {
			if c.Bool("diff") {
				return runDiff(p, c)
			}
			return runVerify(p, c)
		},
	}
}

func runVerify(p *program, c *cli.Context) error {
	if c.Args().Present() {
		return usageError{"verify takes no arguments: it checks the project's config"}
	}
	o, err := p.openProject(c)
	if err != nil {
		return err
	}
	known, err := knownAgents(p, c, o)
	if err != nil {
		return err
	}
	found := verify.Verify(o.Policy, known)
	return failIf(!verify.Passes(found), p.printResult(c, append([]verify.Finding{}, found...),
		func() { printVerified(p, o, known, found) }))
}

// ownPlugin is the folder of the plugin that this program is a part of, if it is.
func ownPlugin() []string {
	dir, err := os.Executable()
	for range 3 { // it lies in bin or in bin/linux-amd64
		dir = filepath.Dir(dir)
		if _, none := os.Stat(filepath.Join(dir, ".claude-plugin", "plugin.json")); err == nil && none == nil {
			return []string{dir}
		}
	}
	return nil
}

func knownAgents(p *program, c *cli.Context, o config.Opened) ([]verify.Agent, error) {
	if !c.IsSet("agents") {
		dirs := c.StringSlice("plugin-dir")
		for _, dir := range dirs {
			if _, err := os.ReadDir(dir); err != nil {
				return nil, fmt.Errorf("look for plugins: %w", err)
			}
		}
		return findAgents(p, o, append(dirs, ownPlugin()...)...), nil
	}
	dir := c.String("agents")
	if _, err := os.ReadDir(dir); err != nil {
		return nil, fmt.Errorf("look for agents: %w", err)
	}
	return findAgentsIn(p, dir, o), nil
}

// printVerified prints problems before notes, and last how much was checked.
func printVerified(p *program, o config.Opened, known []verify.Agent, found []verify.Finding) {
	count := map[verify.Severity]int{}
	for _, severity := range []verify.Severity{verify.Problem, verify.Note} {
		for _, f := range found {
			if f.Severity == severity {
				count[severity]++
				printFinding(p, f)
			}
		}
	}
	onDisk := 0
	for _, a := range known {
		if a.From != "" {
			onDisk++
		}
	}
	rules := len(o.Policy.Main.List) + len(o.Policy.Subagents.List)
	p.printf("%s, %s and %s on disk: %s, %s\n",
		plural(len(o.Policy.States), "state"), plural(rules, "rule"), plural(onDisk, "agent"),
		plural(count[verify.Problem], "problem"), plural(count[verify.Note], "note"))
}

func printFinding(p *program, f verify.Finding) {
	where := ""
	if f.Where != "" {
		where = f.Where + ": "
	}
	p.printf("%s%s: %s (%s)\n", where, p.paint(string(f.Severity)), visible.Line(f.Text), f.Check)
	if len(f.Trace) > 0 {
		p.printf("  way: %s\n", visible.Line(strings.Join(f.Trace, ", ")))
	}
	if f.Hint != "" {
		p.printf("  hint: %s\n", visible.Line(f.Hint))
	}
}
