package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A collector adds up the records of one session after another.
type collector struct {
	since                 time.Time
	r                     Report
	breakdown             ledger[Violation]
	rules                 ledger[Rule]
	states                ledger[State]
	agents                ledger[Agent]
	tools, days, sessions ledger[Tally]
	files                 ledger[File]
	stopped               ledger[Stop]
	ended                 int
}

func newCollector(since time.Time) *collector {
	return &collector{since: since, r: Report{Version: Version, AgentRole: "orchestrator", SessionIDs: []string{},
		Evidence: Evidence{Faults: []Fault{}}}}
}

// A ledger keeps one entry of a kind for each name.
type ledger[T any] struct{ entries map[string]*T }

// at is the entry for a name. The name is cloned: it is part of a line that is to be let go.
func (l *ledger[T]) at(name string) *T {
	t, ok := l.entries[name]
	if !ok {
		if t = new(T); l.entries == nil {
			l.entries = map[string]*T{}
		}
		l.entries[strings.Clone(name)] = t
	}
	return t
}

// list are the entries in an order, and those that are equal in it by name.
func (l *ledger[T]) list(setName func(t *T, name string), order func(a, b T) int) []T {
	out := make([]T, 0, len(l.entries))
	for _, name := range slices.Sorted(maps.Keys(l.entries)) {
		t := *l.entries[name]
		setName(&t, name)
		out = append(out, t)
	}
	slices.SortStableFunc(out, order)
	return out
}

// faults is how many faults are named; all are counted.
const faults = 20

func (c *collector) addFault(session string, f journal.Fault, what string) {
	if f.What = what; len(c.r.Evidence.Faults) < faults {
		c.r.Evidence.Faults = append(c.r.Evidence.Faults, Fault{session, f})
	}
}

// addRequest counts a tool request.
func (c *collector) addRequest(t *track, e *journal.Line) {
	c.r.Calls.All++
	c.tools.at(e.Tool).add(e)
	c.days.at(e.Time.Local().Format(time.DateOnly)).add(e)
	c.sessions.at(t.id).add(e)
	c.states.at(e.State()).add(e)
	c.agents.at(agentName(e)).add(e)
	seen := ""
	for _, p := range e.Parts { // each file once, as far as it is known
		if p.Path == "" || p.Path == shell.Unknown || p.Path == seen {
			continue
		}
		seen = p.Path
		f := c.files.at(p.Path)
		f.add(e)
		if e.IsOrchestrator() {
			f.Orchestrator++
		}
	}
	if e.IsOrchestrator() {
		c.addOrchestrated(e)
	} else {
		c.r.Calls.Agents++
	}
	if e.IsObjected() {
		c.addObjection(e)
	}
}

// add counts a tool request.
func (t *Tally) add(e *journal.Line) {
	t.Count.add(e)
	t.Verdicts.add(e)
}

func (c *Count) add(e *journal.Line) {
	c.Requests++
	if e.IsObjected() {
		c.Objections++
	}
}

func (v *Verdicts) add(e *journal.Line) {
	switch e.Verdict {
	case fsm.Deny.String():
		v.Blocked++
	case fsm.Ask.String():
		v.Asked++
	case fsm.Warn.String():
		v.Warned++
	case fsm.Confine.String():
		v.Confined++
	default:
		v.Allowed++
	}
}

// agentName is what tables call the caller.
func agentName(e *journal.Line) string {
	if e.AgentID == "" {
		return "(main)"
	}
	return cmp.Or(e.Agent, "(unnamed)")
}

// addOrchestrated counts a request that the score may be about.
func (c *collector) addOrchestrated(e *journal.Line) {
	c.r.Calls.Orchestrator++
	c.r.Violations.add(e)
	s := &c.r.Score
	switch {
	case e.IsBypassed, e.Rule == fsm.RuleBypass:
		s.Bypassed.add(e)
	case e.Level == fsm.Off.String(), e.Level == fsm.Observe.String(): // nothing could have stopped it
		s.Unguarded.add(e)
	default:
		s.Requests++
		if !e.IsObjected() {
			s.Clean++
		}
	}
	if e.IsObjected() {
		rule := e.Decider()
		v := c.breakdown.at(rule + "\x00" + e.Verdict)
		if v.Count++; v.Count == 1 {
			v.Type, v.Rule = strings.Clone(cmp.Or(e.RuleType, rule)), strings.Clone(rule)
			v.Blocked, v.Asked = e.Verdict == fsm.Deny.String(), e.Verdict == fsm.Ask.String()
			v.Warned = e.Verdict == fsm.Warn.String()
		}
	}
}

// addObjection counts what strict would not have let pass.
func (c *collector) addObjection(e *journal.Line) {
	r := c.rules.at(e.Decider())
	if r.Objections++; r.Objections == 1 {
		r.Type, r.Tool, r.Kind = strings.Clone(e.RuleType), strings.Clone(e.Tool), strings.Clone(e.Rule)
	}
	r.Verdicts.add(e)
	if e.Where != "" {
		r.Where = strings.Clone(e.Where)
	}
	if e.Proposed != "" {
		r.Remedy = strings.Clone(e.Proposed)
	}
}

// makeReport is what was added up.
func (c *collector) makeReport() Report {
	r := c.r
	r.TotalToolCalls = r.Calls.Orchestrator
	r.Ended = c.ended == len(r.SessionIDs) && c.ended > 0
	if len(r.SessionIDs) == 1 {
		r.SessionID = r.SessionIDs[0]
	}
	c.listTallies(&r)
	r.Breakdown = c.breakdown.list(func(*Violation, string) {}, func(a, b Violation) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Rule, b.Rule), a.rank()-b.rank())
	})
	r.Rules = c.rules.list(func(x *Rule, name string) { x.Rule = name },
		func(a, b Rule) int { return b.Objections - a.Objections })
	r.Files = firstN(c.files.list(func(f *File, path string) { f.Path = path },
		func(a, b File) int { return b.Requests - a.Requests }), 20)
	r.Pipelines.Stopped = c.stopped.list(func(x *Stop, state string) { x.State = state },
		func(a, b Stop) int { return b.Count - a.Count })
	r.Calls.Delegated = percent(r.Calls.Agents, r.Calls.All)
	s := &r.Score
	s.Formula = "no guarded tool request of the orchestrator: there is nothing to judge"
	if s.Requests > 0 {
		score := percent(s.Clean, s.Requests)
		r.ComplianceScore = &score
		s.Formula = fmt.Sprintf("%d of %d guarded tool requests of the orchestrator needed no objection from "+
			"strict: 100 × %[1]d / %[2]d = %.1[3]f, rounded down", s.Clean, s.Requests, score)
	}
	r.Recommendations = r.listAdvice()
	return r
}

// listTallies lists what requests were counted by.
func (c *collector) listTallies(r *Report) {
	setName := func(t *Tally, name string) { t.Name = name }
	byObjections := func(a, b Tally) int { return cmp.Or(b.Objections-a.Objections, b.Requests-a.Requests) }
	r.Tools, r.Sessions = c.tools.list(setName, byObjections), c.sessions.list(setName, byObjections)
	r.Days = c.days.list(setName, func(Tally, Tally) int { return 0 })
	r.States = c.states.list(func(s *State, name string) { s.Name = name },
		func(a, b State) int { return cmp.Compare(b.Working, a.Working) })
	var most float64
	for _, s := range r.States {
		if v := s.PerVisit(); s.Name != "" && v > most {
			most, r.Pipelines.Slowest = v, s.Name
		}
	}
	r.Agents = c.agents.list(func(a *Agent, name string) {
		a.Name = name
		if n := a.Done + a.Failed; n > 0 {
			rate := percent(a.Done, n)
			a.Success = &rate
		}
		slices.Sort(a.Took)
		if n := len(a.Took); n > 0 {
			a.Median, a.Longest = (a.Took[(n-1)/2]+a.Took[n/2])/2, a.Took[n-1]
		}
		a.Took = nil
	}, func(a, b Agent) int { return cmp.Or(b.Runs-a.Runs, b.Requests-a.Requests) })
}

// firstN is the beginning of a list.
func firstN[T any](list []T, n int) []T { return list[:min(n, len(list))] }

func percent(part, whole int) float64 {
	return float64(part*1000/max(1, whole)) / 10 // rounded down: 79.96 is not 80
}
