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
			&cli.Float64Flag{Name: "min", Value: 80, Usage: "the `SCORE` to reach, 0 to 100"},
			&cli.BoolFlag{Name: "json", Usage: "print the result as JSON"}),
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
	if r.ComplianceScore == nil {
		p.printf("%s\n", r.Score.Formula)
		return errors.New("there is nothing to judge: no guarded tool request of the orchestrator")
	}
	out := gateDoc{Score: *r.ComplianceScore, Min: least, Reached: *r.ComplianceScore >= least,
		Formula: r.Score.Formula, Rules: append([]report.Violation{}, r.Breakdown...)}
	return failIf(!out.Reached, p.printResult(c, out, func() { printGate(p, out) }))
}

// A gateDoc is the document of `gate --json`.
type gateDoc struct {
	Score   float64            `json:"score"`
	Min     float64            `json:"min"`
	Reached bool               `json:"reached"`
	Formula string             `json:"formula"`
	Rules   []report.Violation `json:"violation_breakdown"` // those that objected most come first
}

func printGate(p *program, g gateDoc) {
	p.printf("%s\n", g.Formula)
	for _, v := range g.Rules[:min(5, len(g.Rules))] {
		kind := ""
		if v.Type != v.Rule {
			kind = " (" + v.Type + ")"
		}
		p.printf("  %d × %s%s, %s\n", v.Count, v.Rule, kind, describeFate(v))
	}
	result := "at least"
	if !g.Reached {
		result = "below"
	}
	p.printf("score %.1f: %s %v\n", g.Score, result, g.Min)
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
