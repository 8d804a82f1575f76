package main

import (
	"errors"
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
		Usage:     "Show the state of a session",
		ArgsUsage: "[SESSION]",
		Description: `Without SESSION the newest one, in short. Of a SESSION (its ID, the beginning
of it, or newest) it shows all that is known: task graph, budgets, overrides,
recent refusals and files.`,
		UsageText: `pipeline status
pipeline status 3f2a
pipeline status --watch
pipeline status --session 3f2a --json`,
		Flags: []cli.Flag{sessionFlag(),
			boolFlag("json", "print the session's document: state, context, history"),
			boolFlag("watch", "in a terminal: show it again each second, until ctrl-c")},
		Action: func(c *cli.Context) error {
			if c.Bool("watch") {
				return watchStatus(p, c)
			}
			return runStatus(p, c)
		},
	}
}

func runStatus(p *program, c *cli.Context) error {
	if c.NArg() > 1 {
		return usagef("status takes one session")
	}
	s, v, err := pickView(p, c, c.Args().First())
	if err != nil {
		return err
	}
	for _, note := range v.Notes {
		p.sayf("%s", note)
	}
	if c.NArg() == 0 {
		return p.printResult(c, v, func() { printOverview(p, s, v, readLevel(p, s, v)) })
	}
	d := gatherDetails(p, s, v)
	return p.printResult(c, d, func() {
		printOverview(p, s, v, d.Level)
		printDetails(p, d)
	})
}

// clearScreen moves to the first cell and erases what is below (ECMA-48).
const clearScreen = "\x1b[H\x1b[J"

// watchStatus shows the status again each second, until ctrl-c or until the terminal is gone.
func watchStatus(p *program, c *cli.Context) error {
	out := rawOut(p.out)
	if !isTerminal(out) || c.Bool("json") {
		return usagef("status --watch needs a terminal, and prints no JSON")
	}
	for ; ; time.Sleep(time.Second) {
		if _, err := fmt.Fprint(out, clearScreen); err != nil {
			return nil
		}
		if err := runStatus(p, c); err != nil && !errors.Is(err, errNoSession) {
			return err
		} else if err != nil {
			p.printf("waiting for a session to begin\n")
		}
	}
}

// readLevel is the level in force for a session. What of it cannot be read is reported.
func readLevel(p *program, s picked, v session.View) standingLevel {
	level, err := levelInForce(p, s.Opened, v.Session, time.Now())
	if err != nil {
		p.report(err)
	}
	return level
}

func printOverview(p *program, s picked, v session.View, level standingLevel) {
	t := p.newTable()
	t.row("session", s)
	state := "(the config has no states)"
	if v.State != "" {
		state = p.bold(v.State) + ", since " + v.Session.Machine.Since.Local().Format(time.DateTime)
		if _, ok := s.Policy.FindState(v.State); !ok {
			state += " (no longer in the config)"
		}
	}
	t.row("state", state)
	from := ""
	if level.From != level.Where {
		from = " (" + level.From + "; config: " + level.Config + ")"
	}
	t.row("level", p.paint(level.Level)+from)
	for _, b := range level.Bypass {
		t.row("bypass", p.style(visible.Yellow, visible.Line(hooks.DescribeBypass(b.Bypass))))
	}
	for _, r := range v.Session.RunningAgents() {
		quarantined := ""
		if r.Quarantined != "" {
			quarantined = ", not admitted: its tool calls are refused"
		}
		fmt.Fprintf(t, "%s\t%s (%s), %s%s\n", r.Status, visible.Line(r.Type), visible.Line(r.ID),
			visible.Count(r.Calls, "call"), quarantined)
	}
	for _, name := range slices.Sorted(maps.Keys(v.Session.Machine.Captures)) {
		fmt.Fprintf(t, "context\t%s: %d bytes\n", name, v.Session.Machine.Captures[name].Size)
	}
	t.row("denied", v.Session.Counts.Denied)
	if g, pr, err := sessionGraph(v); err == nil {
		left := len(g.Left(pr))
		fmt.Fprintf(t, "plan\t%d of %d phases done (pipeline tasks)\n", len(g.Phases)-left, len(g.Phases))
	}
	if a := v.Session.Machine.Approval; a != nil {
		t.row("waits for you", p.style(visible.Yellow, visible.Line(describeApproval(*a))))
	}
	if next := s.Policy.NewTable().Next(v.State); len(next) > 0 {
		t.row("next", strings.Join(next, ", "))
	}
	t.Flush()
	if len(v.History) == 0 {
		return
	}
	const most = 15 // fit on a screen
	p.printf("history\n")
	if n := len(v.History) - most; n > 0 {
		p.printf("  … %d earlier\n", n)
	}
	t = p.newTable()
	for _, h := range v.History[max(0, len(v.History)-most):] {
		where := h.StateBefore + " → " + h.StateAfter
		if h.StateBefore == h.StateAfter {
			where = h.StateAfter + " (stays)"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", h.Timestamp.Local().Format(time.TimeOnly), visible.Line(h.Agent), where)
	}
	t.Flush()
}
