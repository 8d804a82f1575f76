package fsm

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// What may be done instead of a refused call. A call is proposed only if answerRequest lets
// it pass in the session as it is, and if the agent that it starts may do what was refused.

// A KnownAgent is an agent that the host can start, and what it may use.
type KnownAgent struct {
	Name    string
	Tools   []string // globs of its tools; none for all
	Without []string // globs of tools that it does not have
}

// A StartTool is how the host's own tool starts an agent: the names of the tool and of its
// arguments, and the tool that waits for an agent, where that is how its result is delivered.
type StartTool struct{ Tool, Agent, Describe, Prompt, Wait string }

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
	rm := remedy{st.outlook(), e.Tool.Parts[0]}
	return len(rm.findDelegates(rm.beforeCall(), []string{to})) > 0
}

// A remedy is the search for what can be done instead of one refused part of a call.
type remedy struct {
	outlook
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
		named = append([]string{start.Type}, rm.table().Next(rm.s.Machine.State)...)
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
	var pool []string
	for _, t := range rm.table().List(s.Machine.State) {
		if !t.Helper && t.To != s.Machine.State {
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
	for _, t := range rm.table().List(in.Name) {
		switch {
		case t.Helper:
			helpers = append(helpers, rm.expandAgents(t.Agents)...)
		case t.isWork(in.Name):
			workers = append(workers, rm.expandAgents(t.Agents)...)
		}
	}
	out := slices.Concat(workers, helpers)
	if isReading(rm.part.Tool) {
		out = slices.Concat(helpers, workers)
	}
	return slices.DeleteFunc(unique(out), func(a string) bool { // an earlier trigger may take it
		t, _ := rm.table().Admits(in.Name, a)
		return !t.Helper && t.To != in.Name
	})
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
	s.Agents.Runs = append(s.Agents.Runs, Run{ID: id, Type: agent, Status: Running, State: s.Machine.State,
		Visit: s.Machine.Visit})
	e := rm.e
	e.Agent = Agent{ID: id, Type: agent}
	return rm.tryCall(s, e) < Deny
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
	fits := func(pattern string) bool { return matchTool(CanonicalTool(pattern), tool) }
	return (len(a.Tools) == 0 || slices.ContainsFunc(a.Tools, fits)) && !slices.ContainsFunc(a.Without, fits)
}

// Judge answers a call in a session at the level strict, without a reason. The session
// that it returns has only been charged for the call.
func (p *Policy) Judge(s Session, e Event) (Session, Decision) {
	return p.judgeBy(nil, s, e)
}

func (p *Policy) judgeBy(states *Table, s Session, e Event) (Session, Decision) {
	t := &step{situation: situation{p: p, s: s.clone(), e: e, level: Strict, ruleCap: Strict,
		usesBefore: s.Budgets.Uses, verdictOnly: true, states: states}}
	t.judge().answerRequest()
	return t.s, t.d
}

// describeWork is what of a call is compared with the keywords of agents.
func (rm remedy) describeWork() string {
	if rm.part.Path != "" && rm.part.Path != shell.Unknown {
		return filepath.Base(rm.part.Path)
	}
	return strings.Join(rm.part.Words, " ")
}

// fileKinds are the words by which agents are named and described that work on a kind of file.
var fileKinds = map[string]string{
	".md": "documentation docs document", ".rst": "documentation docs document", ".adoc": "documentation docs document",
	".py": "python", ".rs": "rust", ".go": "golang", ".rb": "ruby", ".cs": "csharp c#", ".kt": "kotlin",
	".cc": "cpp c++", ".cpp": "cpp c++", ".hpp": "cpp c++", ".h": "c", ".ts": "typescript",
	".tsx": "typescript frontend",
	".js":  "javascript", ".jsx": "javascript frontend", ".css": "frontend web", ".html": "frontend web",
	".sh": "bash shell", ".bash": "bash shell", ".tf": "terraform infrastructure", ".sql": "database",
}

// scoreAgent counts the keywords of an agent in a text.
func (p *Policy) scoreAgent(agent, text string) int {
	return len(findPhrases(p.listKeywords(agent), text))
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
