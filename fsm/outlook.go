package fsm

import (
	"cmp"
	"slices"
	"strings"
)

// A way is what a caller can do that was refused something.
type way struct {
	agents  []string // they may start now and do it, the best first
	state   string   // where no agent may do it here: the state in which one may
	next    string   // the agent that leads there, and may start now
	running string   // the agent whose result is to be waited for
	ends    bool     // the end of the turn leads there
	plan    bool     // an approved plan leads there
}

// findLater finds the nearest state that fits, and the first step to it.
func (o outlook) findLater(fits func(Session) bool) way {
	here := o.s.Machine.State
	if fits(o.beforeCall()) {
		return o.describeStep(here, "")
	}
	type stop struct{ state, first string }
	seen, queue := []string{here}, []stop{{state: here}}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		in, _ := o.p.FindState(at.state)
		reach := func(to, trigger string) {
			if to != "" && !slices.Contains(seen, to) {
				seen, queue = append(seen, to), append(queue, stop{to, cmp.Or(at.first, trigger)})
			}
		}
		if at.first != "" && fits(o.imagineState(at.state)) {
			return o.describeStep(at.state, at.first)
		}
		for _, t := range o.table().List(at.state) {
			if !t.Helper {
				reach(t.To, t.Name)
			}
		}
		reach(in.OnStop, TurnEnds)
		reach(in.OnPlan, PlanApproved)
	}
	return way{}
}

// describeStep is the first step to a state: by the trigger of that name, or by any agent
// that leads on from here.
func (o outlook) describeStep(state, trigger string) way {
	w := way{state: state, ends: trigger == TurnEnds, plan: trigger == PlanApproved}
	for _, t := range o.table().List(o.s.Machine.State) {
		if t.Helper || trigger != "" && t.Name != trigger || trigger == "" && t.To == o.s.Machine.State {
			continue
		}
		for _, agent := range o.namesFor(t.Agents) {
			if o.isAtWork(agent) {
				w.running = agent
				return w
			}
			if w.next == "" && o.mayStart(o.beforeCall(), agent) {
				w.next = agent
			}
		}
	}
	if atWork := o.listAtWork(); w.next == "" && len(atWork) > 0 {
		w.running = atWork[0].Type
	}
	return w
}

// beforeCall is the session without what the call in question has been charged.
func (o outlook) beforeCall() Session {
	s := o.s.clone()
	s.Budgets.Uses = slices.Clone(o.usesBefore)
	return s
}

// imagineState is the session as it will be when it enters a state.
func (o outlook) imagineState(state string) Session {
	s := o.beforeCall()
	s.Machine.State = state
	s.Machine.Visit++
	s.Agents.Runs = slices.DeleteFunc(s.Agents.Runs, func(r Run) bool { return r.ID != o.e.Agent.ID })
	s.Tasks = Tasks{}
	s.Budgets.refill(o.p, "state")
	return s
}

// knownAgents are the agents that the host can start, where that was asked.
func (o outlook) knownAgents() []KnownAgent {
	if o.e.Kind != ToolRequest {
		return nil
	}
	return o.e.Facts.Agents
}

// expandAgents replaces patterns by the agents that they match: those that the host can
// start, where that is known, else those that the config describes.
func (o outlook) expandAgents(patterns []string) (out []string) {
	known := o.knownAgents()
	for _, pattern := range patterns {
		if len(known) == 0 && !IsGlob(pattern) {
			out = append(out, pattern)
		}
		for _, a := range known {
			if NamesAgent(pattern, a.Name) {
				out = append(out, a.Name)
			}
		}
		for _, a := range o.p.Agents {
			if len(known) == 0 && IsGlob(pattern) && NamesAgent(pattern, a.Name) {
				out = append(out, a.Name)
			}
		}
	}
	return unique(out)
}

// mayStart reports whether the caller may start an agent of this type in a session.
func (o outlook) mayStart(s Session, agent string) bool {
	e := Event{Kind: ToolRequest, Session: o.e.Session, Time: o.e.Time, Agent: o.e.Agent,
		Tool: Tool{Name: "Agent", Parts: []Part{{Tool: "Agent"}}, Starts: &Start{How: ByAgent, Type: agent},
			Input: map[string]string{cmp.Or(o.e.Starter.Agent, "subagent_type"): agent}},
		Facts: Facts{Captured: o.e.Facts.Captured, Overrides: o.e.Facts.Overrides}}
	if o.e.Kind == ToolRequest {
		e.Facts.Env = o.e.Facts.Env
	}
	if o.e.Tool.Starts != nil {
		e.Facts.Spawn = o.e.Facts.Spawn
	}
	return !strings.EqualFold(agent, "fork") && o.tryCall(s, e) < Deny
}

// tryCall is the verdict on a call in a session.
func (o outlook) tryCall(s Session, e Event) Verdict {
	_, d := o.p.judgeBy(o.table(), s, e)
	return d.Verdict
}

// isAtWork reports whether an agent of this type runs already, or is about to, for the
// caller.
func (o outlook) isAtWork(agent string) bool {
	isMeant := func(r Run) bool { return r.By == o.e.Agent.ID && sameAgent(r.Type, agent) }
	return slices.ContainsFunc(o.listAtWork(), isMeant)
}

// namesFor lists agents that patterns stand for. Where none is known, the names stand for
// themselves: a client may start agents that are in no file.
func (o outlook) namesFor(patterns []string) []string {
	if out := o.expandAgents(patterns); len(out) > 0 {
		return out
	}
	var out []string
	for _, p := range patterns {
		out = append(out, strings.NewReplacer("*", "x", "?", "x").Replace(p))
	}
	return out
}

// findRunningLeader is an agent that runs and whose completion leads out of the state;
// empty for none. The state waits for it.
func (o outlook) findRunningLeader() string {
	state := o.s.Machine.State
	for _, r := range o.listAtWork() {
		if t, ok := o.table().Admits(state, r.Type); ok && !t.Helper && t.To != state && o.isAtWork(r.Type) &&
			r.Visit == o.s.Machine.Visit && r.Epoch == o.s.Machine.Epoch {
			return r.Type
		}
	}
	return ""
}

// listStartable lists the agents that the caller may start now. Those that no file defines go by
// the words of the config, of patterns only where there are no others. Where the host has them by a
// plugin only, they have the plugin's prefix: it finds them by no other name.
func (o outlook) listStartable() (out []string) {
	var patterns []string
	for _, pattern := range o.table().Next(o.s.Machine.State) {
		may := slices.DeleteFunc(o.namesFor([]string{pattern}), func(a string) bool {
			return o.isAtWork(a) || !o.mayStart(o.beforeCall(), a)
		})
		isPlain := func(a string) bool { return strings.Contains(pattern, ":") || !strings.Contains(a, ":") }
		switch {
		case len(may) == 0:
		case !IsGlob(pattern) && slices.ContainsFunc(may, isPlain):
			out = append(out, pattern)
		case IsGlob(pattern) && len(o.expandAgents([]string{pattern})) == 0:
			patterns = append(patterns, pattern)
		default:
			out = append(out, may...)
		}
	}
	if len(out) == 0 {
		return unique(patterns)
	}
	return unique(out)
}
