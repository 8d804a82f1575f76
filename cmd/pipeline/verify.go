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

// walk walks through every state of a project's pipeline, and proves what the config says may never
// happen.
func walk(p *program, c *cli.Context, w config.World) (o config.Opened, known []verify.Agent,
	found []verify.Finding, err error) {
	if o, _, err = compileConfig(w); err == nil {
		known, err = knownAgents(p, c, o)
	}
	if err != nil {
		return o, known, nil, err
	}
	never, err := config.Intentions(o.Project, w)
	return o, known, append(verify.Verify(o.Policy, known), verify.Prove(o.Policy, never)...), err
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
	failOn := c.String("fail-on")
	switch {
	case c.NArg() > 1:
		return usageError{"check --diff OLD takes one more config, NEW; without it, it is the project's"}
	case !slices.Contains([]string{"", string(verify.Widened), string(verify.Narrowed), "changed"}, failOn):
		return usageError{fmt.Sprintf("--fail-on takes widened, narrowed or changed, not %q", failOn)}
	}
	w, err := p.here(c)
	if err != nil {
		return err
	}
	old, err := compileFile(p, w, c.String("diff"))
	if err != nil {
		return err
	}
	name := w.Config
	if c.NArg() == 1 {
		name = c.Args().First()
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
