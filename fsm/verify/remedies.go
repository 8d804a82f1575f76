package verify

import (
	"cmp"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findRefusedRemedies finds refusals that propose what is refused as well, in each state in which the rule can fire,
// and agents that a rule delegates to and that can never do it.
func findRefusedRemedies(x *explored, report reporter) {
	for _, r := range x.rules {
		if !r.mayObject() {
			continue
		}
		// unknown-agent reports those that do not exist
		useless := without(r.DelegateTo, func(to string) bool { return !x.known.has(to) })
		name, states, proposes := cmp.Or(r.Name, "default"), x.statesOf(r.Rule), true
		x.visitRefusals(r, states, func(session fsm.Session, call fsm.Event) {
			useless = without(useless, func(to string) bool {
				names := []string{to}
				if len(x.known) == 0 { // some agents stand for all
					names = listMatches(to)
				}
				return slices.ContainsFunc(names, func(n string) bool { return x.CanDelegate(session, call, n) })
			})
			s, d := x.Step(session, call)
			if d.Proposed == "" || !proposes {
				return
			}
			start := requestAgent(call.Agent, d.Proposed)
			start.Facts = call.Facts
			if _, answer := x.Step(s, start); answer.Verdict == fsm.Deny {
				proposes = false
				f, state := at(Problem, r.Place, d.Proposed), session.State
				f.Trace = x.trace[state]
				report(f, "", "in state %s rule %s proposes agent %s, and that is refused too: %s",
					cmp.Or(state, "(none)"), name, d.Proposed, describeRefusal(answer))
			}
		})
		if len(useless) > 0 && len(states) > 0 {
			report(at(Note, r.Place, useless...), "leave delegate_to out, which proposes any agent that can do it, "+
				"or let the agent start there: helpers", "rule %s delegates to %s, which may not start or may not do "+
				"the work in any state where the rule objects (%s)", name, useless,
				cmp.Or(strings.Join(states, ", "), "no states"))
		}
	}
}

// visitRefusals visits calls that stand for those that a rule may refuse in some states, each in a session: one for
// each of its tools, by each agent that may make it.
func (x *explored) visitRefusals(r listed, states []string, visit func(fsm.Session, fsm.Event)) {
	tools := r.Tools
	if len(tools) == 0 || slices.Contains(tools, "*") {
		tools = []string{"Edit", "Read", "Bash"}
	}
	var known []fsm.KnownAgent
	for _, a := range x.known {
		if !a.Skill {
			known = append(known, fsm.KnownAgent{Name: a.Name, Tools: a.Tools, Without: a.Without})
		}
	}
	for _, state := range states {
		callers := []string{""}
		if r.set != &x.Main {
			callers = without(x.listCandidates(state),
				func(who string) bool { return len(r.Agents) > 0 && !fsm.MatchAgent(r.Agents, who) })
		}
		for _, who := range callers {
			s, by := x.enter(place{state, who, ""})
			for _, tool := range tools {
				part := fsm.Part{Tool: fsm.CanonicalTool(findMatch(tool))}
				if len(r.Paths) > 0 {
					part.Path = findMatch(r.Paths[0])
				}
				if len(r.Commands) > 0 {
					part.Words = r.Commands[0]
					if group, what := groupPart(strings.Join(part.Words, " ")); what != "" {
						part = group
					}
				}
				call := request(by, part)
				call.Facts.Agents = known
				visit(s, call)
			}
		}
	}
}

// mayObject reports whether a rule objects to anything, at the strictest level.
func (r listed) mayObject() bool {
	return r.Verdict > fsm.Pass && !(r.Levelled && r.Level <= fsm.Observe)
}

// findRefusedStarts finds agents that a state names and that a rule refuses there.
func findRefusedStarts(x *explored, report reporter) {
	for _, s := range x.order {
		if x.findStuck(s, func(Finding, string, string, ...any) {}) {
			continue // findNoLegalMove reports it
		}
		var names []string
		var why fsm.Decision
		for _, agent := range x.Next(s) {
			if !fsm.IsGlob(agent) && x.judgeStart(s, agent) == fsm.Deny {
				names, why = append(names, agent), x.answer(situation{session: x.newSession(s)}, agent)
			}
		}
		if len(names) > 0 {
			f := x.atState(Problem, s)
			f.Names = names
			report(f, "add a rule above it that allows these starts: allow: [Agent]",
				"state %s names %s, which may not start: %s", s, names, describeRefusal(why))
		}
	}
}
