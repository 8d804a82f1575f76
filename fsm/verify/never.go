package verify

import (
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findDeadMoves finds what a state says of an agent that is never tried: something above it takes
// each of its agents, or no final message is the one that it asks for.
func findDeadMoves(x *explored, report func(Finding)) {
	names := x.listNames()
	for _, state := range x.order {
		for _, t := range x.state(state).Triggers {
			f := Finding{Severity: Problem, Where: t.Place, Names: []string{t.Name}, Trace: x.trace[state]}
			switch {
			case isImpossible(t.Says):
				f.Text = fmt.Sprintf("state %s: %s leads nowhere: no text matches /%s/", state, t.Name, t.Says)
				f.Hint = "correct the regular expression"
			case !slices.ContainsFunc(names, func(agent string) bool { return x.leads(state, agent, t.Name) }):
				f.Text = fmt.Sprintf("state %s: %s leads nowhere: what is above it takes each of its agents", state,
					t.Name)
				f.Hint = "put it first, or remove it"
			default:
				continue
			}
			report(f)
		}
	}
}

func (x *explored) leads(state, agent, trigger string) bool {
	return slices.ContainsFunc(x.table.FindLeads(state, agent),
		func(l fsm.Trigger) bool { return l.Name == trigger })
}

// findAllFails finds regular expressions of failures that match any message: then no agent's work
// ever counts.
func findAllFails(x *explored, report func(Finding)) {
	for _, expr := range x.p.Fails {
		re, err := regexp.Compile(expr)
		matches := func(text string) bool { return err == nil && re.MatchString(text) }
		if matches(anyName) && matches("Done.") && matches("# Report\n\n1. The work is done.\n") {
			report(Finding{Severity: Problem, Names: []string{expr}, Hint: "write how the messages of a failure begin",
				Text: fmt.Sprintf("fails: %s matches any final message: every agent has failed, and none moves "+
					"the state", expr)})
		}
	}
}

// findOverruled finds objections of which an exception above leaves little. It may be meant so,
// but hardly by the one who wrote the objection.
func findOverruled(x *explored, report func(Finding)) {
	for _, set := range []*fsm.Rules{&x.p.Main, &x.p.Subagents} {
		for i := range set.List {
			r := &set.List[i]
			if r.Verdict <= fsm.Warn || len(set.Covered(i, x.order)) > 0 || len(x.statesOf(r)) == 0 {
				continue
			}
			f := Finding{Severity: Note, Where: r.Place, Names: []string{r.Name},
				Hint: "put the narrower rule first, or leave out what has no effect"}
			if tools, by := listOverruled(set, i, x.order, r.Tools, takeTool); len(tools) > 0 {
				f.Text = fmt.Sprintf("rule %s does not decide about %s: %s allows it before", r.Name,
					strings.Join(tools, ", "), strings.Join(by, ", "))
				report(f)
			}
			if commands, by := listOverruled(set, i, x.order, r.Commands, takeCommand); len(commands) > 0 {
				var lines []string
				for _, c := range commands {
					lines = append(lines, "`"+strings.Join(c, " ")+"`")
				}
				f.Text = fmt.Sprintf("rule %s decides about %s only inside of other commands, such as sudo: %s "+
					"allows it before", r.Name, strings.Join(lines, ", "), strings.Join(by, ", "))
				report(f)
			}
		}
	}
}

func takeTool(r *fsm.Rule, tool string) { r.Tools = []string{tool} }

// allows reports whether a rule is an exception that does not name the very same commands: who names
// them twice means what is inside of others.
func allows(r *fsm.Rule, commands [][]string) bool {
	return r.Verdict == fsm.Pass && !slices.ContainsFunc(r.Commands, func(a []string) bool {
		return slices.ContainsFunc(commands, func(b []string) bool { return slices.Equal(a, b) })
	})
}

// takeCommand asks as for an exception: whether the bare command is decided before.
func takeCommand(r *fsm.Rule, command []string) {
	r.Commands, r.Verdict = [][]string{command}, fsm.Pass
}

// listOverruled lists the parts of a rule that exceptions above it decide, and these.
func listOverruled[T any](set *fsm.Rules, i int, states []string, parts []T, take func(*fsm.Rule, T)) (
	out []T, by []string,
) {
	for _, part := range parts {
		one := set.List[i]
		take(&one, part)
		above := fsm.Rules{List: append(slices.Clone(set.List[:i]), one)}
		covering := above.Covered(i, states)
		if len(covering) == 0 || slices.ContainsFunc(covering,
			func(j int) bool { return !allows(&set.List[j], one.Commands) }) {
			continue
		}
		out = append(out, part)
		for _, j := range covering {
			if !slices.Contains(by, set.List[j].Name) {
				by = append(by, set.List[j].Name)
			}
		}
	}
	return out, by
}

// isImpossible reports whether no text matches a regular expression, as far as that is easily
// seen: a class of no characters, or the text's beginning or end in the middle of it.
func isImpossible(expr string) bool {
	re, err := syntax.Parse(expr, syntax.Perl)
	return err == nil && matchesNothing(re.Simplify())
}

func matchesNothing(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpNoMatch, syntax.OpCharClass:
		return len(re.Rune) == 0
	case syntax.OpCapture, syntax.OpPlus:
		return matchesNothing(re.Sub[0])
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !matchesNothing(s) })
	case syntax.OpConcat:
		for i, s := range re.Sub {
			if matchesNothing(s) || s.Op == syntax.OpBeginText && slices.ContainsFunc(re.Sub[:i], takesText) ||
				s.Op == syntax.OpEndText && slices.ContainsFunc(re.Sub[i+1:], takesText) {
				return true
			}
		}
	}
	return false
}

// takesText reports whether an expression never matches the empty text.
func takesText(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral, syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return true
	case syntax.OpCapture, syntax.OpPlus:
		return takesText(re.Sub[0])
	case syntax.OpConcat:
		return slices.ContainsFunc(re.Sub, takesText)
	case syntax.OpAlternate:
		return !slices.ContainsFunc(re.Sub, func(s *syntax.Regexp) bool { return !takesText(s) })
	}
	return false
}
