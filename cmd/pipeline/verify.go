package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newVerifyCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "verify",
		Usage: "Walk through every state of the pipeline and report what cannot work there",
		Description: "A config without problems can still lead nowhere. verify finds:\n" +
			"- states that cannot be reached or left, or that only a gate's success leads out of;\n" +
			"- agents that no state allows or that do not exist;\n" +
			"- rules that never fire, and budgets that are never given back;\n" +
			"- refusals that propose what is refused, and turns held in vain;\n" +
			"- plans, checks and skills without effect.\n" +
			"Each finding has its place and the shortest way there. Agents are those of the project, the\n" +
			"user, enabled plugins, the plugin that this program is a part of, and other clients in use.\n" +
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
			&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"},
				Usage: "also list who may change files, push, build and run unknown code in each state"},
			jsonFlag()},
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
	broken, err := p.findBroken(c)
	switch {
	case err != nil:
		return err
	case len(broken) > 0:
		return failIf(true, p.printResult(c, broken, func() {
			for _, f := range broken {
				printFinding(p, f)
			}
			p.printf("%s; nothing else is judged\n", visible.Count(len(broken), "problem"))
		}))
	}
	o, err := p.openProject(c)
	if err != nil {
		return err
	}
	known, err := knownAgents(p, c, o)
	if err != nil {
		return err
	}
	never, err := p.proveIntentions(c, o)
	if err != nil {
		return err
	}
	found := append(verify.Verify(o.Policy, known), never...)
	var document any = append([]verify.Finding{}, found...)
	powers := ""
	if c.Bool("verbose") {
		all := verify.ListPowers(o.Policy, o.Project.Root)
		document, powers = map[string]any{"findings": document, "powers": all}, verify.DrawPowers(all)
	}
	return failIf(!verify.Passes(found), p.printResult(c, document, func() {
		p.printf("%s", powers)
		printVerified(p, o, known, found)
	}))
}

// findBroken finds what is wrong with the config as it stands. Then nothing else is judged: what is
// in force is not what is written.
func (p *program) findBroken(c *cli.Context) (out []verify.Finding, err error) {
	w, err := p.here(c)
	if err != nil {
		return nil, err
	}
	project, err := findProject(w)
	if err != nil {
		return nil, err
	}
	problems, err := config.Check(project, w)
	for _, at := range problems {
		out = append(out, verify.Finding{Check: "config", Severity: verify.Problem, Text: at.Message, Hint: at.Hint,
			Where: fmt.Sprintf("%s:%d:%d", filepath.Base(at.File), at.Line, at.Col)})
	}
	return out, err
}

// proveIntentions finds what may happen although the config says that it never may.
func (p *program) proveIntentions(c *cli.Context, o config.Opened) ([]verify.Finding, error) {
	w, err := p.here(c)
	if err != nil {
		return nil, err
	}
	never, err := config.Intentions(o.Project, w)
	return verify.Prove(o.Policy, never), err
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
		visible.Count(len(o.Policy.States), "state"), visible.Count(rules, "rule"), visible.Count(onDisk, "agent"),
		visible.Count(count[verify.Problem], "problem"), visible.Count(count[verify.Note], "note"))
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

// runDiff compares what two configs allow.
func runDiff(p *program, c *cli.Context) error {
	failOn, files := c.String("fail-on"), c.Args().Slice()
	switch {
	case len(files) == 0 || len(files) > 2:
		return usageError{"verify --diff takes two configs: OLD NEW; without NEW it is the project's"}
	case !slices.Contains([]string{"", string(verify.Widened), string(verify.Narrowed), "changed"}, failOn):
		return usageError{fmt.Sprintf("--fail-on takes widened, narrowed or changed, not %q", failOn)}
	}
	w, err := p.here(c)
	if err != nil {
		return err
	}
	old, err := compileFile(p, w, files[0])
	if err != nil {
		return err
	}
	name := w.Config
	if len(files) == 2 {
		name = files[1]
	}
	changed, err := compileFile(p, w, name)
	if err != nil {
		return err
	}
	found := verify.Diff(old, changed)
	fails := func(ch verify.Change) bool { return failOn == "changed" || string(ch.Direction) == failOn }
	return failIf(slices.ContainsFunc(found, fails),
		p.printResult(c, append([]verify.Change{}, found...), func() { printDiff(p, w, found) }))
}

// compileFile compiles a config by itself; an empty name is the project's config.
func compileFile(p *program, w config.World, file string) (*fsm.Policy, error) {
	w.Config = file
	o, _, err := compileConfig(w)
	if err == nil && (o.Policy == nil || len(o.Problems) > 0) {
		printProblems(p, o.Problems)
		err = errors.New("a config with problems cannot be compared")
	}
	return o.Policy, err
}

// printDiff prints what was widened before what was narrowed.
func printDiff(p *program, w config.World, found []verify.Change) {
	count := map[verify.Direction]int{}
	short := strings.NewReplacer(config.Top(w.Dir)+"/", "", w.Home+"/", "~/")
	for _, direction := range []verify.Direction{verify.Widened, verify.Narrowed} {
		for _, ch := range found {
			if ch.Direction != direction {
				continue
			}
			count[direction]++
			p.printf("%s %s: %s\n", p.paint(string(direction)), ch.Kind, visible.Line(short.Replace(ch.Text)))
			p.printf("  before: %s\n  now:    %s\n", visible.Line(ch.Old), visible.Line(ch.New))
			if len(ch.States) > 1 {
				p.printf("  in:     %s\n", visible.Line(strings.Join(ch.States, ", ")))
			}
			if len(ch.Trace) > 0 {
				p.printf("  way:    %s\n", visible.Line(strings.Join(ch.Trace, ", ")))
			}
		}
	}
	if len(found) == 0 {
		p.printf("both configs allow the same\n")
		return
	}
	p.printf("%s widened, %s narrowed\n",
		visible.Count(count[verify.Widened], "thing"), visible.Count(count[verify.Narrowed], "thing"))
}
