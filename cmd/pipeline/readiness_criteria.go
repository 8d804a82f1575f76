package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// thresholds are what the figures are held against; shares are in percent.
type thresholds struct {
	days, calls, sessions int
	certain               float64
	errors                float64
	bypass                float64
	bypassSessions        float64
}

func thresholdsOf(r fsm.Readiness) thresholds {
	return thresholds{days: r.Days, calls: r.Calls, sessions: r.Sessions, certain: float64(r.Certain), errors: float64(r.Errors),
		bypass: float64(r.Bypassed), bypassSessions: float64(r.BypassedSessions)}
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

func goIf(ok bool) string {
	if ok {
		return isGo
	}
	return noGo
}

func (s *sightings) criteria(l thresholds, now time.Time) []criterion {
	days := int(s.last.Sub(s.first).Hours() / 24)
	return []criterion{
		atLeast("days observed", days, l.days),
		atLeast("tool uses", s.calls, l.calls),
		atLeast("sessions", s.sessions, l.sessions),
		{"disputed denials", fmt.Sprint(len(s.disputes)), "0", goIf(len(s.disputes) == 0), s.disputes},
		s.certainty(l),
		s.failures(l),
		s.slowness(),
		s.rollback(),
		s.bypasses(l),
		s.homeless(),
		s.falling(now),
		s.stranded(),
	}
}

func atLeast(name string, n, least int) criterion {
	return criterion{name, fmt.Sprint(n), fmt.Sprintf("at least %d", least), goIf(n >= least), nil}
}

func (s *sightings) certainty(l thresholds) criterion {
	c := criterion{"caller identified with certainty", "no calls", fmt.Sprintf("at least %.0f %%", l.certain), noGo, nil}
	if s.calls > 0 {
		share := percent(s.certain, s.calls)
		c.Figure, c.Verdict = fmt.Sprintf("%.1f %%", share), goIf(share >= l.certain)
	}
	return c
}

func (s *sightings) errorRate() float64 { return percent(s.errors, s.records+s.errors) }

func (s *sightings) failures(l thresholds) criterion {
	rate := s.errorRate()
	c := criterion{"errors of pipeline itself", fmt.Sprintf("%.1f %% (%d of %d calls of hooks)", rate, s.errors, s.records+s.errors),
		fmt.Sprintf("at most %.0f %%", l.errors), goIf(rate <= l.errors), nil}
	if s.errors > 0 {
		c.Detail = []string{"the latest: " + cut(s.latest, 200)}
	}
	return c
}

// slowness: a hook that is felt is switched off.
func (s *sightings) slowness() criterion {
	share := percent(s.slow, s.calls)
	return criterion{"slow calls", fmt.Sprintf("%.1f %% took over %s", share, slow), "at most 1 %", goIf(share <= 1), nil}
}

// rollback: whoever has never gone back does not know that he can. It is known once a softer level followed a stricter.
func (s *sightings) rollback() criterion {
	if s.softened == "" {
		return criterion{"rollback tried", "no softer level was ever seen after a stricter one", "once", notKnown, nil}
	}
	return criterion{"rollback tried", s.softened, "once", isGo, nil}
}

func (s *sightings) bypasses(l thresholds) criterion {
	c := criterion{"bypass rate", "0 (no bypass recorded)", fmt.Sprintf("at most %.0f %% of calls, %.0f %% of sessions", l.bypass, l.bypassSessions), isGo, nil}
	if s.bypass > 0 {
		calls, sessions := percent(s.bypass, s.calls), percent(s.bypassSessions, s.sessions)
		c.Figure = fmt.Sprintf("%.1f %% of calls, %.1f %% of sessions", calls, sessions)
		c.Verdict = goIf(calls <= l.bypass && sessions <= l.bypassSessions)
	}
	return c
}

// homeless are agents that were asked for and that no state admits.
func (s *sightings) homeless() criterion {
	c := criterion{"agents without a state", "0", "0", isGo, nil}
	if len(s.policy.States) == 0 {
		c.Verdict, c.Figure = notKnown, "the policy has no states"
		return c
	}
	none := map[string]int{}
	for agent, times := range s.starts {
		if !slices.ContainsFunc(s.policy.States, func(st fsm.State) bool { _, ok := st.Admits(agent); return ok }) {
			none[quote(agent)] = times
		}
	}
	c.Figure, c.Verdict, c.Detail = fmt.Sprint(len(none)), goIf(len(none) == 0), frequent(none)
	return c
}

// falling compares the latest week with the one before. Where nobody is told of denials they cannot fall by it.
func (s *sightings) falling(now time.Time) criterion {
	c := criterion{"denials falling over time", "", "not more than the week before", notKnown, nil}
	latest, before := s.span(now, 7, 0), s.span(now, 14, 7)
	a, b := percent(latest.denied, latest.calls), percent(before.denied, before.calls)
	c.Figure = fmt.Sprintf("%.1f %% of calls, before %.1f %%", a, b)
	switch {
	case latest.calls == 0 || before.calls == 0:
		c.Figure = "no two weeks to compare"
	case s.policy.Level <= fsm.Observe:
		c.Figure += " (the agents are not told)"
	default:
		c.Verdict = goIf(a <= b)
	}
	return c
}

// stranded is work that is denied and that no agent may do in any state.
func (s *sightings) stranded() criterion {
	c := criterion{"denied work that no agent may do", "0", "0", isGo, nil}
	for _, key := range sortedKeys(s.works) {
		if w := s.works[key]; !s.possible(w.call) {
			c.Detail = append(c.Detail, fmt.Sprintf("%s by rule %s (%d times)", w.tool, orNone(w.rule), w.times))
		}
	}
	c.Figure, c.Verdict = fmt.Sprint(len(c.Detail)), goIf(len(c.Detail) == 0)
	return c
}

// possible reports whether some agent may make the call in some state that admits it.
func (s *sightings) possible(call fsm.Event) bool {
	p := *s.policy
	p.Level = fsm.Strict
	states := p.States
	if len(states) == 0 {
		states = []fsm.State{{}}
	}
	for _, st := range states {
		for _, agent := range doers(&p, st) {
			call.Agent = fsm.Agent{ID: "a", Type: agent, Basis: "agent_id"}
			run := fsm.Run{ID: "a", Type: agent, How: fsm.ByAgent, Status: fsm.Running}
			_, d := p.Step(fsm.Session{ID: "readiness", Machine: fsm.Machine{State: st.Name}, Policy: p.Fingerprint, Agents: fsm.Agents{Runs: []fsm.Run{run}}}, call)
			if d.Verdict == fsm.Pass {
				return true
			}
		}
	}
	return false
}

// doers are the agents of a state, a pattern by an agent that it matches.
func doers(p *fsm.Policy, st fsm.State) []string {
	if len(p.States) == 0 {
		out := []string{"general-purpose"}
		for _, a := range p.Agents {
			out = append(out, a.Name)
		}
		return out
	}
	var out []string
	for _, t := range st.Triggers {
		for _, pattern := range t.Agents {
			out = append(out, strings.NewReplacer("*", "any", "?", "x").Replace(pattern))
		}
	}
	return out
}

// redFlags are what says that a policy that is enforced ought not to be.
func (s *sightings) redFlags(l thresholds) (out []string) {
	if n := len(s.disputes); n > 0 {
		out = append(out, fmt.Sprintf("%d denials were disputed by a person", n))
	}
	if rate := s.errorRate(); rate > l.errors {
		out = append(out, fmt.Sprintf("pipeline itself failed in %.1f %% of its calls", rate))
	}
	if share := percent(s.certain, s.calls); s.calls > 0 && share < l.certain {
		out = append(out, fmt.Sprintf("only %.1f %% of the calls are known to be whose they are", share))
	}
	if c := s.bypasses(l); c.Verdict == noGo {
		out = append(out, "bypassed too often: "+c.Figure)
	}
	for _, what := range sortedKeys(s.stuck) {
		out = append(out, fmt.Sprintf("an agent was stuck: refused %d times: %s", s.stuck[what], what))
	}
	for _, c := range []criterion{s.homeless(), s.stranded()} {
		if c.Verdict == noGo {
			out = append(out, c.Name+": "+strings.Join(c.Detail, ", "))
		}
	}
	return out
}
