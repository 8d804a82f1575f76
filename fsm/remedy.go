package fsm

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
)

// What may be done instead of a refused call. A call is proposed only if judgeRequest lets
// it pass in the session as it is, and if the agent that it starts may do what was refused.

// A KnownAgent is an agent that the host can start, and what it may use.
type KnownAgent struct {
	Name    string
	Tools   []string // globs of its tools; none for all
	Without []string // globs of tools that it does not have
}

// A StartTool is how the host's own tool starts an agent: the names of the tool and of its
// arguments.
type StartTool struct{ Tool, Agent, Describe, Prompt string }

// A way is what a caller can do that was refused something.
type way struct {
	agents  []string // they may start now and do it, the best first
	state   string   // where no agent may do it here: the state in which one may
	next    string   // the agent that leads there, and may start now
	running string   // the agent whose result is to be waited for
	ends    bool     // the end of the turn leads there
	plan    bool     // an approved plan leads there
}

// mostProposed bounds how many agents are proposed for one call, and mostAsked how many are
// asked for.
const (
	mostProposed = 4
	mostAsked    = 16
)

// CanDelegate reports whether an agent of a pattern may start in a session, and do there
// what a call wants.
func (p *Policy) CanDelegate(s Session, e Event, to string) bool {
	st := newStep(p, s, e)
	st.findLevel()
	if len(e.Tool.Parts) == 0 {
		return false
	}
	rm := remedy{&st.situation, e.Tool.Parts[0]}
	return len(rm.findDelegates(rm.beforeCall(), []string{to})) > 0
}

// A remedy is the search for what can be done instead of one refused part of a call.
type remedy struct {
	*situation
	part Part
}

// findWay finds what can be done instead, of what a rule refuses. An agent that the rule
// names may do it later; any agent may where none of those ever can.
func (rm remedy) findWay(r *Rule) way {
	if isOwn(rm.part.Tool) {
		return way{}
	}
	w := rm.findWayBy(r.DelegateTo)
	if len(r.DelegateTo) > 0 && w.isNone() {
		w = rm.findWayBy(nil)
	}
	return w
}

func (w way) isNone() bool { return len(w.agents) == 0 && w.state == "" && w.running == "" }

func (rm remedy) findWayBy(named []string) (w way) {
	if start := rm.e.Tool.Starts; start != nil && len(named) == 0 {
		named = append([]string{start.Type}, rm.p.NextAgents(rm.s.Machine.State)...)
	}
	all := rm.findDelegates(rm.beforeCall(), named)
	w.agents = slices.DeleteFunc(slices.Clone(all), rm.isAtWork)
	if len(all) > 0 && rm.isAtWork(all[0]) && !rm.isAsGood(w.agents, all[0]) {
		return way{running: all[0]}
	}
	if len(w.agents) > 0 || !rm.e.Agent.IsMain() {
		return w
	}
	return rm.findLater(func(s Session) bool {
		return len(rm.findDelegates(s, named)) > 0 || len(named) == 0 && len(rm.findLeaders(s)) > 0
	})
}

// isAsGood reports whether the first of the agents suits a part as well as another one.
func (rm remedy) isAsGood(agents []string, other string) bool {
	text := rm.describeWork()
	return len(agents) > 0 && rm.p.scoreAgent(agents[0], text) >= rm.p.scoreAgent(other, text)
}

// findLater finds the nearest state that fits, and the first step to it.
func (st *situation) findLater(fits func(Session) bool) way {
	here := st.s.Machine.State
	if fits(st.beforeCall()) {
		return st.describeStep(here, "")
	}
	type stop struct{ state, first string }
	seen, queue := []string{here}, []stop{{state: here}}
	for ; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		in, _ := st.p.FindState(at.state)
		reach := func(to, trigger string) {
			if to != "" && !slices.Contains(seen, to) {
				seen, queue = append(seen, to), append(queue, stop{to, cmp.Or(at.first, trigger)})
			}
		}
		if at.first != "" && fits(st.imagine(at.state)) {
			return st.describeStep(at.state, at.first)
		}
		for _, t := range in.Triggers {
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
func (st *situation) describeStep(state, trigger string) way {
	w := way{state: state, ends: trigger == TurnEnds, plan: trigger == PlanApproved}
	for _, t := range st.state().Triggers {
		if t.Helper || trigger != "" && t.Name != trigger || trigger == "" && t.To == st.s.Machine.State {
			continue
		}
		for _, agent := range st.namesFor(t.Agents) {
			if st.isAtWork(agent) {
				w.running = agent
				return w
			}
			if w.next == "" && st.mayStart(st.beforeCall(), agent) {
				w.next = agent
			}
		}
	}
	if running := st.s.RunningAgents(); w.next == "" && len(running) > 0 {
		w.running = running[0].Type
	}
	return w
}

// beforeCall is the session without what the call in question has been charged.
func (st *situation) beforeCall() Session {
	s := st.s.clone()
	s.Budgets.Uses = slices.Clone(st.usesBefore)
	return s
}

// imagine is the session as it will be when it enters a state.
func (st *situation) imagine(state string) Session {
	s := st.beforeCall()
	s.Machine.State = state
	s.Machine.Visit++
	s.Agents.Runs = slices.DeleteFunc(s.Agents.Runs, func(r Run) bool { return r.ID != st.e.Agent.ID })
	s.Agents.Pending, s.Tasks = nil, Tasks{}
	s.Budgets.refill(st.p, "state")
	return s
}

// findDelegates lists agents that may start in a session and do what a part does there, the
// best first: of those that are named, or else of those that work in its state without
// leading out of it.
func (rm remedy) findDelegates(s Session, named []string) (out []string) {
	pool := rm.expandAgents(named)
	if len(named) == 0 {
		pool = rm.listWorkers(s)
	}
	text, atLeast := rm.describeWork(), 1
	if len(rm.p.States) == 0 && len(named) == 0 {
		atLeast = 2 // as RouteTask
	}
	score := func(agent string) int {
		if n := rm.p.scoreAgent(agent, text); n >= atLeast {
			return n
		}
		return 0
	}
	slices.SortStableFunc(pool, func(a, b string) int { return score(b) - score(a) })
	return rm.selectAble(s, pool)
}

// findLeaders is the same for the agents that lead out of the session's state.
func (rm remedy) findLeaders(s Session) []string {
	in, _ := rm.p.FindState(s.Machine.State)
	var pool []string
	for _, t := range in.Triggers {
		if !t.Helper && t.To != in.Name {
			pool = append(pool, rm.expandAgents(t.Agents)...)
		}
	}
	return rm.selectAble(s, unique(pool))
}

func (rm remedy) selectAble(s Session, pool []string) (out []string) {
	for _, agent := range pool[:min(len(pool), mostAsked)] {
		if len(out) < mostProposed && rm.mayStart(s, agent) && rm.canDo(s, agent) {
			out = append(out, agent)
		}
	}
	return out
}

// listWorkers lists the agents that may run in a session's state and stay in it. To read,
// helpers come first; they are there for that.
func (rm remedy) listWorkers(s Session) []string {
	in, ok := rm.p.FindState(s.Machine.State)
	if !ok {
		out := []string{"general-purpose"}
		if isReading(rm.part.Tool) {
			out = []string{"Explore", "general-purpose"}
		}
		for _, a := range rm.p.Agents {
			out = append(out, a.Name)
		}
		return unique(out)
	}
	var workers, helpers []string
	for _, t := range in.Triggers {
		switch {
		case t.Helper:
			helpers = append(helpers, rm.expandAgents(t.Agents)...)
		case t.To == in.Name && t.Capture == "":
			workers = append(workers, rm.expandAgents(t.Agents)...)
		}
	}
	out := slices.Concat(workers, helpers)
	if isReading(rm.part.Tool) {
		out = slices.Concat(helpers, workers)
	}
	return slices.DeleteFunc(unique(out), func(a string) bool { // an earlier trigger may take it
		t, _ := in.Admits(a)
		return !t.Helper && t.To != in.Name
	})
}

// knownAgents are the agents that the host can start, where that was asked.
func (st *situation) knownAgents() []KnownAgent {
	if st.e.Kind != ToolRequest {
		return nil
	}
	return st.e.Facts.Agents
}

// expandAgents replaces patterns by the agents that they match: those that the host can
// start, where that is known, else those that the config describes.
func (st *situation) expandAgents(patterns []string) (out []string) {
	known := st.knownAgents()
	for _, pattern := range patterns {
		if len(known) == 0 && !IsGlob(pattern) {
			out = append(out, pattern)
		}
		for _, a := range known {
			if matchOne(pattern, a.Name) {
				out = append(out, a.Name)
			}
		}
		for _, a := range st.p.Agents {
			if len(known) == 0 && IsGlob(pattern) && matchOne(pattern, a.Name) {
				out = append(out, a.Name)
			}
		}
	}
	return unique(out)
}

// mayStart reports whether the caller may start an agent of this type in a session.
func (st *situation) mayStart(s Session, agent string) bool {
	e := Event{Kind: ToolRequest, Session: st.e.Session, Time: st.e.Time, Agent: st.e.Agent,
		Tool: Tool{Name: "Agent", Parts: []Part{{Tool: "Agent"}}, Starts: &Start{How: ByAgent, Type: agent},
			Input: map[string]string{cmp.Or(st.e.Starter.Agent, "subagent_type"): agent}},
		Facts: Facts{Captured: st.e.Facts.Captured, Overrides: st.e.Facts.Overrides}}
	if st.e.Kind == ToolRequest {
		e.Facts.Env = st.e.Facts.Env
	}
	if st.e.Tool.Starts != nil {
		e.Facts.Spawn = st.e.Facts.Spawn
	}
	return !strings.EqualFold(agent, "fork") && st.try(s, e) < Deny
}

// canDo reports whether an agent of this type has the tools for the refused call, and may
// use them in a session.
func (rm remedy) canDo(s Session, agent string) bool {
	if rm.e.Tool.Starts != nil {
		return true
	}
	if !rm.hasTools(agent) {
		return false
	}
	const id = "remedy"
	s = s.clone()
	s.Agents.Runs = append(s.Agents.Runs, Run{ID: id, Type: agent, Status: Running, Visit: s.Machine.Visit})
	e := rm.e
	e.Agent = Agent{ID: id, Type: agent}
	return rm.try(s, e) < Deny
}

// hasTools reports whether an agent has the tool of the call, or another one for the part.
// Of agents that are not known it is assumed.
func (rm remedy) hasTools(agent string) bool {
	known := rm.knownAgents()
	i := slices.IndexFunc(known, func(a KnownAgent) bool { return sameAgent(a.Name, agent) })
	return i < 0 || slices.ContainsFunc(append(toolsFor(rm.part.Tool), rm.e.Tool.Name), known[i].Has)
}

// Has reports whether the agent has a tool.
func (a KnownAgent) Has(tool string) bool {
	fits := func(pattern string) bool { return matchGlob(CanonicalTool(pattern), tool) }
	return (len(a.Tools) == 0 || slices.ContainsFunc(a.Tools, fits)) && !slices.ContainsFunc(a.Without, fits)
}

// Judge answers a call in a session at the level strict, without a reason. The session
// that it returns has only been charged for the call.
func (p *Policy) Judge(s Session, e Event) (Session, Decision) {
	t := &step{situation: situation{p: p, s: s.clone(), e: e, level: Strict, ruleCap: Strict,
		usesBefore: s.Budgets.Uses, isTrial: true}}
	t.judgeRequest()
	return t.s, t.d
}

// try is the verdict on a call in a session.
func (st *situation) try(s Session, e Event) Verdict {
	_, d := st.p.Judge(s, e)
	return d.Verdict
}

// isAtWork reports whether an agent of this type runs already, or is about to, for the
// caller.
func (st *situation) isAtWork(agent string) bool {
	return slices.ContainsFunc(st.s.Agents.Runs, func(r Run) bool {
		return r.isActive() && r.By == st.e.Agent.ID && sameAgent(r.Type, agent)
	}) || slices.ContainsFunc(st.s.Agents.Pending, func(a Admission) bool {
		return a.By == st.e.Agent.ID && st.isExpected(a) && sameAgent(a.Type, agent)
	})
}

// namesFor lists agents that patterns stand for. Where none is known, the names stand for
// themselves: a client may start agents that are in no file.
func (st *situation) namesFor(patterns []string) []string {
	if out := st.expandAgents(patterns); len(out) > 0 {
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
func (st *situation) findRunningLeader() string {
	in := st.state()
	for _, r := range st.s.RunningAgents() {
		if t, ok := in.Admits(r.Type); ok && !t.Helper && t.To != in.Name && st.isAtWork(r.Type) &&
			r.Visit == st.s.Machine.Visit && r.Epoch == st.s.Machine.Epoch {
			return r.Type
		}
	}
	return ""
}

// listStartable lists the agents that the caller may start now, in the words of the config.
// A pattern stays as it is, if one of its agents may. Where the host has them by a plugin
// only, they have the plugin's prefix: it finds them by no other name.
func (st *situation) listStartable() (out []string) {
	for _, pattern := range st.p.NextAgents(st.s.Machine.State) {
		may := slices.DeleteFunc(st.namesFor([]string{pattern}), func(a string) bool {
			return st.isAtWork(a) || !st.mayStart(st.beforeCall(), a)
		})
		isPlain := func(a string) bool { return strings.Contains(pattern, ":") || !strings.Contains(a, ":") }
		if slices.ContainsFunc(may, isPlain) {
			may = []string{pattern}
		}
		out = append(out, may...)
	}
	return unique(out)
}

// describeWork is what of a call is compared with the keywords of agents.
func (rm remedy) describeWork() string {
	if rm.part.Path != "" {
		return filepath.Base(rm.part.Path)
	}
	return strings.Join(rm.part.Words, " ")
}

// scoreAgent counts the keywords of an agent in a text; the words of its name are such.
func (p *Policy) scoreAgent(agent, text string) int {
	keywords := strings.FieldsFunc(agent[strings.LastIndex(agent, ":")+1:], isSeparator)
	for _, a := range p.Agents {
		if sameAgent(a.Name, agent) {
			keywords = append(keywords, a.Keywords...)
		}
	}
	return len(unique(findPhrases(keywords, text)))
}

// isReading reports whether a tool reads files and does nothing else.
func isReading(tool string) bool { return tool == "Read" || tool == "Grep" || tool == "Glob" }

// isOwn reports whether a tool serves the conversation of the agent that has it: no other
// agent can use it in its place.
func isOwn(tool string) bool {
	return slices.ContainsFunc(KnownTools(), func(t ToolInfo) bool { return t.Own && t.Name == tool })
}

// toolsFor lists the tools that do what a part does. Newer clients search by the shell.
func toolsFor(tool string) []string {
	switch tool {
	case "Write", "Edit", "MultiEdit":
		return []string{"Write", "Edit"}
	case "Delete":
		return []string{"Bash"}
	case "Read", "Grep", "Glob":
		return []string{tool, "Bash"}
	}
	return []string{tool}
}
