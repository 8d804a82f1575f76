package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findRefusedRemedies finds denials that propose what is denied as well: an agent that
// the rules about the Agent tool refuse, and one that a state names and a rule refuses.
// That delegate_to names only agents that may not start there is a note: then others are
// proposed.
func findRefusedRemedies(x *explored) []Finding {
	out := x.findRefusedNext()
	for i, set := range []*fsm.Rules{&x.p.Main, &x.p.Subagents} {
		for j := range set.List {
			out = append(out, x.findRefusedRemedy(&set.List[j], i == 0)...)
		}
		out = append(out, x.findRefusedRemedy(&set.Default, i == 0)...)
	}
	return out
}

// findRefusedRemedy checks what one rule proposes, in each state in which it can fire.
func (x *explored) findRefusedRemedy(r *fsm.Rule, main bool) []Finding {
	states := x.statesOf(r)
	if !mayObject(r) || len(r.DelegateTo) == 0 || len(states) == 0 {
		return nil
	}
	f := Finding{Severity: Problem, Where: r.Place, Names: r.DelegateTo}
	name, to := cmp.Or(r.Name, "default"), strings.Join(r.DelegateTo, ", ")
	if !slices.ContainsFunc(states, func(s string) bool { return x.admitsAny(s, r.DelegateTo) }) {
		f.Severity = Note
		f.Text = fmt.Sprintf("rule %s delegates to %s, which may start in no state in which it objects (%s)", name, to,
			strings.Join(states, ", "))
		f.Hint = "name an agent that may start there, or let this one start there: helpers"
		return []Finding{f}
	}
	for _, s := range states {
		if d, agent := x.findRefusal(s, r, main); agent != "" {
			f.Names, f.Trace = []string{agent}, x.trace[s]
			f.Text = fmt.Sprintf("in state %s rule %s proposes agent %s, and that is refused too: %s",
				cmp.Or(s, "(none)"), name, agent, describeRefusal(d))
			f.Hint = "allow: [Agent] in a rule above the one that refuses"
			if d.Rule == fsm.RuleLimits {
				f.Hint = "leave delegate_to out of the rule, or raise the limit"
			}
			return []Finding{f}
		}
	}
	return nil
}

// admitsAny reports whether a state admits an agent of one of the patterns.
func (x *explored) admitsAny(state string, patterns []string) bool {
	return len(x.p.States) == 0 || slices.ContainsFunc(patterns, func(p string) bool {
		_, admits := x.state(state).Admits(p)
		return admits || fsm.IsGlob(p) && slices.ContainsFunc(x.listCandidates(state),
			func(a string) bool { return fsm.MatchAgent([]string{p}, a) })
	})
}

// mayObject reports whether a rule objects to anything, at the strictest level.
func mayObject(r *fsm.Rule) bool {
	return r.Verdict > fsm.Pass && !(r.Levelled && r.Level <= fsm.Observe)
}

// findRefusal finds the first proposal of a rule that is refused, and the agent; no
// agent if none is. A repeated denial proposes one agent after the other. Those that
// the rule does not name are the state's.
func (x *explored) findRefusal(state string, r *fsm.Rule, main bool) (fsm.Decision, string) {
	for i, agent := range x.p.FindRemedies(state, r) {
		if i > 0 && !fsm.MatchAgent(r.DelegateTo, agent) {
			continue
		}
		if d := x.answerProposal(state, r, agent, main); d.Verdict == fsm.Deny {
			return d, agent
		}
	}
	return fsm.Decision{}, ""
}

// answerProposal is the most lenient answer to a call that follows a proposal.
func (x *explored) answerProposal(state string, r *fsm.Rule, agent string, main bool) fsm.Decision {
	switch d := x.answerStart(situation{session: x.newSession(state)}, agent); {
	case !main:
		return x.answerSubagent(state, r, agent)
	case x.mostLenient(x.newSession(state), agent) == fsm.Deny:
		return d
	}
	return fsm.Decision{}
}

// answerSubagent is the answer to an agent of the state that the rule fits, if there is
// one.
func (x *explored) answerSubagent(state string, r *fsm.Rule, agent string) fsm.Decision {
	for _, who := range slices.Concat(x.listStarters(state), r.Agents) {
		if _, in := x.state(state).Admits(who); !in && len(x.p.States) > 0 || len(r.Agents) > 0 &&
			!fsm.MatchAgent(r.Agents, who) {
			continue
		}
		s := x.newSession(state)
		s.Agents.Runs = []fsm.Run{{ID: "a", Type: who, Status: fsm.Running, Visit: 1}}
		_, d := x.p.Step(s, requestAgent(fsm.Agent{ID: "a", Type: who}, agent))
		return d
	}
	return fsm.Decision{}
}

// findRefusedNext finds agents that a state names and that a rule refuses there.
func (x *explored) findRefusedNext() []Finding {
	var out []Finding
	for _, s := range x.order {
		if _, stuck := x.findStuck(s); stuck {
			continue // findNoLegalMove reports it
		}
		var names []string
		var why fsm.Decision
		for _, agent := range x.p.NextAgents(s) {
			if d := x.answerStart(situation{session: x.newSession(s)}, agent); !fsm.IsGlob(agent) &&
				x.mostLenient(x.newSession(s), agent) == fsm.Deny {
				names, why = append(names, agent), d
			}
		}
		if len(names) > 0 {
			out = append(out, Finding{Severity: Problem, Where: x.state(s).Place, Names: names, Trace: x.trace[s],
				Text: fmt.Sprintf("state %s names %s, which may not start: %s", s, strings.Join(names, ", "),
					describeRefusal(why)),
				Hint: "except these starts from the rule, in one above: allow: [Agent]"})
		}
	}
	return out
}
