package verify

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findUnreachable finds states that the initial one does not lead to.
func findUnreachable(x *explored, report reporter) {
	for _, to := range x.p.States {
		if x.isReached(to.Name) {
			continue
		}
		var from, cannot []string
		for _, st := range x.p.States {
			leads := func(t fsm.Trigger) bool { return t.To == to.Name }
			switch {
			case st.Name == to.Name || st.OnStop != to.Name && st.OnPlan != to.Name &&
				!slices.ContainsFunc(st.Triggers, leads):
			case x.isReached(st.Name):
				cannot = append(cannot, st.Name)
			default:
				from = append(from, st.Name)
			}
		}
		why := "no state leads to it"
		switch {
		case len(cannot) > 0:
			why = "the ways that lead to it from " + strings.Join(cannot, ", ") + " can never be taken"
		case len(from) > 0:
			why = "only unreachable states lead to it: " + strings.Join(from, ", ")
		}
		report(x.atState(Problem, to.Name),
			"lead there by on_complete, moves, on_stop or on_plan of a state that can be reached, or remove it",
			"state %s cannot be reached: %s", to.Name, why)
	}
}

// findNoEnd finds states from which no way leads to an end: a state in which the pipeline may rest, because the end
// of a turn leads there, or no agent can move anything. What leads on from there is a new beginning. A
// policy may have no end: then it circles forever, or stays, on purpose.
func findNoEnd(x *explored, report reporter) {
	var ends []string
	for _, st := range x.p.States {
		moves := slices.ContainsFunc(st.Triggers, func(t fsm.Trigger) bool { return !t.Helper })
		stops := slices.ContainsFunc(x.p.States, func(from fsm.State) bool { return from.OnStop == st.Name })
		if stops || !moves {
			ends = append(ends, st.Name)
		}
	}
	lost := without(x.order, func(s string) bool { return x.canReach(s, ends) })
	if len(ends) == 0 || len(lost) == 0 {
		return
	}
	f := x.atState(Problem, lost[0])
	f.Names = lost
	report(f, "a turn's end leads on only from a state where an agent that it is there for can start, and stays",
		"from %s there is no way to an end of the pipeline (%s)", strings.Join(lost, ", "), strings.Join(ends, ", "))
}

// canReach reports whether a way leads from a state to one of others, or it is one of
// them.
func (x *explored) canReach(from string, to []string) bool {
	seen := []string{from}
	for i := 0; i < len(seen); i++ {
		if slices.Contains(to, seen[i]) {
			return true
		}
		for _, w := range x.ways[seen[i]] {
			seen = addMissing(seen, w.to)
		}
	}
	return false
}

// findPersonOnly finds states that only a person leads out of: no way leads out, or
// each asks the user first.
func findPersonOnly(x *explored, report reporter) {
	for _, name := range x.order {
		least, leads := fsm.Deny, false
		for _, w := range x.ways[name] {
			if w.to != name {
				least, leads = min(least, w.verdict), true
			}
		}
		switch f := x.atState(Note, name); {
		case !leads:
			report(f, "pipeline reset leads back to "+x.p.Initial+", pipeline reset --to STATE to any other",
				"only a person leads out of state %s", name)
		case least == fsm.Ask:
			report(f, "pipeline reset --to STATE leads out as well",
				"state %s is left only if the user agrees: a rule asks about each agent that leads on", name)
		}
	}
}
