package main

import (
	"errors"
	"strings"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/rehearse"
)

func newTestCommand(p *program) command {
	return command{
		Usage:     "Play scenarios: tests of a config, written as text",
		ArgsUsage: "[FILE...]",
		Description: `Without FILE those of the project are played: configs/scenarios/*.txt.
Nothing is recorded.

` + rehearse.ScenarioFormat + `
Exit codes: 0 all as expected, 1 a step was not, or a file or config has
problems, 2 wrong usage, 3 no config or it could not be read.`,
		UsageText: `pipeline test
pipeline test configs/scenarios/default.txt --json`,
		Flags: flags{
			boolFlag("run", "run gates and checks whose result the scenario does not say"),
			jsonFlag()},
		Action: p.action(runTest),
	}
}

// A testResult is what came out of all scenarios.
type testResult struct {
	rehearse.Result
	Problems []config.Problem `json:"problems"`
}

func runTest(c invocation) error {
	w, files := c.here(), c.Args().Slice()
	if len(files) == 0 { // those of the project
		proj, err := findProject(w)
		if err != nil {
			return err
		}
		const pattern = "configs/scenarios/*.txt"
		if files = system.Glob(proj.Root, pattern); len(files) == 0 {
			return hinted{errors.New("no scenarios: found no " + proj.Root + "/" + pattern),
				"pipeline test --help shows how they are written"}
		}
		for i, f := range files {
			files[i] = showPath(f)
		}
	}
	r := testResult{rehearse.Result{Failures: []rehearse.Failure{}, Depends: []rehearse.Dependence{}},
		[]config.Problem{}}
	for _, f := range files {
		if err := testFile(c, f, w, c.Bool("run"), &r); err != nil {
			return err
		}
	}
	return failIf(len(r.Problems) > 0 || r.Failed > 0, c.printResult(r, func() {
		c.printProblemList(r.Problems, w.Dir)
		for _, f := range r.Failures {
			c.printf("%s:%d: %s\n    scenario  %s\n    expected  %s\n    got       %s\n", f.File, f.Line, f.Step,
				f.Scenario, strings.Join(f.Expected, ", "), f.Got)
			if f.Rule != "" {
				c.printf("    by        %s\n", rehearse.Ruling{Rule: f.Rule, Where: f.Where})
			}
			c.detail("    reason    ", strings.Join(strings.Fields(f.Reason), " "))
			for _, n := range f.Notes {
				c.printf("    note      %s\n", n)
			}
		}
		for _, d := range r.Depends {
			c.printf("%s:%d: depends on %s, which was not run: use --run, or say the result in a line before it\n",
				d.File, d.Line, d.Command)
		}
		c.printf("%d scenarios, %d steps, %d failed\n", r.Scenarios, r.Steps, r.Failed)
	}))
}

// testFile plays the scenarios of one file, if it and its config can be read.
func testFile(c invocation, file string, w config.World, run bool, r *testResult) error {
	s, problems, err := rehearse.ReadScript(file)
	if err != nil {
		return err
	}
	if s.Config != "" {
		w.Config = s.Config
	}
	o, err := compileConfig(w)
	if err != nil {
		return err
	}
	if len(problems) == 0 && o.Policy != nil {
		problems = s.FindUnknown(o.Policy)
	}
	for _, x := range problems {
		r.Problems = append(r.Problems, config.Problem(x))
	}
	r.Problems = append(r.Problems, o.Problems...)
	if len(problems) > 0 || o.Policy == nil {
		return nil
	}
	stage := opened{c.program, o.Opened, store(o.Opened, 0)}.rehearsalStage()
	stage.Run = run
	return s.Play(stage, &r.Result)
}
