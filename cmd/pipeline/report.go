package main

import (
	"errors"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/report"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newReportCommand(p *program) command {
	return command{
		Usage: "Summarize a session, or all of them",
		Description: `Without flags the newest session, as text. Lines of the journal that cannot
be verified count nowhere: the report gives their number and names them.

The score of --gate is the share of the orchestrator's tool requests to which
level strict has no objection. It does not include calls under the levels
observe and off, nor bypassed ones. --readiness looks at all of the project's
journals. Each criterion has a figure, a threshold, and go or no-go; n/a does
not count. Where the level is strict already, red flags count.
Exit codes: 0 fine, 1 below the gate, no-go or roll back, 2 wrong usage, 3 no
config, nothing recorded, or it could not be read or written.`,
		UsageText: `pipeline report
pipeline report --since 7d --format html > report.html
pipeline report --since 7d --gate 90
pipeline report --readiness`,
		Flags: flags{sessionFlag(),
			textFlag("since", "all sessions, from `TIME` on: an age (7d, 12h) or a day (2026-01-31)"),
			valueFlag("format", "text", "as `FORMAT`: text, json or html (one page with plots)"),
			boolFlag("json", "the same as --format json"),
			&cli.Float64Flag{Name: "gate", Usage: "fail when the compliance score is below `N`, 0 to 100; for CI"},
			boolFlag("readiness", "decide whether the policy is ready to be enforced")},
		Action: p.action(runReport),
	}
}

// runReport prints a report. A judgement, of the gate or of readiness, is printed as text or as JSON.
func runReport(c invocation) error {
	isGate, isReadiness := c.IsSet("gate"), c.Bool("readiness")
	switch {
	case isGate && isReadiness:
		return usagef("report: either --gate or --readiness")
	case (isGate || isReadiness) && c.IsSet("format"):
		return usagef("report: --gate and --readiness take --json, not --format")
	case isGate:
		return runGate(c)
	case isReadiness && (c.IsSet("since") || c.IsSet("session")):
		return usagef("report --readiness looks at all sessions: it takes neither --since nor --session")
	case isReadiness:
		return c.inProject(runReadiness)(c.Context)
	}
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	if err := checkWord("unknown format", format, "text", "json", "html"); err != nil {
		return err
	}
	r, err := buildReport(c)
	switch {
	case err != nil:
		return err
	case format == "json":
		return r.JSON(c.wholeOut())
	case format == "html":
		return r.HTML(c.wholeOut())
	}
	return r.Text(c.out)
}

// buildReport makes the report that the flags ask for, and warns of what it leaves out.
func buildReport(c invocation) (r report.Report, err error) {
	since, err := parseAge(c.String("since"), time.Now())
	if err != nil {
		return r, err
	}
	s, err := pickSession(c)
	isAll := c.String("since") != "" && c.String("session") == ""
	if gone, _ := s.store.Vanished(); err != nil && (!isAll || !errors.Is(err, errNoSession) || len(gone) == 0) {
		return r, err
	}
	if isAll {
		r, err = report.All(s.store, since)
	} else {
		r, err = report.Of(s.store, s.ID, since)
	}
	if e := r.Evidence; err == nil && e.Unread+e.Breaks > 0 || e.Missing > 0 {
		c.sayf("not all records can be trusted: %s", e)
	}
	return r, err
}

func runGate(c invocation) error {
	least := c.Float64("gate")
	if !(least >= 0 && least <= 100) {
		return usagef("found --gate %v, expected 0 to 100", least)
	}
	r, err := buildReport(c)
	if err != nil {
		return err
	}
	if r.ComplianceScore == nil {
		c.printf("%s\n", r.Score.Formula)
		return errors.New("there is nothing to judge: no guarded tool request of the orchestrator")
	}
	out := gateDoc{Score: *r.ComplianceScore, Min: least, Reached: *r.ComplianceScore >= least,
		Formula: r.Score.Formula, Rules: append([]report.Violation{}, r.Breakdown...)}
	return failIf(!out.Reached, c.printResult(out, func() {
		c.printf("%s\n", out.Formula)
		for _, v := range out.Rules[:min(5, len(out.Rules))] {
			kind := ""
			if v.Type != v.Rule {
				kind = " (" + v.Type + ")"
			}
			c.printf("  %d × %s%s, %s\n", v.Count, v.Rule, kind, v.Fate())
		}
		result := "at least"
		if !out.Reached {
			result = "below"
		}
		c.printf("score %.1f: %s %v\n", out.Score, result, out.Min)
	}))
}

// A gateDoc is the document of `report --gate N --json`.
type gateDoc struct {
	Score   float64            `json:"score"`
	Min     float64            `json:"min"`
	Reached bool               `json:"reached"`
	Formula string             `json:"formula"`
	Rules   []report.Violation `json:"violation_breakdown"` // those that objected most come first
}

func runReadiness(c invocation, o opened) error {
	all, err := hooks.ErrorLog{Home: o.Project.Home}.ReadErrors()
	c.report(err)
	var ownErrors []string
	for _, e := range all {
		ownErrors = append(ownErrors, e.Error)
	}
	seen, err := report.Observe(o.store, ownErrors, o.Policy, c.report)
	if err != nil {
		return err
	}
	out := seen.Judge(time.Now())
	if out.Last.IsZero() {
		return errNoSession
	}
	return failIf(out.Verdict == report.NoGo || out.Verdict == report.RollBack,
		c.printResult(out, func() { printReadiness(c, out) }))
}

func printReadiness(c invocation, s report.Readiness) {
	c.printf("%s (level %s, observed from %s to %s)\n\n", c.paint(s.Verdict), s.Level,
		s.First.Local().Format(time.DateOnly), s.Last.Local().Format(time.DateOnly))
	t := c.newTable("CRITERION", "FIGURE", "THRESHOLD", "VERDICT")
	for _, x := range s.Criteria {
		t.row(x.Name, x.Figure, x.Threshold, x.Verdict)
	}
	t.Flush()
	for _, x := range s.Criteria {
		for _, d := range x.Detail {
			c.printf("  %s: %s\n", x.Name, d)
		}
	}
	if len(s.Denied) > 0 {
		c.printf("\nwhat strict denies, by rule: %s\n", strings.Join(report.Frequent(s.Denied), ", "))
	}
	for _, f := range s.RedFlags {
		c.printf("red flag: %s\n", f)
	}
	if s.Verdict == report.RollBack {
		c.printf("to roll back, set: level: guidance\n")
	}
	if s.Damaged > 0 {
		c.printf("%s of the journals could not be read and count nowhere\n", visible.Count(s.Damaged, "line"))
	}
}
