package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newCheckCommand(p *program) command {
	return command{
		Usage:     "Report mistakes in the config, and what cannot work in the pipeline that it describes",
		ArgsUsage: "[FILE…]",
		Description: `First it reads the project's config as it is merged, and reports each mistake
with file, line and column. If there are none, it walks through every state,
as under level strict, and finds:
- states that cannot be reached or left, or that only a person leads out of;
- agents that no state allows or that do not exist;
- rules that never fire, and budgets that are never given back;
- refusals that propose what is refused;
- plans, holds and skills without effect;
- what the config says may never happen and can.
Each finding has its place and the shortest way there. Agents are those of
the project, the user, enabled plugins, the plugin that this program is a
part of, and other clients in use. With --fast, and for each FILE that is
named, it looks for mistakes only.

With --diff it compares what the config OLD allows with what NEW, or else the
project's, allows: which agents may start, what moves the pipeline, which
calls pass, how often. "widened" is what was refused before, "narrowed" the
reverse.
Exit codes: 0 no problem, though maybe notes, 1 problems, or what --fail-on
names was found, 2 wrong usage, 3 no config or it could not be read.`,
		UsageText: `pipeline check
pipeline check pipeline.yaml --json
pipeline check --host codex
pipeline check --diff old.yaml --fail-on widened`,
		Flags: flags{jsonFlag(),
			boolFlag("fast", "look for mistakes only, for editors"),
			textFlag("diff", "compare what the config `OLD` allows with FILE's, or the project's"),
			textFlag("fail-on", "with --diff: exit with 1 if something was `WHAT`: widened, "+
				"narrowed, or changed for either"),
			textFlag("host",
				"also list what this `CLIENT` cannot do: "+strings.Join(hostNames(), ", "))},
		Action: p.action(func(c invocation) error {
			if c.IsSet("diff") || c.IsSet("fail-on") {
				return runDiff(c)
			}
			return runCheck(c)
		}),
	}
}

// A checked is what there is to say of configs.
type checked struct {
	config.Draft // the last one
	files        []string
	wrong        []config.Problem // problems, what the lock leaves without effect, what a client cannot do
	failed       bool             // there are problems
	host         hooks.Installer  // that client; nil where none is named
	unmet        int              // how much it cannot do
	walked       []verify.Finding // what a walk through the states has found
}

func runCheck(c invocation) (err error) {
	w, host := c.here(), c.String("host")
	if c.IsSet("host") {
		if err := checkHost(host); err != nil {
			return err
		}
	}
	files := c.Args().Slice()
	if len(files) == 0 {
		files = []string{w.Config}
	}
	var found checked
	for _, file := range files { // each by itself
		w.Config = file
		if found.Draft, err = compileConfig(w); err != nil {
			return err
		}
		found.failed = found.failed || len(found.Problems) > 0
		found.files = append(found.files, found.Project.Files...)
		found.wrong = slices.Concat(found.wrong, found.Problems, found.Locked)
		if host != "" {
			found.host = makeHost(host, "", c.surroundings(config.Opened{Project: found.Project}))
			unmet := listUnmet(found.Draft, found.host)
			found.wrong, found.unmet = append(found.wrong, unmet...), found.unmet+len(unmet)
		}
	}
	isFast := c.Bool("fast") || c.NArg() > 0 || found.failed
	var known []verify.Agent
	if !isFast { // then it walks through every state, and proves what the config says may never happen
		var plugins []string // the one that this program is a part of, if it is, counts as installed
		dir := findProgram()
		for range 3 { // it lies in bin or in bin/linux-amd64
			dir = system.Dir(dir)
			if _, err := os.Stat(dir + "/.claude-plugin/plugin.json"); err == nil {
				plugins = []string{dir}
				break
			}
		}
		known = c.findAgents(found.Opened, plugins...)
		found.walked = append(verify.Verify(found.Policy, known), verify.Prove(found.Policy, found.Intentions())...)
	}
	failed := found.failed || !verify.Passes(found.walked)
	all := []any{} // mistakes in the config, then what the walk found
	for _, problem := range found.wrong {
		all = append(all, problem)
	}
	for _, finding := range found.walked {
		all = append(all, finding)
	}
	return failIf(failed, c.printResult(all, func() {
		found.printMistakes(c, w.Dir)
		if !isFast {
			printVerified(c, found.Policy, known, found.walked)
		}
	}))
}

// printMistakes prints the mistakes, or that there are none.
func (f *checked) printMistakes(c invocation, dir string) {
	if c.printProblemList(f.wrong, dir); f.failed {
		return
	}
	for _, file := range f.files {
		c.printf("%s: %s\n", showPath(file), c.style(visible.Green, "no problems"))
	}
	switch {
	case f.host == nil:
	case f.unmet > 0:
		c.printf("%s: %s where the config relies on what it cannot do\n", f.host.Name(),
			visible.Count(f.unmet, "place"))
	default:
		c.printf("%s: it can do all that the config relies on\n", f.host.Name())
	}
}

// listUnmet lists what in a config relies on what a client cannot do, and on agents that it does not find. With
// problems it is nothing.
func listUnmet(d config.Draft, host hooks.Installer) (out []config.Problem) {
	if d.Policy == nil {
		return nil
	}
	for _, r := range d.Reliances() {
		if a, _ := hooks.FindAbility(r.On); !host.Can().Has(a.Set) {
			r.Message = fmt.Sprintf("%s: %s cannot %s: %s", r.Message, host.Name(), a.Text, r.Effect)
			out = append(out, r.Problem)
		}
	}
	for _, f := range findUndefined(d.Policy, host) {
		name, line, _ := strings.Cut(f.Where, ":")
		p := config.Problem{File: name, Col: 1, Message: host.Name() + ": " + f.Text,
			Hint: "pipeline init --host " + host.Name()}
		p.Line, _ = strconv.Atoi(line) // without one it is the file as a whole
		for _, file := range d.Project.Files {
			if filepath.Base(file) == name {
				p.File = file
			}
		}
		out = append(out, p)
	}
	return out
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

// printProblems prints what is wrong with a config beside the answer to something else.
func (p *console) printProblems(problems []config.Problem) {
	_ = config.PrintProblems(p.err, problems, "") // without stderr no one reads them
}

// printVerified prints problems before notes, and last how much was checked.
func printVerified(c invocation, policy *fsm.Policy, known []verify.Agent, found []verify.Finding) {
	slices.SortStableFunc(found, func(a, b verify.Finding) int { return cmp.Compare(b.Severity, a.Severity) })
	count := map[verify.Severity]int{}
	for _, f := range found {
		count[f.Severity]++
		where := ""
		if f.Where != "" {
			where = f.Where + ": "
		}
		c.printf("%s%s: %s (%s)\n", where, c.paint(string(f.Severity)), visible.Line(f.Text), f.Check)
		c.detail("  way: ", strings.Join(f.Trace, ", "))
		c.detail("  hint: ", f.Hint)
	}
	onDisk := 0
	for _, a := range known {
		if a.From != "" {
			onDisk++
		}
	}
	rules := len(policy.Main.List) + len(policy.Subagents.List)
	c.printf("%s, %s and %s on disk: %s, %s\n",
		visible.Count(len(policy.States), "state"), visible.Count(rules, "rule"), visible.Count(onDisk, "agent"),
		visible.Count(count[verify.Problem], "problem"), visible.Count(count[verify.Note], "note"))
}

// runDiff compares what two configs allow.
func runDiff(c invocation) error {
	failOn := c.String("fail-on")
	switch {
	case !c.IsSet("diff"):
		return usagef("--fail-on is about a comparison: add --diff OLD")
	case c.NArg() > 1:
		return usagef("check --diff OLD takes one more config, NEW; without it, it is the project's")
	case !slices.Contains([]string{"", string(verify.Widened), string(verify.Narrowed), "changed"}, failOn):
		return usagef("--fail-on takes widened, narrowed or changed, not %q", failOn)
	}
	w := c.here()
	old, err := compileFile(c, w, c.String("diff"))
	if err != nil {
		return err
	}
	changed, err := compileFile(c, w, cmp.Or(c.Args().First(), w.Config))
	if err != nil {
		return err
	}
	found := verify.Diff(old, changed)
	fails := func(ch verify.Change) bool { return failOn == "changed" || string(ch.Direction) == failOn }
	return failIf(slices.ContainsFunc(found, fails), c.printResult(append([]verify.Change{}, found...), func() {
		count := map[verify.Direction]int{}
		short := strings.NewReplacer(config.Top(w.Dir)+"/", "", w.Home+"/", "~/")
		// What was widened comes before what was narrowed.
		slices.SortStableFunc(found, func(a, b verify.Change) int { return cmp.Compare(b.Direction, a.Direction) })
		for _, ch := range found {
			count[ch.Direction]++
			c.printf("%s %s: %s\n", c.paint(string(ch.Direction)), ch.Kind, visible.Line(short.Replace(ch.Text)))
			c.printf("  before: %s\n  now:    %s\n", visible.Line(ch.Old), visible.Line(ch.New))
			if len(ch.States) > 1 {
				c.detail("  in:     ", strings.Join(ch.States, ", "))
			}
			c.detail("  way:    ", strings.Join(ch.Trace, ", "))
		}
		if len(found) == 0 {
			c.printf("both configs allow the same\n")
			return
		}
		c.printf("%s widened, %s narrowed\n",
			visible.Count(count[verify.Widened], "thing"), visible.Count(count[verify.Narrowed], "thing"))
	}))
}

// compileFile compiles a config by itself; an empty name is the project's config.
func compileFile(c invocation, w config.World, file string) (*fsm.Policy, error) {
	w.Config = file
	o, err := compileConfig(w)
	if err == nil && (o.Policy == nil || len(o.Problems) > 0) {
		c.printProblems(o.Problems)
		err = errors.New("a config with problems cannot be compared")
	}
	return o.Policy, err
}
