package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func runReadiness(p *program, c *cli.Context) error {
	o, err := p.openProject(c)
	if err != nil {
		return err
	}
	warn := func(err error) { p.sayf("%v", err) }
	all, err := hooks.ErrorLog{Home: o.Project.Home}.ReadErrors()
	if err != nil {
		warn(err)
	}
	var ownErrors []string
	for _, e := range all {
		ownErrors = append(ownErrors, e.Error)
	}
	seen, err := report.Observe(store(o, 0), ownErrors, o.Policy, warn)
	if err != nil {
		return err
	}
	if seen.IsEmpty() {
		return errNoSession
	}
	out := seen.Judge(time.Now())
	return failIf(out.Verdict == report.NoGo || out.Verdict == report.RollBack,
		p.printResult(c, out, func() { printReadiness(p, out) }))
}

func printReadiness(p *program, s report.Readiness) {
	p.printf("%s (level %s, observed from %s to %s)\n\n", p.paint(s.Verdict), s.Level,
		s.First.Local().Format(time.DateOnly), s.Last.Local().Format(time.DateOnly))
	t := p.newTable()
	fmt.Fprintln(t, "CRITERION\tFIGURE\tTHRESHOLD\tVERDICT")
	for _, c := range s.Criteria {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\n", c.Name, c.Figure, c.Threshold, c.Verdict)
	}
	t.Flush()
	for _, c := range s.Criteria {
		for _, d := range c.Detail {
			p.printf("  %s: %s\n", c.Name, d)
		}
	}
	if len(s.Denied) > 0 {
		p.printf("\nwhat strict denies, by rule: %s\n", strings.Join(report.Frequent(s.Denied), ", "))
	}
	for _, f := range s.RedFlags {
		p.printf("red flag: %s\n", f)
	}
	if s.Verdict == report.RollBack {
		p.printf("to roll back, set: level: guidance\n")
	}
	if s.Damaged > 0 {
		p.printf("%s of the journals could not be read and count nowhere\n", visible.Count(s.Damaged, "line"))
	}
	p.printf("next review: %s (%s after the first record)\n", s.Review.Due.Local().Format(time.DateOnly),
		s.Review.After)
}
