package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/config"
)

func (p *program) testCommand() *cli.Command {
	return &cli.Command{
		Name:      "test",
		Usage:     "play scenarios: tests of a config, written as text",
		ArgsUsage: "[FILE...]",
		Description: "Without FILE those of the project are played: configs/scenarios/*.txt. Nothing is recorded.\n\n" + scenarioFormat +
			"\n\nExit codes: 0 all as expected, 1 something was not, or a file or its config has problems, 2 wrong usage, 3 no config or it could not be read.",
		Flags:  []cli.Flag{&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"}},
		Action: p.test,
	}
}

// A testResult is what came out of all scenarios.
type testResult struct {
	Scenarios int              `json:"scenarios"`
	Steps     int              `json:"steps"`
	Failed    int              `json:"failed"`
	Failures  []failure        `json:"failures"`
	Problems  []config.Problem `json:"problems"`
}

func (p *program) test(c *cli.Context) error {
	w, err := p.here(c)
	if err != nil {
		return err
	}
	files, err := scripts(w, c.Args().Slice())
	if err != nil {
		return err
	}
	r := testResult{Failures: []failure{}, Problems: []config.Problem{}}
	for _, f := range files {
		if err := p.testFile(f, w, &r); err != nil {
			return err
		}
	}
	if err := p.printResult(c.Bool("json"), w.Dir, &r); err != nil {
		return err
	}
	if len(r.Problems) > 0 || r.Failed > 0 {
		return errProblems
	}
	return nil
}

// scripts are the files that were named, or the project's.
func scripts(w config.World, named []string) ([]string, error) {
	if len(named) > 0 {
		return named, nil
	}
	proj, found, err := config.Find(w)
	if err == nil && !found {
		return nil, errNoConfig
	}
	if err != nil {
		return nil, err
	}
	const pattern = "configs/scenarios/*.txt"
	files, _ := fs.Glob(os.DirFS(proj.Root), pattern) // the pattern is ours
	if len(files) == 0 {
		return nil, hinted{errors.New("no scenarios: found no " + filepath.Join(proj.Root, pattern)), "pipeline test --help shows how they are written"}
	}
	for i, f := range files {
		if files[i], err = filepath.Rel(w.Dir, filepath.Join(proj.Root, f)); err != nil {
			return nil, fmt.Errorf("name %s: %w", f, err)
		}
	}
	return files, nil
}

// testFile plays the scenarios of one file, if it and its config can be read.
func (p *program) testFile(file string, w config.World, r *testResult) error {
	s, problems, err := readScript(file)
	if err != nil {
		return err
	}
	o, more, err := p.tested(s, w)
	if err != nil {
		return err
	}
	r.Problems = append(append(r.Problems, problems...), more...)
	if len(problems) > 0 || o.Policy == nil {
		return nil
	}
	if problems := s.unknown(o.Policy); len(problems) > 0 {
		r.Problems = append(r.Problems, problems...)
		return nil
	}
	for _, sc := range s.scenarios {
		if err := p.testScenario(file, sc, o, r); err != nil {
			return fmt.Errorf("play %s: %w", quote(sc.title), err)
		}
	}
	return nil
}

// tested is the config that a script is about, as it is written now: no last good one stands in for it.
func (p *program) tested(s *script, w config.World) (config.Opened, []config.Problem, error) {
	if s.config != "" {
		w = worldsToCheck(w, []string{s.config})[0]
	}
	proj, found, err := config.Find(w)
	if err == nil && !found {
		err = errNoConfig
	}
	if err != nil {
		return config.Opened{}, nil, err
	}
	merged, origins, problems, err := config.Load(proj, w)
	if err != nil || len(problems) > 0 {
		return config.Opened{}, problems, err
	}
	policy, problems := config.Compile(merged, origins)
	return config.Opened{Project: proj, Policy: policy}, problems, nil
}

// testScenario plays one scenario to its end, whatever fails on the way.
func (p *program) testScenario(file string, sc scenario, o config.Opened, r *testResult) error {
	env := map[string]string{}
	t, err := p.trial(o, func(name string) string { return env[name] })
	if err != nil {
		return err
	}
	pl := &player{trial: t, env: env}
	r.Scenarios++
	for _, st := range sc.steps {
		r.Steps++
		out, err := pl.play(st)
		if err != nil {
			return fmt.Errorf("line %d: %w", st.line, err)
		}
		if f := pl.compare(st, out); f != nil {
			f.File, f.Scenario = file, sc.title
			r.Failed++
			r.Failures = append(r.Failures, *f)
		}
	}
	return nil
}

func (p *program) printResult(asJSON bool, dir string, r *testResult) error {
	if asJSON {
		return p.json(r)
	}
	if err := config.PrintProblems(p.out, r.Problems, dir); err != nil {
		return fmt.Errorf("print problems: %w", err)
	}
	for _, f := range r.Failures {
		p.printFailure(f)
	}
	p.printf("%d scenarios, %d steps, %d failed\n", r.Scenarios, r.Steps, r.Failed)
	return nil
}
