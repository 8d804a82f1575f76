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
				f.Text, f.Hint = x.covered(set, i)
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

// scope lists the states in which a rule can fire, of those that can be reached. A
// policy without states has one: "".
func (x *explored) scope(r *fsm.Rule) []string {
	if len(x.p.States) == 0 {
		return []string{""}
	}
	return slices.DeleteFunc(slices.Clone(x.order), func(s string) bool { return !r.FitsState(s) })
}

// nowhere: the rule asks for states that cannot be reached.
func (x *explored) nowhere(r *fsm.Rule) (text, hint string) {
	if off(r) || len(x.scope(r)) > 0 {
		return "", ""
	}
	return fmt.Sprintf("rule %s can never fire: it asks for %s, which no one can reach", r.Name,
			strings.Join(r.States, ", ")),
		"remove it, or lead to the state"
}

// covered names the earlier rules that decide everything that a rule fits.
func (x *explored) covered(set *fsm.Rules, i int) (text, hint string) {
	by := set.Covered(i, x.order)
	if len(by) == 0 {
		return "", ""
	}
	var names []string
	for _, j := range by {
		names = append(names, set.List[j].Name)
	}
	return fmt.Sprintf("rule %s can never fire: whatever it fits, %s decides before it", set.List[i].Name,
			strings.Join(names, ", ")),
		"put the narrower rule first"
}

// forNobody: the rule asks for agents by name that no state admits, or that do not
// exist. A person may start one all the same, so that it is only likely.
func (x *explored) forNobody(r *fsm.Rule) (text, hint string) {
	if off(r) || len(r.Agents) == 0 || slices.ContainsFunc(r.Agents, fsm.IsGlob) {
		return "", ""
	}
	for _, a := range r.Agents {
		if (len(x.p.States) == 0 || x.admits(a)) && (len(x.known) == 0 || x.exists(a)) {
			return "", ""
		}
	}
	return fmt.Sprintf("rule %s will hardly ever fire: of %s no state admits any, or they do not exist", r.Name,
			strings.Join(r.Agents, ", ")),
		"correct the names, or remove the rule"
}
