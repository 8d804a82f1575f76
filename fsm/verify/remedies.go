package verify

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// findRefusedRemedies finds refusals that propose what is refused as well, agents that a
// rule delegates to and that can never do it, and agents that a state names and a rule
// refuses.
func findRefusedRemedies(x *explored, report func(Finding)) {
	x.findRefusedNext(report)
	for _, set := range []*fsm.Rules{&x.p.Main, &x.p.Subagents} {
		for j := range set.List {
			x.checkRemedies(&set.List[j], set == &x.p.Main, report)
		}
		x.checkRemedies(&set.Default, set == &x.p.Main, report)
	}
}

// A refusal is a call that a rule may refuse, in a session.
type refusal struct {
	session fsm.Session
	call    fsm.Event
}

// checkRemedies checks what the refusals of one rule propose, in each state in which it can
// fire.
func (x *explored) checkRemedies(r *fsm.Rule, main bool, report func(Finding)) {
	if !mayObject(r) {
		return
	}
	useless := slices.DeleteFunc(slices.Clone(r.DelegateTo), func(to string) bool { // unknown-agent reports those
		return len(x.known) > 0 && !x.known.has(to)
	})
	states, proposes := x.statesOf(r), true
	for _, s := range states {
		for _, c := range x.listRefusals(s, r, main) {
			useless = slices.DeleteFunc(useless, func(to string) bool { return x.canDelegate(c, to) })
			if d, agent := x.findRefusedProposal(c); agent != "" && proposes {
				proposes = false
				report(Finding{Severity: Problem, Where: r.Place, Names: []string{agent}, Trace: x.trace[s],
					Text: fmt.Sprintf("in state %s rule %s proposes agent %s, and that is refused too: %s",
						cmp.Or(s, "(none)"), cmp.Or(r.Name, "default"), agent, describeRefusal(d))})
			}
		}
	}
	if len(useless) > 0 && len(states) > 0 {
		report(Finding{Severity: Note, Where: r.Place, Names: useless,
			Text: fmt.Sprintf("rule %s delegates to %s, which may not start or may not do the work in any state "+
				"where the rule objects (%s)", cmp.Or(r.Name, "default"), strings.Join(useless, ", "),
				cmp.Or(strings.Join(states, ", "), "no states")),
			Hint: "leave delegate_to out, which proposes any agent that can do it, " +
				"or let the agent start there: helpers"})
	}
}

// canDelegate reports whether an agent of a pattern may do what was refused. Where no agents
// are known, some stand for all.
func (x *explored) canDelegate(c refusal, to string) bool {
	names := []string{to}
	if len(x.known) == 0 {
		names = listMatches(to)
	}
	return slices.ContainsFunc(names, func(name string) bool { return x.p.CanDelegate(c.session, c.call, name) })
}

// listRefusals lists calls that stand for those that a rule may refuse in a state: one for
// each of its tools, by each agent that may make it.
func (x *explored) listRefusals(state string, r *fsm.Rule, main bool) (out []refusal) {
	callers := []fsm.Agent{{}}
	if !main {
		callers = nil
		for _, who := range x.listStarters(state) {
			if len(r.Agents) == 0 || fsm.MatchAgent(r.Agents, who) {
				callers = append(callers, fsm.Agent{ID: "a", Type: who})
			}
		}
	}
	tools := r.Tools
	if len(tools) == 0 || slices.Contains(tools, "*") {
		tools = []string{"Edit", "Read", "Bash"}
	}
	for _, by := range callers {
		s := x.newSession(state)
		if !by.IsMain() {
			s.Agents.Runs = []fsm.Run{{ID: by.ID, Type: by.Type, Status: fsm.Running, Visit: 1}}
		}
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
			out = append(out, refusal{s, x.inform(fsm.Event{Kind: fsm.ToolRequest, Session: "verify", Agent: by,
				Tool: fsm.Tool{Name: part.Tool, Parts: []fsm.Part{part}}})})
		}
	}
	return out
}

// inform gives an event the facts that are known of the agents.
func (x *explored) inform(e fsm.Event) fsm.Event {
	for _, a := range x.known {
		if !a.Skill {
			e.Facts.Agents = append(e.Facts.Agents, fsm.KnownAgent{Name: a.Name, Tools: a.Tools, Without: a.Without})
		}
	}
	return e
}

// findRefusedProposal makes a call, and the call that its refusal proposes. It returns the
// refusal of that one, and the agent; no agent if it passes.
func (x *explored) findRefusedProposal(c refusal) (fsm.Decision, string) {
	s, d := x.p.Step(c.session, c.call)
	if d.Proposed == "" {
		return d, ""
	}
	start := requestAgent(c.call.Agent, d.Proposed)
	start.Facts = c.call.Facts
	if _, answer := x.p.Step(s, start); answer.Verdict == fsm.Deny {
		return answer, d.Proposed
	}
	return d, ""
}

// mayObject reports whether a rule objects to anything, at the strictest level.
func mayObject(r *fsm.Rule) bool {
	return r.Verdict > fsm.Pass && !(r.Levelled && r.Level <= fsm.Observe)
}

// findRefusedNext finds agents that a state names and that a rule refuses there.
func (x *explored) findRefusedNext(report func(Finding)) {
	for _, s := range x.order {
		if _, stuck := x.findStuck(s); stuck {
			continue // findNoLegalMove reports it
		}
		var names []string
		var why fsm.Decision
		for _, agent := range x.table.Next(s) {
			if d := x.answerStart(situation{session: x.newSession(s)}, agent); !fsm.IsGlob(agent) &&
				x.mostLenient(x.newSession(s), agent) == fsm.Deny {
				names, why = append(names, agent), d
			}
		}
		if len(names) > 0 {
			report(Finding{Severity: Problem, Where: x.state(s).Place, Names: names, Trace: x.trace[s],
				Text: fmt.Sprintf("state %s names %s, which may not start: %s", s, strings.Join(names, ", "),
					describeRefusal(why)),
				Hint: "add a rule above it that allows these starts: allow: [Agent]"})
		}
	}
}
