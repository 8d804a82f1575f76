package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// deadRules finds rules that never decide anything.
func deadRules(x *explored) []Finding {
	var out []Finding
	for _, set := range []*fsm.Rules{&x.p.Main, &x.p.Subagents} {
		for i := range set.List {
			r := &set.List[i]
			f := Finding{Severity: Problem, Where: r.Place, Names: []string{r.Name}}
			if f.Text, f.Hint = x.nowhere(r); f.Text == "" {
				f.Text, f.Hint = x.covered(set.List[:i], r)
			}
			if f.Text == "" && set == &x.p.Subagents {
				f.Severity = Note
				f.Text, f.Hint = x.forNobody(r)
			}
			if f.Text != "" {
				out = append(out, f)
			}
		}
	}
	return out
}

// off reports whether a rule is switched off: that it never fires is what was meant.
func off(r *fsm.Rule) bool { return r.Levelled && r.Level == fsm.Off }

// scope lists the states in which a rule can fire, of those that can be reached. A policy without states has one: "".
func (x *explored) scope(r *fsm.Rule) []string {
	if len(x.p.States) == 0 {
		return []string{""}
	}
	return slices.DeleteFunc(slices.Clone(x.order), func(s string) bool { return !speaksOf(r, s) })
}

func speaksOf(r *fsm.Rule, state string) bool {
	return len(r.States) == 0 || slices.Contains(r.States, state)
}

// nowhere: the rule asks for states that cannot be reached.
func (x *explored) nowhere(r *fsm.Rule) (text, hint string) {
	if off(r) || len(x.scope(r)) > 0 {
		return "", ""
	}
	return fmt.Sprintf("rule %s can never fire: it asks for %s, which no one can reach", r.Name, strings.Join(r.States, ", ")),
		"remove it, or lead to the state"
}

// covered: whatever the rule fits is decided by an earlier one, whichever that is for each tool and state.
func (x *explored) covered(earlier []fsm.Rule, r *fsm.Rule) (text, hint string) {
	var all []string
	if off(r) {
		return "", ""
	}
	for _, tool := range r.Tools {
		for _, called := range fsm.ToolAliases(tool) {
			for _, state := range x.scope(r) {
				i := slices.IndexFunc(earlier, func(e fsm.Rule) bool { return decides(&e, r, called, state) })
				if i < 0 {
					return "", ""
				}
				if name := earlier[i].Name; !slices.Contains(all, name) {
					all = append(all, name)
				}
			}
		}
	}
	return fmt.Sprintf("rule %s can never fire: whatever it fits, %s decides before it", r.Name, strings.Join(all, ", ")),
		"put the narrower rule first"
}

// decides reports whether an earlier rule decides all that the later one fits, of the calls of one tool in one state. It
// never says so wrongly; of globs it knows only those that are written alike.
func decides(e, r *fsm.Rule, tool, state string) bool {
	if e.Budgeted || e.Within > 0 || off(e) || !speaksOf(e, state) || !names(e, tool) {
		return false
	}
	words := func(p []string) string { return strings.Join(p, " ") }
	same := func(s string) string { return s }
	input := func(i fsm.Input) string { return i.Name + "=" + i.Value }
	return narrower(r.Paths, e.Paths, same) && narrower(r.Agents, e.Agents, same) &&
		sameReading(e, r) && narrower(r.Commands, e.Commands, words) &&
		within(e.Inputs, r.Inputs, input) && within(e.Env, r.Env, input) && within(e.UnlessEnv, r.UnlessEnv, input)
}

// names reports whether a rule fits a tool, or all the tools of a glob.
func names(r *fsm.Rule, tool string) bool {
	if !fsm.IsGlob(tool) {
		return r.CoversTool(tool)
	}
	return slices.Contains(r.Tools, tool) || slices.Contains(r.Tools, "*")
}

// sameReading: an objection fits a command inside of wrappers, an exception does not. An exception that stands first
// leaves those to the objection behind it.
func sameReading(e, r *fsm.Rule) bool {
	return len(e.Commands) == 0 || e.Verdict > fsm.Pass || r.Verdict == fsm.Pass
}

// narrower reports whether what the later list asks for implies what the earlier one does. An empty list asks nothing.
func narrower[T any](later, earlier []T, text func(T) string) bool {
	return len(earlier) == 0 || len(later) > 0 && within(later, earlier, text)
}

func within[T any](these, those []T, text func(T) string) bool {
	for _, a := range these {
		if !slices.ContainsFunc(those, func(b T) bool { return text(a) == text(b) }) {
			return false
		}
	}
	return true
}

// forNobody: the rule asks for agents by name that no state admits, or that do not exist. A person may start one all the
// same, so that it is only likely.
func (x *explored) forNobody(r *fsm.Rule) (text, hint string) {
	if off(r) || len(r.Agents) == 0 || slices.ContainsFunc(r.Agents, fsm.IsGlob) {
		return "", ""
	}
	for _, a := range r.Agents {
		if (len(x.p.States) == 0 || x.admits(a)) && (len(x.known) == 0 || x.exists(a)) {
			return "", ""
		}
	}
	return fmt.Sprintf("rule %s will hardly ever fire: of %s no state admits any, or they do not exist", r.Name, strings.Join(r.Agents, ", ")),
		"correct the names, or remove the rule"
}
