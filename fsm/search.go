package fsm

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// Which agents may start, which of them can do what was refused, and what leads there: one search answers
// all of it. It proposes a call only if answerRequest lets it pass in the session as it is, and if the agent
// that it starts may do what was refused.

// A KnownAgent is an agent that the host can start, and what it may use.
type KnownAgent struct {
	Name    string
	Tools   []string // globs of its tools; none for all
	Without []string // globs of tools that it does not have
}

// Has reports whether the agent has a tool.
func (a KnownAgent) Has(tool string) bool {
	fits := func(pattern string) bool { return MatchTool(CanonicalTool(pattern), tool) }
	return (len(a.Tools) == 0 || slices.ContainsFunc(a.Tools, fits)) && !slices.ContainsFunc(a.Without, fits)
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

// A search looks for what the caller can do.
type search struct {
	*situation
	part Part // what was refused; none where an agent is only to start
}

// A way is what a caller can do that was refused something.
type way struct {
	agents  []string // they may start now and do it, the best first
	state   string   // where no agent may do it here: the state in which one may
	next    string   // the agent that leads there, and may start now
	running string   // the agent whose result is to be waited for
	trigger string   // that leads there, where it is known
}

// CanDelegate reports whether an agent of a pattern may start in a session, and do there
// what a call wants.
func (p *Policy) CanDelegate(s Session, e Event, to string) bool {
	if len(e.Tool.Parts) == 0 {
		return false
	}
	q := search{&newStep(p, s, e).situation, e.Tool.Parts[0]}
	return len(q.findAble(q.beforeCall(), []string{to}, false)) > 0
}

// findWay finds what can be done instead, of what a rule refuses. An agent that the rule
// names may do it later; any agent may where none of those ever can.
func (q search) findWay(r *Rule) way {
	if findTool(q.part.Tool).Own {
		return way{}
	}
	w := q.findWayBy(r.DelegateTo)
	if len(w.agents) == 0 && w.state == "" && w.running == "" {
		return q.findWayBy(nil)
	}
	return w
}

func (q search) findWayBy(named []string) (w way) {
	if start := q.e.Tool.Starts; start != nil && len(named) == 0 {
		named = append([]string{start.Type}, q.table().Next(q.s.State)...)
	}
	all := q.findAble(q.beforeCall(), named, false)
	w.agents = slices.DeleteFunc(slices.Clone(all), q.isAtWork)
	if len(all) > 0 && q.isAtWork(all[0]) { // it is to be waited for, unless another one is as good
		text := q.describeWork()
		if len(w.agents) == 0 || q.p.scoreAgent(w.agents[0], text) < q.p.scoreAgent(all[0], text) {
			return way{running: all[0]}
		}
	}
	if len(w.agents) > 0 || !q.e.Agent.IsMain() {
		return w
	}
	return q.findLater(func(s Session) bool {
		return len(q.findAble(s, named, false)) > 0 || len(named) == 0 && len(q.findAble(s, nil, true)) > 0
	})
}

// findLater finds the nearest state that fits, and the first step to it.
func (q search) findLater(fits func(Session) bool) way {
	if fits(q.beforeCall()) {
		return q.describeStep(q.s.State, "")
	}
	type stop struct{ state, first string }
	stops := []stop{{state: q.s.State}}
	for i := 0; i < len(stops); i++ {
		at, s := stops[i], q.beforeCall() // the session as it will be when it enters the state
		s.State = at.state
		s.Visit++
		s.Runs = slices.DeleteFunc(s.Runs, func(r Run) bool { return r.ID != q.e.Agent.ID })
		s.Tasks = Tasks{}
		s.refillBudgets(q.p, "state")
		if at.first != "" && fits(s) {
			return q.describeStep(at.state, at.first)
		}
		for _, t := range q.table().List(at.state) {
			if !t.Helper && !slices.ContainsFunc(stops, func(s stop) bool { return s.state == t.To }) {
				stops = append(stops, stop{t.To, cmp.Or(at.first, t.Name)})
			}
		}
	}
	return way{}
}

// describeStep is the first step to a state: by the trigger of that name, or by any agent
// that leads on from here.
func (q search) describeStep(state, trigger string) way {
	w := way{state: state, trigger: trigger}
	for _, t := range q.table().List(q.s.State) {
		if t.Helper || trigger != "" && t.Name != trigger || trigger == "" && t.To == q.s.State {
			continue
		}
		for _, agent := range q.namesFor(t.Agents) {
			if q.isAtWork(agent) {
				w.running = agent
				return w
			}
			if w.next == "" && q.mayStart(q.beforeCall(), agent) {
				w.next = agent
			}
		}
	}
	if atWork := q.listAtWork(); w.next == "" && len(atWork) > 0 {
		w.running = atWork[0].Type
	}
	return w
}

// beforeCall is the session without what the call in question has been charged.
func (q search) beforeCall() Session {
	s := q.s.clone()
	s.Uses = slices.Clone(q.before.Uses)
	return s
}

// findAble lists agents that may start in a session and do what the part does there, the best first: of those
// that are named, or else of those that work in its state; with leads, of those that lead out of it.
func (q search) findAble(s Session, named []string, leads bool) (out []string) {
	pool := q.expandAgents(named)
	if len(named) == 0 {
		pool = q.listWorkers(s, leads)
	}
	text, atLeast := q.describeWork(), 1
	if len(q.p.States) == 0 && len(named) == 0 {
		atLeast = 2 // as RouteTask
	}
	score := func(agent string) int {
		if n := q.p.scoreAgent(agent, text); n >= atLeast {
			return n
		}
		return 0
	}
	slices.SortStableFunc(pool, func(a, b string) int { return score(b) - score(a) })
	for _, agent := range pool[:min(len(pool), mostAsked)] {
		if len(out) < mostProposed && q.mayStart(s, agent) && q.canDo(s, agent) {
			out = append(out, agent)
		}
	}
	return out
}

// listWorkers lists the agents that may run in a session's state and stay in it, or those that lead out of it.
// To read, helpers come first; they are there for that.
func (q search) listWorkers(s Session, leads bool) []string {
	reads := isReading(q.part.Tool)
	in := s.State
	if q.p.FindState(in).Name == "" {
		out := append([]string{"Explore", "general-purpose"}, q.p.agentNames()...)
		if !reads {
			out = out[1:]
		}
		return unique(out)
	}
	var workers, helpers, leaders []string
	for _, t := range q.table().List(in) {
		switch agents := q.expandAgents(t.Agents); {
		case t.Helper:
			helpers = append(helpers, agents...)
		case t.isWork(in):
			workers = append(workers, agents...)
		case t.To != in:
			leaders = append(leaders, agents...)
		}
	}
	switch {
	case leads:
		return unique(leaders)
	case reads:
		workers = slices.Concat(helpers, workers)
	default:
		workers = slices.Concat(workers, helpers)
	}
	return slices.DeleteFunc(unique(workers), func(a string) bool { // an earlier trigger may take it
		t := q.table().Admits(in, a)
		return t == nil || !t.Helper && t.To != in
	})
}

// mayStart reports whether the caller may start an agent of this type in a session.
func (q search) mayStart(s Session, agent string) bool {
	e := Event{Kind: ToolRequest, Session: q.e.Session, Time: q.e.Time, Agent: q.e.Agent,
		Tool: Tool{Name: "Agent", Parts: []Part{{Tool: "Agent"}}, Starts: &Start{How: ByAgent, Type: agent},
			Input: map[string]string{cmp.Or(q.e.Starter.Agent, "subagent_type"): agent}},
		Facts: Facts{Captured: q.e.Facts.Captured, Overrides: q.e.Facts.Overrides}}
	if q.e.Kind == ToolRequest {
		e.Facts.Env = q.e.Facts.Env
	}
	if q.e.Tool.Starts != nil {
		e.Facts.Spawn = q.e.Facts.Spawn
	}
	return !strings.EqualFold(agent, "fork") && q.lets(s, e)
}

// canDo reports whether an agent of this type has the tools for the refused call, and may
// use them in a session. Of an agent that is not known it is assumed that it has them.
func (q search) canDo(s Session, agent string) bool {
	if q.e.Tool.Starts != nil {
		return true
	}
	tools := []string{q.e.Tool.Name} // any of them will do
	switch tool := q.part.Tool; tool {
	case "Write", "Edit", "MultiEdit":
		tools = append(tools, "Write", "Edit")
	case "Delete":
		tools = append(tools, "Bash")
	case "Read", "Grep", "Glob": // newer clients search by the shell
		tools = append(tools, tool, "Bash")
	default:
		tools = append(tools, tool)
	}
	known := q.knownAgents()
	i := slices.IndexFunc(known, func(a KnownAgent) bool { return sameAgent(a.Name, agent) })
	if i >= 0 && !slices.ContainsFunc(tools, known[i].Has) {
		return false
	}
	const id = "remedy"
	s = s.clone()
	s.Runs = append(s.Runs, Run{ID: id, Type: agent, Status: Running, State: s.State,
		Visit: s.Visit})
	e := q.e
	e.Agent = Agent{ID: id, Type: agent}
	return q.lets(s, e)
}

// lets reports whether a call may be made in a session.
func (q search) lets(s Session, e Event) bool {
	_, d := q.table().Judge(s, e)
	return d.Verdict < Deny
}

// Judge answers a call in a session at the level strict, without a reason. The session
// that it returns has only been charged for the call.
func (t *Table) Judge(s Session, e Event) (Session, Decision) {
	st := newStep(t.p, s, e)
	st.level, st.ruleCap, st.verdictOnly, st.states = Strict, Strict, true, t
	judge(st).answerRequest()
	return st.s, st.Decision
}

// knownAgents are the agents that the host can start, where that was asked.
func (q search) knownAgents() []KnownAgent {
	if q.e.Kind != ToolRequest {
		return nil
	}
	return q.e.Facts.Agents
}

// expandAgents replaces patterns by the agents that they match: those that the host can
// start, where that is known, else those that the config describes.
func (q search) expandAgents(patterns []string) (out []string) {
	known := q.knownAgents()
	for _, pattern := range patterns {
		if len(known) == 0 && !IsGlob(pattern) {
			out = append(out, pattern)
			continue
		}
		for _, a := range known {
			if NamesAgent(pattern, a.Name) {
				out = append(out, a.Name)
			}
		}
		for _, a := range q.p.Agents {
			if len(known) == 0 && NamesAgent(pattern, a.Name) {
				out = append(out, a.Name)
			}
		}
	}
	return unique(out)
}

// namesFor lists agents that patterns stand for. Where none is known, the names stand for
// themselves: a client may start agents that are in no file.
func (q search) namesFor(patterns []string) []string {
	out := q.expandAgents(patterns)
	if len(out) == 0 {
		for _, p := range patterns {
			out = append(out, strings.NewReplacer("*", "x", "?", "x").Replace(p))
		}
	}
	return out
}

// isAtWork reports whether an agent of this type runs already, or is about to, for the
// caller.
func (q search) isAtWork(agent string) bool {
	isMeant := func(r Run) bool { return r.By == q.e.Agent.ID && sameAgent(r.Type, agent) }
	return slices.ContainsFunc(q.listAtWork(), isMeant)
}

// listStartable lists the agents that the caller may start now. Those that no file defines go by
// the words of the config, where the host's agents are known of patterns only if there are no others. Where the host
// has them by a plugin only, they have the plugin's prefix: it finds them by no other name.
func (q search) listStartable() (out []string) {
	var patterns []string
	for _, pattern := range q.table().Next(q.s.State) {
		may := slices.DeleteFunc(q.namesFor([]string{pattern}), func(a string) bool {
			return q.isAtWork(a) || !q.mayStart(q.beforeCall(), a)
		})
		isPlain := func(a string) bool { return strings.Contains(pattern, ":") || !strings.Contains(a, ":") }
		switch isOpen := IsGlob(pattern) && len(q.expandAgents([]string{pattern})) == 0; {
		case len(may) == 0:
		case isOpen && len(q.knownAgents()) > 0:
			patterns = append(patterns, "an agent of "+pattern)
		case isOpen:
			out = append(out, "an agent of "+pattern) // a pattern is no name to call
		case !IsGlob(pattern) && slices.ContainsFunc(may, isPlain):
			out = append(out, pattern)
		default:
			out = append(out, may...)
		}
	}
	if len(out) == 0 {
		return unique(patterns)
	}
	return unique(out)
}

// describeWork is what of a call is compared with the keywords of agents.
func (q search) describeWork() string {
	if q.part.Path != "" && q.part.Path != shell.Unknown {
		return filepath.Base(q.part.Path)
	}
	return strings.Join(q.part.Words, " ")
}

// isReading reports whether a tool reads files and does nothing else.
func isReading(tool string) bool { return tool == "Read" || tool == "Grep" || tool == "Glob" }

// RouteTask names the agent with the most keywords in the text, at least two; else
// general-purpose.
func (p *Policy) RouteTask(text string) string {
	best, most := "general-purpose", 1
	for _, r := range p.ScoreRoutes(text) {
		if len(r.Found) > most {
			best, most = r.Agent, len(r.Found)
		}
	}
	return best
}

// A RouteScore is what of an agent's keywords a text has.
type RouteScore struct {
	Agent    string   `json:"agent"`
	Found    []string `json:"found"`
	Keywords int      `json:"keywords"` // how many it has
}

// ScoreRoutes scores the agents that the config describes, and others by their names.
func (p *Policy) ScoreRoutes(text string, others ...string) (out []RouteScore) {
	for _, agent := range append(p.agentNames(), others...) {
		keywords := p.listKeywords(agent)
		out = append(out, RouteScore{Agent: agent, Found: findPhrases(keywords, text), Keywords: len(keywords)})
	}
	return out
}

// agentNames lists the agents that the config describes.
func (p *Policy) agentNames() (out []string) {
	for _, a := range p.Agents {
		out = append(out, a.Name)
	}
	return out
}

// listKeywords lists the keywords of an agent: those of the config, and the words of its name.
func (p *Policy) listKeywords(agent string) []string {
	keywords := strings.FieldsFunc(agent[strings.LastIndex(agent, ":")+1:], isSeparator)
	for _, a := range p.Agents {
		if sameAgent(a.Name, agent) {
			keywords = append(keywords, a.Keywords...)
		}
	}
	return unique(keywords)
}

// findPhrases lists the phrases that a text has, as whole words and in any case. A file that the text
// names also counts as the words of its kind.
func findPhrases(phrases []string, text string) []string {
	for word := range strings.FieldsSeq(text) {
		text += " " + fileKinds[strings.ToLower(path.Ext(strings.TrimRight(word, ".,:;!?)\"'`")))]
	}
	words := " " + normalizeWords(text) + " "
	out := []string{}
	for _, phrase := range phrases {
		if phrase = normalizeWords(phrase); phrase != "" && strings.Contains(words, " "+phrase+" ") {
			out = append(out, phrase)
		}
	}
	return out
}

// normalizeWords joins a text's words by spaces. Signs in names of files and languages
// belong to words (c++, c#).
func normalizeWords(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+#_-", r)
	}), " ")
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
