package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newStatusCommand(p *program) command {
	return command{
		Usage:     "Show the state of a session",
		ArgsUsage: "[SESSION]",
		Description: `Without SESSION the newest one, in short. Of a SESSION (its ID, the beginning
of it, or newest) it shows all that is known: task graph, budgets, overrides,
recent refusals and files.`,
		UsageText: `pipeline status
pipeline status 3f2a
pipeline status --watch
pipeline status --session 3f2a --json`,
		Flags: flags{sessionFlag(),
			boolFlag("json", "print the session's document: state, context, history"),
			boolFlag("watch", "in a terminal: show it again each second, until ctrl-c")},
		Action: p.action(func(c invocation) error {
			if c.Bool("watch") {
				return watchStatus(c)
			}
			return runStatus(c)
		}),
	}
}

func runStatus(c invocation) error {
	if c.NArg() > 1 {
		return usagef("status takes one session")
	}
	s, v, err := pickView(c, c.Args().First())
	if err != nil {
		return err
	}
	for _, note := range v.Notes {
		c.sayf("%s", note)
	}
	if c.NArg() == 0 {
		return c.printResult(v, func() { printOverview(s, v, readLevel(s, v)) })
	}
	d := gatherDetails(s, v)
	return c.printResult(d, func() {
		printOverview(s, v, d.Level)
		printDetails(c, d)
	})
}

// clearScreen moves to the first cell and erases what is below (ECMA-48).
const clearScreen = "\x1b[H\x1b[J"

// watchStatus shows the status again each second, until ctrl-c or until the terminal is gone.
func watchStatus(c invocation) error {
	out := rawOut(c.out)
	if !isTerminal(out) || c.Bool("json") {
		return usagef("status --watch needs a terminal, and prints no JSON")
	}
	for ; ; time.Sleep(time.Second) {
		if _, err := fmt.Fprint(out, clearScreen); err != nil {
			return nil
		}
		if err := runStatus(c); err != nil && !errors.Is(err, errNoSession) {
			return err
		} else if err != nil {
			c.printf("waiting for a session to begin\n")
		}
	}
}

// readLevel is the level in force for a session. What of it cannot be read is reported.
func readLevel(s picked, v session.View) standingLevel {
	level, err := s.levelInForce(v.Session)
	s.report(err)
	return level
}

func printOverview(s picked, v session.View, level standingLevel) {
	t := s.newTable()
	t.row("session", s)
	state := "(the config has no states)"
	if v.State != "" {
		state = s.bold(v.State) + ", since " + formatTime(v.Session.Machine.Since)
		if s.Policy.FindState(v.State).Name == "" {
			state += " (no longer in the config)"
		}
	}
	t.row("state", state)
	from := ""
	if level.From != level.Where {
		from = " (" + level.From + "; config: " + level.Config + ")"
	}
	t.row("level", s.paint(level.Level)+from)
	for _, b := range level.Bypass {
		t.row("bypass", s.style(visible.Yellow, visible.Line(hooks.DescribeBypass(b.Bypass))))
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
		t.row("waits for you", s.style(visible.Yellow, visible.Line(describeApproval(*a))))
	}
	if next := s.Policy.NewTable().Next(v.State); len(next) > 0 {
		t.row("next", strings.Join(next, ", "))
	}
	t.Flush()
	if len(v.History) == 0 {
		return
	}
	const most = 15 // fit on a screen
	s.printf("history\n")
	if n := len(v.History) - most; n > 0 {
		s.printf("  … %d earlier\n", n)
	}
	t = s.newTable()
	for _, h := range v.History[max(0, len(v.History)-most):] {
		where := h.StateBefore + " → " + h.StateAfter
		if h.StateBefore == h.StateAfter {
			where = h.StateAfter + " (stays)"
		}
		fmt.Fprintf(t, "  %s\t%s\t%s\n", h.Timestamp.Local().Format(time.TimeOnly), visible.Line(h.Agent), where)
	}
	t.Flush()
}
