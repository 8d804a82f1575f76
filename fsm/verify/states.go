package verify

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// unreachable finds states that nothing leads to from the initial one.
func unreachable(x *explored) []Finding {
	var out []Finding
	for _, st := range x.p.States {
		if x.reached(st.Name) {
			continue
		}
		out = append(out, Finding{Severity: Problem, Where: st.Place, Names: []string{st.Name},
			Text: fmt.Sprintf("no one can reach state %s: %s", st.Name, x.unled(st.Name)),
			Hint: "lead there by on_complete, moves or on_stop of a state that can be reached, or remove it"})
	}
	return out
}

// unled is why nothing leads to a state.
func (x *explored) unled(state string) string {
	var from, cannot []string
	for _, st := range x.p.States {
		if st.Name == state || !x.named(st, state) {
			continue
		}
		if x.reached(st.Name) {
			cannot = append(cannot, st.Name)
		} else {
			from = append(from, st.Name)
		}
	}
	switch {
	case len(cannot) > 0:
		return "the ways that lead to it from " + strings.Join(cannot, ", ") + " can never be gone"
	case len(from) > 0:
		return "only states that no one can reach lead to it: " + strings.Join(from, ", ")
	}
	return "no state leads to it"
}

// named reports whether a state is written to lead to another.
func (x *explored) named(st fsm.State, to string) bool {
	return st.OnStop == to || slices.ContainsFunc(st.Triggers, func(t fsm.Trigger) bool { return t.To == to })
}

// An end is a state in which the pipeline may rest: one to which the end of a turn leads, or in which no agent can move
// anything. What leads on from the first is a new beginning. A policy may have no end: then it goes in circles for ever,
// or stays where it works, and that is what was meant.
func (x *explored) ends() []string {
	var out []string
	for _, st := range x.p.States {
		moves := slices.ContainsFunc(st.Triggers, func(t fsm.Trigger) bool { return !t.Helper })
		stops := slices.ContainsFunc(x.p.States, func(from fsm.State) bool { return from.OnStop == st.Name })
		if stops || !moves {
			out = append(out, st.Name)
		}
	}
	return out
}

// noEnd finds states from which there is no way to an end.
func noEnd(x *explored) []Finding {
	ends := x.ends()
	if len(ends) == 0 {
		return nil
	}
	lost := slices.DeleteFunc(slices.Clone(x.order), func(s string) bool { return x.leadsTo(s, ends) })
	if len(lost) == 0 {
		return nil
	}
	return []Finding{{Severity: Problem, Where: x.state(lost[0]).Place, Names: lost, Trace: x.trace[lost[0]],
		Text: fmt.Sprintf("from %s there is no way to an end of the pipeline (%s)", strings.Join(lost, ", "), strings.Join(ends, ", ")),
		Hint: "a turn's end leads on only from a state where an agent that it is there for can start, and stays"}}
}

// leadsTo reports whether one of the states is, or can be reached from, another.
func (x *explored) leadsTo(from string, to []string) bool {
	seen := []string{from}
	for i := 0; i < len(seen); i++ {
		if slices.Contains(to, seen[i]) {
			return true
		}
		for _, w := range x.ways[seen[i]] {
			if !slices.Contains(seen, w.to) {
				seen = append(seen, w.to)
			}
		}
	}
	return false
}

// personOnly finds states that are not left without a person: no way leads out, or each asks the user first.
func personOnly(x *explored) []Finding {
	var out []Finding
	for _, name := range x.order {
		least, leads := fsm.Deny, false
		for _, w := range x.ways[name] {
			if w.to != name {
				least, leads = min(least, w.verdict), true
			}
		}
		f := Finding{Severity: Note, Where: x.state(name).Place, Names: []string{name}, Trace: x.trace[name]}
		switch {
		case !leads:
			f.Text = fmt.Sprintf("only a person leads out of state %s", name)
			f.Hint = fmt.Sprintf("pipeline reset leads back to %s, pipeline reset --to STATE to any other", x.p.Initial)
		case least == fsm.Ask:
			f.Text = fmt.Sprintf("state %s is left only if the user agrees: each agent that leads on is asked for", name)
			f.Hint = "pipeline reset --to STATE leads out as well"
		default:
			continue
		}
		out = append(out, f)
	}
	return out
}
