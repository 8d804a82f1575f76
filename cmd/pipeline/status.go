package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newStatusCommand(p *program) *cli.Command {
	return &cli.Command{
		Name:        "status",
		Usage:       "Show the state of a session",
		Description: "Exit codes: 0 fine, 2 wrong usage, 3 no config, no session, or it could not be read.",
		UsageText: "pipeline status\n" +
			"pipeline status --session 3f2a --json",
		Flags: []cli.Flag{sessionFlag(),
			&cli.BoolFlag{Name: "json", Usage: "print the session's document: state, context, history"}},
		Action: func(c *cli.Context) error { return runStatus(p, c) },
	}
}

func runStatus(p *program, c *cli.Context) error {
	s, v, err := pickView(p, c, "")
	if err != nil {
		return err
	}
	for _, note := range v.Notes {
		p.sayf("%s", note)
	}
	return p.printResult(c, v, func() { printOverview(p, s, v) })
}

func printOverview(p *program, s picked, v session.View) {
	t := p.newTable()
	fmt.Fprintf(t, "session\t%s (%s)\n", v.SessionID, s.how)
	fmt.Fprintf(t, "state\t%s\n", describeState(p, s, v))
	level, err := levelInForce(p, s.Opened, v.Session, time.Now())
	if err != nil {
		p.sayf("%v", err)
	}
	from := ""
	if level.From != level.Where {
		from = " (" + level.From + "; config: " + level.Config + ")"
	}
	fmt.Fprintf(t, "level\t%s%s\n", p.paint(level.Level), from)
	for _, b := range level.Bypass {
		fmt.Fprintf(t, "bypass\t%s\n", p.style(visible.Yellow, visible.Line(hooks.DescribeBypass(b.Bypass))))
	}
	for _, r := range v.Session.RunningAgents() {
		quarantined := ""
		if r.Quarantined != "" {
			quarantined = ", not admitted: its tool calls are refused"
		}
		fmt.Fprintf(t, "%s\t%s (%s)%s\n", r.Status, visible.Line(r.Type), visible.Line(r.ID), quarantined)
	}
	for _, name := range slices.Sorted(maps.Keys(v.Session.Machine.Captures)) {
		fmt.Fprintf(t, "context\t%s: %d bytes\n", name, v.Session.Machine.Captures[name].Size)
	}
	if g, pr, err := sessionGraph(v); err == nil {
		left := len(g.Left(pr))
		fmt.Fprintf(t, "plan\t%d of %d phases done (pipeline tasks)\n", len(g.Phases)-left, len(g.Phases))
	}
	if a := v.Session.Machine.Approval; a != nil {
		fmt.Fprintf(t, "waits for you\t%s\n", p.style(visible.Yellow, visible.Line(describeApproval(*a))))
	}
	if next := s.Policy.NewTable().Next(v.State); len(next) > 0 {
		fmt.Fprintf(t, "next\t%s\n", strings.Join(next, ", "))
	}
	t.Flush()
	printHistory(p, v.History)
}

func describeState(p *program, s picked, v session.View) string {
	if v.State == "" {
		return "(the config has no states)"
	}
	out := p.bold(v.State) + ", since " + v.Session.Machine.Since.Local().Format(time.DateTime)
	if _, ok := s.Policy.FindState(v.State); !ok {
		out += " (no longer in the config)"
	}
	return out
}

// shownSteps is how much of the history fits on a screen.
const shownSteps = 15

func printHistory(p *program, steps []session.Step) {
	if len(steps) == 0 {
		return
	}
	p.printf("history\n")
	if n := len(steps) - shownSteps; n > 0 {
		p.printf("  … %d earlier\n", n)
		steps = steps[n:]
	}
	t := p.newTable()
	for _, h := range steps {
		where := h.StateBefore + " → " + h.StateAfter
		if h.StateBefore == h.StateAfter {
			where = h.StateAfter + " (stays)"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", h.Timestamp.Local().Format(time.TimeOnly), visible.Line(h.Agent), where)
	}
	t.Flush()
}
