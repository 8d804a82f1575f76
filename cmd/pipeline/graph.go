package main

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/diagram"
	"github.com/agent-pipeline/pipeline/fsm/verify"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

func newGraphCommand(p *program) command {
	return command{
		Usage: "Draw the pipeline, with the session's state marked",
		UsageText: `pipeline graph
pipeline graph --format mermaid
pipeline graph --powers`,
		Flags: flags{sessionFlag(),
			valueFlag("format", "text", "as `FORMAT`: "+diagram.Formats),
			boolFlag("powers", "list who may change files, push, build and run unknown code in each state")},
		Action: p.action(drawGraph),
	}
}

func drawGraph(c invocation) error {
	s, err := pickSession(c)
	if err != nil && !errors.Is(err, errNoSession) {
		return err
	}
	if c.Bool("powers") {
		return c.printWhole(drawPowers(verify.ListPowers(s.Policy, s.Project.Root)))
	}
	if len(s.Policy.States) == 0 {
		c.sayf("no states: this config has only rules")
		return nil
	}
	current := s.Policy.Initial
	if s.ID != "" {
		last, err := s.store.Last(s.ID)
		if err != nil {
			return err
		}
		current = cmp.Or(s.Policy.FindState(last.Machine.State).Name, current)
		c.sayf("session %s is in %s", s, last.Machine.State)
	}
	out, err := diagram.Draw(s.Policy, current, c.String("format"))
	if err != nil {
		return usageError{err}
	}
	return c.printWhole(out)
}

// drawPowers draws who may do what, at most 80 columns wide.
func drawPowers(all []verify.Powers) string {
	const row = "%-13s %-31s %-8s %-8s %-8s %s\n"
	var out strings.Builder
	fmt.Fprintf(&out, row, "state", "who", "write", "leave", "build", "unknown")
	for i, w := range all {
		state, who := visible.Shorten(w.State, 13), ""
		if i > 0 && w.State == all[i-1].State {
			state = ""
		}
		for _, a := range w.Agents {
			who += ", " + visible.Shorten(a, 30)
		}
		if w.Since != "" {
			who += " (from " + visible.Shorten(w.Since, 30) + ")"
		}
		lines := foldWords(strings.TrimPrefix(who, ", "), 31)
		fmt.Fprintf(&out, row, state, lines[0], w.Write, w.Leave, w.Build, w.Unknown)
		for _, more := range lines[1:] {
			fmt.Fprintf(&out, "%-13s %s\n", "", more)
		}
	}
	out.WriteString("write: a file of the project; leave: git push; build: and test; unknown: code\n")
	return out.String()
}
