package verify

import (
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// An edge is a way from one state to another, or back into the same.
type edge struct {
	from, to string
	trigger  string
	verdict  fsm.Verdict // on the start of the agent
}

// explored is a policy with all the ways through it.
type explored struct {
	p     *fsm.Policy // as if strict
	table *fsm.Table
	known agents
	ways  map[string][]edge   // by reachable state
	trace map[string][]string // the shortest way to each reachable state
	open  map[string][]string // by state: agents that represent all that may start there
	order []string            // the reachable states, the nearest first

	without []string // agents whose ways are not followed; fsm.PlanApproved for an approved plan
}

// explore follows every way from the initial state.
func explore(p *fsm.Policy, known []Agent) *explored {
	strict := *p
	strict.Level = fsm.Strict
	x := &explored{p: &strict, table: strict.NewTable(), known: known, ways: map[string][]edge{},
		trace: map[string][]string{}, open: map[string][]string{}}
	if _, ok := p.FindState(p.Initial); !ok {
		return x
	}
	x.follow(p.Initial)
	return x
}

// follow follows every way from a state.
func (x *explored) follow(start string) {
	x.addState(start, []string{start})
	for i := 0; i < len(x.order); i++ {
		from := x.order[i]
		x.ways[from] = x.findWays(from)
		for _, w := range x.ways[from] {
			x.addState(w.to, x.traceTo(w))
		}
	}
}

func (x *explored) addState(state string, trace []string) {
	if !x.isReached(state) {
		x.order, x.trace[state] = append(x.order, state), trace
	}
}

func (x *explored) isReached(state string) bool { return x.trace[state] != nil }

// traceTo is the trace to where an edge leads.
func (x *explored) traceTo(w edge) []string {
	before := x.trace[w.from]
	if len(before) == 1 && w.from == x.order[0] {
		before = nil
	}
	return append(slices.Clone(before), w.from+" –"+w.trigger+"→ "+w.to)
}

// findWays lists the ways out of a state: by the agents that may start there, and by
// the end of the turn, if an agent can complete the state's work.
func (x *explored) findWays(from string) []edge {
	var out []edge
	works, least := false, fsm.Deny
	for _, agent := range x.listCandidates(from) {
		v := x.mostLenient(x.newSession(from), agent)
		if v == fsm.Deny || fsm.MatchAgent(x.without, agent) {
			continue
		}
		for _, l := range x.table.FindLeads(from, agent) {
			out = append(out, edge{from, l.To, l.Name, v})
			if l.To == from && !l.Helper {
				works, least = true, min(least, v)
			}
		}
	}
	if in := x.state(from); works && in.OnStop != "" {
		out = append(out, edge{from, in.OnStop, fsm.TurnEnds, least})
	}
	if v := x.answerPlan(from); v < fsm.Deny && !slices.Contains(x.without, fsm.PlanApproved) {
		out = append(out, edge{from, x.state(from).OnPlan, fsm.PlanApproved, v})
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

// answerPlan is the most lenient answer to a plan that is to be approved, in a state that
// this leads out of.
func (x *explored) answerPlan(from string) fsm.Verdict {
	least := fsm.Deny
	if x.state(from).OnPlan == "" {
		return least
	}
	for _, in := range x.listSituations(x.newSession(from)) {
		e := fsm.Event{Kind: fsm.ToolRequest, Session: "verify", Tool: fsm.Tool{Name: "ExitPlanMode", UseID: "verify",
			Parts: []fsm.Part{{Tool: "ExitPlanMode"}}}}
		e.Facts.Env = in.env
		_, d := x.p.Step(in.session, e)
		least = min(least, d.Verdict)
	}
	return least
}

func (x *explored) state(name string) fsm.State {
	s, _ := x.p.FindState(name)
	return s
}

// newSession is a session that has just entered a state.
func (x *explored) newSession(state string) fsm.Session {
	return fsm.Session{ID: "verify", Machine: fsm.Machine{State: state, Visit: 1}, Policy: x.p.Fingerprint}
}

// A situation is what the answer to the start of an agent depends on, apart from the
// agent and the call.
type situation struct {
	session fsm.Session
	env     map[string]string
}

// listSituations lists the situations of a session that rules can tell apart: by the
// recent calls (no agent, one, one and others since), and by the environment (nothing
// is set, everything is, or one variable).
func (x *explored) listSituations(s fsm.Session) []situation {
	var out []situation
	for _, env := range listEnvironments(x.p.Main.List...) {
		out = append(out, situation{s, env})
		for n := range farthestWithin(x.p.Main.List) {
			late := s
			late.Budgets.Recent = []fsm.RecentTools{{Tools: append([]string{"Agent"},
				slices.Repeat([]string{"other"}, n)...)}}
			out = append(out, situation{late, env})
		}
	}
	return out
}

// listEnvironments lists the environments that rules tell apart: nothing is set, one
// variable is, or all are.
func listEnvironments(rules ...fsm.Rule) []map[string]string {
	all, out := map[string]string{}, []map[string]string{nil}
	for _, r := range rules {
		for _, c := range slices.Concat(r.Env, r.UnlessEnv) {
			alone := map[string]string{c.Name: findMatch(c.Value)}
			if !slices.ContainsFunc(out, func(e map[string]string) bool { return maps.Equal(e, alone) }) {
				out = append(out, alone)
			}
			maps.Copy(all, alone)
		}
	}
	if len(all) > 1 {
		out = append(out, all)
	}
	return out
}

func farthestWithin(rules []fsm.Rule) (n int) {
	for _, r := range rules {
		n = max(n, r.Within)
	}
	return n
}

// mostLenient is the most lenient answer to the start of an agent in any situation.
func (x *explored) mostLenient(s fsm.Session, agent string) fsm.Verdict {
	least := fsm.Deny
	for _, in := range x.listSituations(s) {
		least = min(least, x.answerStart(in, agent).Verdict)
	}
	return least
}

// answerStart is the most lenient answer to the main agent that starts an agent,
// however the call is written.
func (x *explored) answerStart(in situation, agent string) fsm.Decision {
	var best fsm.Decision
	for i, input := range x.listInputs() {
		e := requestAgent(fsm.Agent{}, agent)
		maps.Copy(e.Tool.Input, input)
		e.Facts.Env = in.env
		if _, d := x.p.Step(in.session, e); i == 0 || d.Verdict < best.Verdict {
			best = d
		}
	}
	return best
}

// listInputs lists the inputs of a call that rules can tell apart: none, and what each
// rule asks for.
func (x *explored) listInputs() []map[string]string {
	out := []map[string]string{nil}
	for _, r := range x.p.Main.List {
		input := map[string]string{}
		for _, c := range r.Inputs {
			if c.Name != agentInput {
				input[c.Name] = findMatch(c.Value)
			}
		}
		if len(input) > 0 && r.CoversTool("Agent") {
			out = append(out, input)
		}
	}
	return out
}

// agentInput is the input of the Agent tool that names the agent (Claude Code 2.1.197
// and 2.1.329).
const agentInput = "subagent_type"

func requestAgent(by fsm.Agent, agent string) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Session: "verify", Agent: by, Tool: fsm.Tool{Name: "Agent", UseID: "verify",
		Parts: []fsm.Part{{Tool: "Agent"}}, Input: map[string]string{agentInput: agent},
		Starts: &fsm.Start{How: fsm.ByAgent, Type: agent}}}
}
