package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// refusedRemedies finds denials that propose what is denied as well: an agent that may start in no state in which the
// rule objects, one that the rules about the Agent tool refuse, and one that a state names and a rule refuses.
func refusedRemedies(x *explored) []Finding {
	out := x.refusedNext()
	for i, set := range []*fsm.Rules{&x.p.Main, &x.p.Subagents} {
		for j := range set.List {
			out = append(out, x.refusedRemedy(&set.List[j], i == 0)...)
		}
		out = append(out, x.refusedRemedy(&set.Default, i == 0)...)
	}
	return out
}

// refusedRemedy looks at what one rule proposes, in each state in which it can fire.
func (x *explored) refusedRemedy(r *fsm.Rule, main bool) []Finding {
	states := x.scope(r)
	if !objects(r) || len(r.DelegateTo) == 0 || len(states) == 0 {
		return nil
	}
	f := Finding{Severity: Problem, Where: r.Place, Names: r.DelegateTo}
	name, to := cmp.Or(r.Name, "default"), strings.Join(r.DelegateTo, ", ")
	if !slices.ContainsFunc(states, func(s string) bool { return x.proposes(s, r) }) {
		f.Text = fmt.Sprintf("rule %s delegates to %s, which may start in no state in which it objects (%s)", name, to, strings.Join(states, ", "))
		f.Hint = "name an agent that may start there, or let this one start there: helpers"
		return []Finding{f}
	}
	for _, s := range states {
		if d, agent := x.refused(s, r, main); agent != "" {
			f.Names, f.Trace = []string{agent}, x.trace[s]
			f.Text = fmt.Sprintf("in state %s rule %s proposes agent %s, and that is refused too: %s", cmp.Or(s, "(none)"), name, agent, by(d))
			f.Hint = "allow: [Agent] in a rule above the one that refuses"
			if d.Rule == fsm.RuleLimits {
				f.Hint = "leave delegate_to out of the rule, or raise the limit"
			}
			return []Finding{f}
		}
	}
	return nil
}

// proposes reports whether one of the agents that the rule names may be proposed in the state.
func (x *explored) proposes(state string, r *fsm.Rule) bool {
	return slices.ContainsFunc(x.p.FindRemedies(state, r), func(a string) bool { return slices.Contains(r.DelegateTo, a) })
}

// objects reports whether a rule says anything to an agent, at the strictest level.
func objects(r *fsm.Rule) bool {
	return r.Verdict > fsm.Pass && !(r.Levelled && r.Level <= fsm.Observe)
}

// refused is how a proposal of a rule is refused, and whose start that is; nobody's if none is. A denial that is repeated
// proposes one after the other; those that the rule does not name itself are the state's.
func (x *explored) refused(state string, r *fsm.Rule, main bool) (fsm.Decision, string) {
	for i, agent := range x.p.FindRemedies(state, r) {
		if i > 0 && !slices.Contains(r.DelegateTo, agent) {
			continue
		}
		if d := x.delegates(state, r, agent, main); d.Verdict == fsm.Deny {
			return d, agent
		}
	}
	return fsm.Decision{}, ""
}

// delegates is the most lenient answer to who follows a proposal.
func (x *explored) delegates(state string, r *fsm.Rule, agent string, main bool) fsm.Decision {
	switch d := x.start(situation{session: x.fresh(state)}, agent); {
	case !main:
		return x.startBySub(state, r, agent)
	case x.easiest(x.fresh(state), agent) == fsm.Deny:
		return d
	}
	return fsm.Decision{}
}

// startBySub is the answer to an agent of the state that the rule speaks of. There may be none, to whom nothing is said.
func (x *explored) startBySub(state string, r *fsm.Rule, agent string) fsm.Decision {
	for _, who := range slices.Concat(x.starters(state), r.Agents) {
		if _, in := x.state(state).Admits(who); !in && len(x.p.States) > 0 || len(r.Agents) > 0 && !fsm.MatchAgent(r.Agents, who) {
			continue
		}
		s := x.fresh(state)
		s.Agents.Runs = []fsm.Run{{ID: "a", Type: who, Status: fsm.Running, Visit: 1}}
		_, d := x.p.Step(s, request(fsm.Agent{ID: "a", Type: who}, agent))
		return d
	}
	return fsm.Decision{}
}

// refusedNext finds agents that a state names and that a rule refuses there: what the state proposes cannot be done.
func (x *explored) refusedNext() []Finding {
	var out []Finding
	for _, s := range x.order {
		if _, stuck := x.stuck(s); stuck {
			continue // said already, of all of them
		}
		var names []string
		var why fsm.Decision
		for _, agent := range x.p.NextAgents(s) {
			if d := x.start(situation{session: x.fresh(s)}, agent); !fsm.IsGlob(agent) && x.easiest(x.fresh(s), agent) == fsm.Deny {
				names, why = append(names, agent), d
			}
		}
		if len(names) > 0 {
			out = append(out, Finding{Severity: Problem, Where: x.state(s).Place, Names: names, Trace: x.trace[s],
				Text: fmt.Sprintf("state %s names %s, which may not start: %s", s, strings.Join(names, ", "), by(why)),
				Hint: "except these starts from the rule, in one above: allow: [Agent]"})
		}
	}
	return out
}
