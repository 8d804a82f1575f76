package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

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
	if file != "" && !filepath.IsAbs(file) {
		file = filepath.Join(w.Dir, file)
	}
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
		plural(count[verify.Widened], "thing"), plural(count[verify.Narrowed], "thing"))
}
