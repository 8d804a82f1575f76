package verify

import (
	"regexp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findDeadMoves finds what a state says of an agent that is never tried: something above it takes
// each of its agents.
func findDeadMoves(x *explored, report reporter) {
	names := x.listNames()
	for _, state := range x.order {
		for _, t := range x.state(state).Triggers {
			isTriedBy := func(agent string) bool {
				return slices.ContainsFunc(x.table.FindLeads(state, agent),
					func(l fsm.Trigger) bool { return l.Name == t.Name })
			}
			if !slices.ContainsFunc(names, isTriedBy) {
				f := at(Problem, t.Place, t.Name)
				f.Trace = x.trace[state]
				report(f, "put it first, or remove it",
					"state %s: %s leads nowhere: what is above it takes each of its agents", state, t.Name)
			}
		}
	}
}

// findAllFails finds regular expressions of failures that match any message: then no agent's work
// ever counts.
func findAllFails(x *explored, report reporter) {
	for _, expr := range x.p.Fails {
		re, err := regexp.Compile(expr)
		matches := func(text string) bool { return err == nil && re.MatchString(text) }
		if matches(anyName) && matches("Done.") && matches("# Report\n\n1. The work is done.\n") {
			report(at(Problem, "", expr), "write how the messages of a failure begin",
				"fails: %s matches any final message: every agent has failed, and none moves the state", expr)
		}
	}
}

// findOverruled finds objections of which an exception above leaves little. It may be meant so,
// but hardly by the one who wrote the objection.
func findOverruled(x *explored, report reporter) {
	for _, r := range x.rules {
		if r.Verdict <= fsm.Warn || len(x.covering(r)) > 0 || len(x.statesOf(r.Rule)) == 0 {
			continue
		}
		var tools, commands []fsm.Rule
		var lines []string
		for _, tool := range r.Tools {
			one := *r.Rule
			one.Tools = []string{tool}
			tools = append(tools, one)
		}
		for _, command := range r.Commands {
			one := *r.Rule // as an exception: is the bare command decided before?
			one.Commands, one.Verdict = [][]string{command}, fsm.Pass
			commands, lines = append(commands, one), append(lines, "`"+strings.Join(command, " ")+"`")
		}
		x.reportOverruled(r, tools, r.Tools, "rule %s does not decide about %s: %s allows it before", report)
		x.reportOverruled(r, commands, lines,
			"rule %s decides about %s only inside of other commands, such as sudo: %s allows it before", report)
	}
}

// reportOverruled reports the parts of a rule that exceptions above it decide, and these.
func (x *explored) reportOverruled(r listed, parts []fsm.Rule, names []string, text string, report reporter) {
	var out, by []string
	for k, one := range parts {
		above := fsm.Rules{List: append(slices.Clone(r.set.List[:r.i]), one)}
		covering := above.Covered(r.i, x.order)
		// who names the very same commands twice means what is inside of others
		isNamed := func(c []string) bool {
			return slices.ContainsFunc(one.Commands, func(o []string) bool { return slices.Equal(c, o) })
		}
		if len(covering) == 0 || slices.ContainsFunc(covering, func(j int) bool {
			return above.List[j].Verdict != fsm.Pass || slices.ContainsFunc(above.List[j].Commands, isNamed)
		}) {
			continue
		}
		out = append(out, names[k])
		for _, j := range covering {
			by = addMissing(by, above.List[j].Name)
		}
	}
	if len(out) > 0 {
		report(at(Note, r.Place, r.Name), "put the narrower rule first, or leave out what has no effect", text, r.Name,
			strings.Join(out, ", "), strings.Join(by, ", "))
	}
}
