package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A collector adds up the records of one session after another.
type collector struct {
	Options
	r         Report
	breakdown ledger[Violation]
	rules     ledger[Rule]
	states    ledger[State]
	agents    ledger[agent]
	tools     ledger[Tally]
	days      ledger[Tally]
	sessions  ledger[Tally]
	files     ledger[File]
	steps     ledger[Step]
	stopped   ledger[Stop]
	injected  ledger[Injected]
	repeated  []Repeat
	ended     int
}

func newCollector(o Options) *collector {
	if o.Location == nil {
		o.Location = time.Local
	}
	return &collector{Options: o, r: Report{Version: Version, AgentRole: "orchestrator"},
		breakdown: ledger[Violation]{}, rules: ledger[Rule]{}, states: ledger[State]{}, agents: ledger[agent]{},
		tools: ledger[Tally]{}, days: ledger[Tally]{}, sessions: ledger[Tally]{}, files: ledger[File]{},
		steps: ledger[Step]{}, stopped: ledger[Stop]{}, injected: ledger[Injected]{}}
}

// faults is how many faults are named; all are counted.
const faults = 20

func (c *collector) addFault(f Fault, lost bool) {
	if lost {
		c.r.Evidence.Unread++
	} else {
		c.r.Evidence.Breaks++
	}
	c.nameFault(f)
}

func (c *collector) nameFault(f Fault) {
	if len(c.r.Evidence.Faults) < faults {
		c.r.Evidence.Faults = append(c.r.Evidence.Faults, f)
	}
}

// addRequest counts a tool request.
func (c *collector) addRequest(t *track, e *journal.Line) {
	c.r.Calls.All++
	c.tools.at(e.Tool, newTally).add(e)
	c.days.at(e.Time.In(c.Location).Format(time.DateOnly), newTally).add(e)
	c.sessions.at(t.id, newTally).add(e)
	c.states.at(e.State(), newState).add(e)
	c.agents.at(agentName(e), newAgent).add(e)
	eachPath(e, func(path string) { c.addFile(e, path) })
	if e.IsOrchestrator() {
		c.addOrchestrated(e)
	} else {
		c.r.Calls.Agents++
	}
	if e.IsObjected() {
		c.addObjection(e)
	}
}

// mainAgent is what tables call the main agent.
const mainAgent = "(main)"

func agentName(e *journal.Line) string {
	if e.AgentID == "" {
		return mainAgent
	}
	return cmp.Or(e.Agent, "(unnamed)")
}

func newState(name string) State { return State{Tally: newTally(name)} }

func (c *collector) addFile(e *journal.Line, path string) {
	f := c.files.at(path, func(p string) File { return File{Path: p} })
	f.Requests++
	if e.IsOrchestrator() {
		f.Orchestrator++
	}
	if e.IsObjected() {
		f.Objections++
	}
	if dropRarest(c.files, func(f File) int { return f.Requests }) {
		c.r.Evidence.Truncated = true
	}
}

// addOrchestrated counts a request that the score may be about.
func (c *collector) addOrchestrated(e *journal.Line) {
	c.r.Calls.Orchestrator++
	c.r.Violations.add(e)
	s := &c.r.Score
	switch {
	case e.IsBypassed, e.Rule == fsm.RuleBypass:
		s.Bypassed.add(e)
	case isUnguarded(e):
		s.Unguarded.add(e)
	default:
		s.Requests++
		if !e.IsObjected() {
			s.Clean++
		}
	}
	if e.IsObjected() {
		rule := e.Decider()
		v := c.breakdown.at(rule+"\x00"+e.Verdict, func(string) Violation {
			return Violation{Type: strings.Clone(cmp.Or(e.RuleType, rule)), Rule: strings.Clone(rule),
				Blocked: e.Verdict == fsm.Deny.String(),
				Asked:   e.Verdict == fsm.Ask.String(), Warned: e.Verdict == fsm.Warn.String()}
		})
		v.Count++
	}
}

func (a *Aside) add(e *journal.Line) {
	a.Requests++
	if e.IsObjected() {
		a.Objections++
	}
}

// addObjection counts what strict would not have let pass.
func (c *collector) addObjection(e *journal.Line) {
	r := c.rules.at(e.Decider(), func(name string) Rule {
		return Rule{Rule: name, Type: strings.Clone(e.RuleType), Tool: strings.Clone(e.Tool),
			Kind: strings.Clone(e.Rule)}
	})
	r.Objections++
	r.Verdicts.add(e)
	if e.Where != "" {
		r.Where = strings.Clone(e.Where)
	}
	if e.Proposed != "" {
		r.Remedy = strings.Clone(e.Proposed)
	}
	if agent := e.Starts().Get("type").Str; agent != "" {
		key := e.State() + "\x00" + agent
		c.steps.at(key, func(k string) Step {
			state, agent, _ := strings.Cut(k, "\x00")
			return Step{State: state, Agent: agent}
		}).Count++
	}
}

// makeReport is what was added up.
func (c *collector) makeReport() Report {
	r := c.r
	r.Ended = c.ended == len(r.SessionIDs) && c.ended > 0
	r.Breakdown = c.breakdown.list(func(a, b Violation) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Rule, b.Rule), a.rank()-b.rank())
	})
	r.Rules = c.rules.list(func(a, b Rule) int {
		return cmp.Or(b.Objections-a.Objections, strings.Compare(a.Rule, b.Rule))
	})
	r.States = c.states.list(func(a, b State) int {
		return cmp.Or(-cmp.Compare(a.Working, b.Working), byName(a.Tally, b.Tally))
	})
	r.Tools, r.Days = c.tools.list(byObjections), c.days.list(byName)
	r.Sessions = c.sessions.list(byObjections)
	r.Injected.Sessions = c.injected.list(bySize)
	r.Files = firstN(c.files.list(func(a, b File) int {
		return cmp.Or(b.Requests-a.Requests, strings.Compare(a.Path, b.Path))
	}), 20)
	r.Steps = firstN(c.steps.list(func(a, b Step) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.State, b.State), strings.Compare(a.Agent, b.Agent))
	}), 20)
	r.Pipelines.Stopped = c.stopped.list(func(a, b Stop) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.State, b.State))
	})
	r.Repeated = firstN(c.listRepeated(), 20)
	r.Agents = c.listAgents()
	r.concludeReport()
	return r
}

func (c *collector) listRepeated() []Repeat {
	slices.SortFunc(c.repeated, func(a, b Repeat) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Session, b.Session), strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.What, b.What))
	})
	return append([]Repeat{}, c.repeated...)
}

// concludeReport works out what follows from the sums.
func (r *Report) concludeReport() {
	if len(r.SessionIDs) == 1 {
		r.SessionID = r.SessionIDs[0]
	}
	r.SessionIDs = append([]string{}, r.SessionIDs...)
	r.Evidence.Faults = append([]Fault{}, r.Evidence.Faults...)
	r.TotalToolCalls = r.Calls.Orchestrator
	r.Calls.Delegated = percent(r.Calls.Agents, r.Calls.All)
	r.computeScore()
	r.findSlowest()
	r.findConcentrations()
	if t := r.Timeline; t != nil {
		slices.SortFunc(t.Agents, func(a, b Span) int {
			return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To), strings.Compare(a.Name, b.Name))
		})
	}
	r.Recommendations = r.listAdvice()
}

func (r *Report) computeScore() {
	s := &r.Score
	if s.Requests == 0 {
		s.Formula = "no guarded tool request of the orchestrator: there is nothing to judge"
		return
	}
	score := percent(s.Clean, s.Requests)
	r.ComplianceScore = &score
	s.Formula = fmt.Sprintf("%d of %d guarded tool requests of the orchestrator needed no objection from "+
		"strict: 100 × %d / %d = %.1f, rounded down",
		s.Clean, s.Requests, s.Clean, s.Requests, score)
}

func (r *Report) findSlowest() {
	var most float64
	for _, s := range r.States {
		if v := s.PerVisit().Seconds(); s.Name != "" && v > most {
			most, r.Pipelines.Slowest = v, s.Name
		}
	}
}

// enough is how many objections there must be before their spread says anything.
const enough = 5

func (r *Report) findConcentrations() {
	r.Concentration = []Concentration{}
	r.addConcentration("session", r.Sessions)
	r.addConcentration("day", r.Days)
	r.addConcentration("tool", r.Tools)
	var agents []Tally
	for _, a := range r.Agents {
		agents = append(agents, a.Tally)
	}
	r.addConcentration("agent", agents)
}

// addConcentration finds how few of the sessions, days, tools or agents hold four
// fifths of the objections. A fifth of them, or a single one, is concentrated.
func (r *Report) addConcentration(by string, list []Tally) {
	var counts []int
	sum := 0
	for _, t := range list {
		if t.Requests > 0 {
			counts = append(counts, t.Objections)
			sum += t.Objections
		}
	}
	if sum < enough || len(counts) < 2 {
		return
	}
	slices.SortFunc(counts, func(a, b int) int { return b - a })
	held, n := 0, 0
	for n < len(counts) && held*5 < sum*4 {
		held += counts[n]
		n++
	}
	r.Concentration = append(r.Concentration,
		Concentration{by, len(counts), n, percent(held, sum), n > max(1, len(counts)/5)})
}
