package main

import (
	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/docs"
)

func newConfigCommand(p *program) command {
	return command{
		Usage: "Print the config in force, and where each value comes from",
		Description: `Exit codes: 0 fine, 1 the config has problems, 2 wrong usage, 3 could not
read.`,
		UsageText: "pipeline config",
		Flags: flags{boolFlag("json", "print it as JSON, without where it comes from"),
			boolFlag("reference", "print what each key means, with examples"),
			boolFlag("questions", "print the questions that the main agent asks itself before each "+
				"call, made from the rules")},
		Action: p.action(runConfig),
	}
}

func runConfig(c invocation) error {
	switch {
	case c.Bool("questions"): // what belongs in a client's instructions, unless the config injects it
		o, err := c.openProject()
		if err == nil {
			c.printf("%s\n", o.Policy.SelfCheckText())
		}
		return err
	case c.Bool("reference"):
		return c.printWhole(docs.Reference)
	}
	w := c.here()
	proj, err := findProject(w)
	if err != nil {
		return err
	}
	merged, origins, problems, err := config.Load(proj, w)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		c.printProblems(problems)
		return errProblems
	}
	if c.Bool("json") {
		return config.PrintJSON(c.wholeOut(), merged, origins)
	}
	return config.Print(c.wholeOut(), merged, origins)
}
