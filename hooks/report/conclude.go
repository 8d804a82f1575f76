package report

import (
	"cmp"
	"fmt"
	"slices"
)

// concludeReport works out what follows from the sums.
func (r *Report) concludeReport() {
	if len(r.SessionIDs) == 1 {
		r.SessionID = r.SessionIDs[0]
	}
	r.SessionIDs = append([]string{}, r.SessionIDs...)
	r.Evidence.Faults = append([]Fault{}, r.Evidence.Faults...)
	r.TotalToolCalls = r.Calls.Orchestrator
	r.Calls.Delegated = percent(r.Calls.Agents, r.Calls.All)
	r.score()
	r.findSlowest()
	r.findConcentrations()
	if t := r.Timeline; t != nil {
		slices.SortFunc(t.Agents, func(a, b Span) int { return cmp.Or(a.From.Compare(b.From), a.To.Compare(b.To)) })
	}
	r.Recommendations = r.advice()
}

func (r *Report) score() {
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
