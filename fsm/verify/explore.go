package verify

import (
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// An edge is a way out of a state to another, or back into the same.
type edge struct {
	to, trigger, agent string      // the agent whose completion it needs; fsm.PlanApproved for an approved plan
	verdict            fsm.Verdict // on the start of the agent
}

// explored is a policy with all the ways through it.
type explored struct {
	*fsm.Policy // as if strict
	*fsm.Table

	known agents
	ways  map[string][]edge   // by reachable state
	trace map[string][]string // the shortest way to each reachable state
	open  map[string][]string // by state and patterns: agents that represent all that may start there
	order []string            // the reachable states, the nearest first
	rules []listed            // of all agents
}

// explore follows every way from the initial state.
func explore(p *fsm.Policy, known []Agent) *explored {
	strict := *p
	strict.Level = fsm.Strict
	x := &explored{Policy: &strict, Table: strict.NewTable(), known: known, ways: map[string][]edge{},
		open: map[string][]string{}}
	for _, set := range []*fsm.Rules{&strict.Main, &strict.Subagents} {
		for i := range set.List {
			x.rules = append(x.rules, listed{&set.List[i], set, i})
		}
		x.rules = append(x.rules, listed{&set.Default, set, isDefault})
	}
	if p.FindState(p.Initial).Name != "" {
		x.order, x.trace = x.walk(p.Initial)
		x.trace[p.Initial] = []string{p.Initial}
	}
	return x
}

// A listed is a rule, and its place in a list.
type listed struct {
	*fsm.Rule
	set *fsm.Rules
	i   int // or isDefault
}

const isDefault = -1

// walk follows every way from a state, except those of some agents. It lists the states that it reaches, the nearest
// first, and the shortest way to each.
func (x *explored) walk(start string, without ...string) (order []string, ways map[string][]string) {
	order, ways = []string{start}, map[string][]string{start: {}}
	for i := 0; i < len(order); i++ {
		from := order[i]
		if _, known := x.ways[from]; !known {
			x.ways[from] = x.findWays(from)
		}
		for _, w := range x.ways[from] {
			isLeftOut := fsm.MatchAgent(without, w.agent)
			if w.trigger == fsm.PlanApproved {
				isLeftOut = slices.Contains(without, fsm.PlanApproved)
			}
			if ways[w.to] == nil && !isLeftOut {
				order = append(order, w.to)
				ways[w.to] = append(slices.Clone(ways[from]), from+" –"+w.trigger+"→ "+w.to)
			}
		}
	}
	return order, ways
}

// wayTo is the way to a state, empty to the first.
func (x *explored) wayTo(state string) []string {
	if state == x.order[0] {
		return nil
	}
	return slices.Clone(x.trace[state])
}

func (x *explored) isReached(state string) bool { return x.trace[state] != nil }

// findWays lists the ways out of a state: by the agents that may start there, by the end of the turn, where an agent
// can complete the state's work, and by an approved plan.
func (x *explored) findWays(from string) (out []edge) {
	in, ends := x.FindState(from), []edge{}
	for _, agent := range x.listCandidates(from) {
		v := x.judgeStart(from, agent)
		for _, l := range x.FindLeads(from, agent) {
			if v == fsm.Deny {
				continue
			}
			out = append(out, edge{l.To, l.Name, agent, v})
			if in.OnStop != "" && l.To == from && !l.Helper {
				ends = append(ends, edge{in.OnStop, fsm.TurnEnds, agent, v})
			}
		}
	}
	out = append(out, ends...)
	if in.OnPlan != "" {
		if v := x.judgeStart(from, fsm.PlanApproved); v < fsm.Deny {
			out = append(out, edge{in.OnPlan, fsm.PlanApproved, fsm.PlanApproved, v})
		}
	}
	return out
}

// findLead is where a trigger leads from a state; "" where it cannot fire.
func (x *explored) findLead(state, trigger string) string {
	for _, w := range x.ways[state] {
		if w.trigger == trigger {
			return w.to
		}
	}
	return ""
}

// admits reports whether a state lets an agent start. Without states each agent may.
func (x *explored) admits(state, agent string) bool {
	return len(x.States) == 0 || x.Admits(state, agent) != nil
}

// newSession is a session that has just entered a state.
func (x *explored) newSession(state string) fsm.Session {
	return fsm.Session{ID: "verify", Machine: fsm.Machine{State: state, Visit: 1}, Policy: x.Fingerprint}
}

// A place is where somebody may be at work: a state, and the one that let the agent start. The main
// agent has no type.
type place struct{ state, agent, since string }

// enter is a session in which somebody is at work.
func (x *explored) enter(at place) (fsm.Session, fsm.Agent) {
	s := x.newSession(at.state)
	if at.agent == "" {
		return s, fsm.Agent{}
	}
	s.Agents.Runs = []fsm.Run{{ID: agentID, Type: at.agent, Status: fsm.Running, State: at.since, Visit: 1}}
	return s, fsm.Agent{ID: agentID, Type: at.agent}
}

// agentID is the id of the agent that is at work.
const agentID = "a"

// A situation is what the answer to a call depends on, apart from the agent and the call.
type situation struct {
	session fsm.Session
	env     map[string]string
}

// listSituations lists the situations of a session that rules can tell apart: by the
// recent calls (no agent, one, one and others since), and by the environment (nothing
// is set, everything is, or one variable).
func (x *explored) listSituations(s fsm.Session) (out []situation) {
	within := 0
	for _, r := range x.Main.List {
		within = max(within, r.Within)
	}
	for _, env := range listEnvironments(x.Main.List) {
		out = append(out, situation{s, env})
		for n := range within {
			late := s
			late.Budgets.Recent = recentCalls(fsm.Agent{}, "Agent", n)
			out = append(out, situation{late, env})
		}
	}
	return out
}

// recentCalls is a call of a tool, and how many others since.
func recentCalls(by fsm.Agent, tool string, since int) []fsm.RecentTools {
	return []fsm.RecentTools{{Agent: by.ID, Tools: append([]string{tool}, slices.Repeat([]string{anyName}, since)...)}}
}

// listEnvironments lists the environments that rules tell apart: nothing is set, one
// variable is, or all are.
func listEnvironments(rules []fsm.Rule) []map[string]string {
	all, out := map[string]string{}, []map[string]string{nil}
	for _, r := range rules {
		for _, c := range slices.Concat(r.Env, r.UnlessEnv) {
			alone := map[string]string{c.Name: findMatch(c.Value)}
			out = addNew(out, alone)
			maps.Copy(all, alone)
		}
	}
	if len(all) > 1 {
		out = append(out, all)
	}
	return out
}

func addNew(all []map[string]string, m map[string]string) []map[string]string {
	if slices.ContainsFunc(all, func(o map[string]string) bool { return maps.Equal(o, m) }) {
		return all
	}
	return append(all, m)
}

// listInputs lists the inputs of a tool that rules can tell apart: none, and what each rule asks
// for. The input that names an agent is that of the start.
func listInputs(tool string, rules []fsm.Rule) []map[string]string {
	out := []map[string]string{nil}
	for _, r := range rules {
		input := map[string]string{}
		for _, c := range r.Inputs {
			if tool != "Agent" || c.Name != agentInput {
				input[c.Name] = findMatch(c.Value)
			}
		}
		if len(input) > 0 && r.CoversTool(tool) {
			out = addNew(out, input)
		}
	}
	return out
}

// judgeStart is the most lenient answer to the main agent that starts an agent in a state, in any situation.
func (x *explored) judgeStart(state, agent string) fsm.Verdict {
	least := fsm.Deny
	for _, in := range x.listSituations(x.newSession(state)) {
		least = min(least, x.answer(in, agent).Verdict)
	}
	return least
}

// answer is the most lenient answer to the main agent that starts an agent, by any of the inputs that rules tell apart.
// fsm.PlanApproved as the agent means: it proposes a plan.
func (x *explored) answer(in situation, agent string) (best fsm.Decision) {
	calls := []fsm.Event{request(fsm.Agent{}, fsm.Part{Tool: "ExitPlanMode"})}
	if agent != fsm.PlanApproved {
		calls = nil
		for _, input := range listInputs("Agent", x.Main.List) {
			e := requestAgent(fsm.Agent{}, agent)
			maps.Copy(e.Tool.Input, input)
			calls = append(calls, e)
		}
	}
	for i, e := range calls {
		e.Facts.Env = in.env
		if _, d := x.Step(in.session, e); i == 0 || d.Verdict < best.Verdict {
			best = d
		}
	}
	return best
}

// agentInput is the input of the Agent tool that names the agent (Claude Code 2.1.197
// and 2.1.329).
const agentInput = "subagent_type"

func requestAgent(by fsm.Agent, agent string) fsm.Event {
	e := request(by, fsm.Part{Tool: "Agent"})
	e.Tool.Input[agentInput], e.Tool.Starts = agent, &fsm.Start{How: fsm.ByAgent, Type: agent}
	return e
}

// request is a call of an agent.
func request(by fsm.Agent, part fsm.Part) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Session: "verify", Agent: by,
		Tool: fsm.Tool{Name: part.Tool, UseID: "verify", Parts: []fsm.Part{part}, Input: map[string]string{}}}
}
