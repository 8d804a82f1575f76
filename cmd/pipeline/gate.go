package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/hooks/report"
)

func newGateCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:  "gate",
		Usage: "Fail when the compliance score is too low, for CI",
		Description: "The score is the share of the orchestrator's tool requests to which level strict has no\n" +
			"objection. It does not include calls under the levels observe and off, nor bypassed ones.\n" +
			"Exit codes: 0 reached, 1 too low, 2 wrong usage, 3 nothing to judge, or it could not work.",
		UsageText: "pipeline gate --min 90 --since 7d",
		Flags: append(reportFlags(),
			&cli.Float64Flag{Name: "min", Value: 80, Usage: "the `SCORE` to reach, 0 to 100"}),
		Action: func(c *cli.Context) error { return runGate(p, c) },
	}
}

func runGate(p *program, c *cli.Context) error {
	least := c.Float64("min")
	if !(least >= 0 && least <= 100) {
		return usageError{fmt.Sprintf("found --min %v, expected 0 to 100", least)}
	}
	r, err := buildReport(p, c)
	if err != nil {
		return err
	}
	p.printf("%s\n", r.Score.Formula)
	if r.ComplianceScore == nil {
		return errors.New("there is nothing to judge: no guarded tool request of the orchestrator")
	}
	for _, v := range r.Breakdown[:min(5, len(r.Breakdown))] { // the rules that objected most
		p.printf("  %d × %s (%s), %s\n", v.Count, v.Rule, v.Type, describeFate(v))
	}
	if *r.ComplianceScore < least {
		p.printf("score %.1f: below %v\n", *r.ComplianceScore, least)
		return errProblems
	}
	p.printf("score %.1f: at least %v\n", *r.ComplianceScore, least)
	return nil
}

func describeFate(v report.Violation) string {
	switch {
	case v.Blocked:
		return "blocked"
	case v.Asked:
		return "asked"
	case v.Warned:
		return "warned"
	}
	return "let through"
}
