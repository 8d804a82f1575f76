package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// makeReport is what was added up.
func (c *collector) makeReport() Report {
	r := c.r
	r.SessionIDs = append([]string{}, r.SessionIDs...)
	r.Evidence.Faults = append([]Fault{}, r.Evidence.Faults...)
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
	r.Injected.Sessions = c.injected.list(func(x *Injected, id string) { x.Session = id },
		func(a, b Injected) int { return b.Characters - a.Characters })
	r.Files = firstN(c.files.list(func(f *File, path string) { f.Path = path },
		func(a, b File) int { return b.Requests - a.Requests }), 20)
	r.Steps = firstN(c.steps.list(func(x *Step, name string) { x.State, x.Agent, _ = strings.Cut(name, "\x00") },
		func(a, b Step) int { return b.Count - a.Count }), 20)
	r.Pipelines.Stopped = c.stopped.list(func(x *Stop, state string) { x.State = state },
		func(a, b Stop) int { return b.Count - a.Count })
	r.Repeated = firstN(sortRepeated(c.repeated), 20)
	r.Calls.Delegated = percent(r.Calls.Agents, r.Calls.All)
	r.computeScore()
	r.findConcentrations()
	if t := r.Timeline; t != nil {
		slices.SortFunc(t.Agents, func(a, b Span) int {
			return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To), strings.Compare(a.Name, b.Name))
		})
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
		if v := s.PerVisit().Seconds(); s.Name != "" && v > most {
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

// sortRepeated puts first what was asked for most.
func sortRepeated(list []Repeat) []Repeat {
	slices.SortFunc(list, func(a, b Repeat) int {
		return cmp.Or(b.Count-a.Count, strings.Compare(a.Session, b.Session), strings.Compare(a.Rule, b.Rule),
			strings.Compare(a.What, b.What))
	})
	return append([]Repeat{}, list...)
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
		"strict: 100 × %[1]d / %[2]d = %.1[3]f, rounded down", s.Clean, s.Requests, score)
}

// enough is how many objections there must be before their spread says anything.
const enough = 5

// findConcentrations finds how few of the sessions, days, tools or agents hold four
// fifths of the objections. A fifth of them, or a single one, is concentrated.
func (r *Report) findConcentrations() {
	var agents []Tally
	for _, a := range r.Agents {
		agents = append(agents, a.Tally)
	}
	r.Concentration = []Concentration{}
	for _, x := range []struct {
		by   string
		list []Tally
	}{{"session", r.Sessions}, {"day", r.Days}, {"tool", r.Tools}, {"agent", agents}} {
		var counts []int
		sum := 0
		for _, t := range x.list {
			if t.Requests > 0 {
				counts = append(counts, t.Objections)
				sum += t.Objections
			}
		}
		if sum < enough || len(counts) < 2 {
			continue
		}
		slices.SortFunc(counts, func(a, b int) int { return b - a })
		held, n := 0, 0
		for n < len(counts) && held*5 < sum*4 {
			held += counts[n]
			n++
		}
		r.Concentration = append(r.Concentration,
			Concentration{x.by, len(counts), n, percent(held, sum), n > max(1, len(counts)/5)})
	}
}

// firstN is the beginning of a list.
func firstN[T any](list []T, n int) []T { return list[:min(n, len(list))] }

func percent(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part*1000/whole) / 10 // rounded down: 79.96 is not 80
}
