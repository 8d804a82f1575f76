package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// Readiness is the answer to: is it ready?
type Readiness struct {
	Verdict  string         `json:"verdict"` // go, no-go; keep, roll back
	Level    string         `json:"level"`
	First    time.Time      `json:"first"`
	Last     time.Time      `json:"last"`
	Criteria []Criterion    `json:"criteria"`
	RedFlags []string       `json:"red_flags"`
	Denied   map[string]int `json:"denials"` // by rule: what strict denies or would deny
	Damaged  int            `json:"damaged_lines"`
	Review   Review         `json:"next_review"`
}

// A Criterion is one figure and what it must be.
type Criterion struct {
	Name      string   `json:"criterion"`
	Figure    string   `json:"figure"`
	Threshold string   `json:"threshold"`
	Verdict   string   `json:"verdict"` // go, no-go, n/a
	Detail    []string `json:"detail,omitempty"`
}

// A Review is when to look again.
type Review struct {
	Due   time.Time `json:"due"`
	After string    `json:"after"` // the first record
}

const (
	Go, NoGo, NotKnown = "go", "no-go", "n/a"
	Keep, RollBack     = "keep", "roll back"
)

// Observe reads all that was recorded in a project. ownErrors are those of pipeline itself.
// What cannot be read is passed to warn.
func Observe(st session.Store, ownErrors []string, p *fsm.Policy, warn func(error)) (*Observations, error) {
	o := newObservations(p)
	items, err := st.List()
	if err != nil {
		return nil, err
	}
	for _, i := range slices.Backward(items) { // the oldest first
		o.beginSession()
		damaged, err := journal.Read(st.Path(i.ID), func(r journal.Record) bool { o.addRecord(r); return true })
		o.damaged += damaged
		if err != nil {
			warn(fmt.Errorf("session %s: %w", i.ID, err))
		}
	}
	for _, text := range ownErrors {
		o.errors++
		o.latest = cmp.Or(text, o.latest)
	}
	return o, nil
}

// Judge says what follows from what was seen.
func (s *Observations) Judge(now time.Time) Readiness {
	out := Readiness{Verdict: Go, Level: s.policy.Level.String(), First: s.first, Last: s.last,
		Criteria: s.criteria(now),
		RedFlags: []string{}, Denied: s.denied, Damaged: s.damaged, Review: reviewAfter(s.first, now)}
	for _, c := range out.Criteria {
		if c.Verdict == NoGo {
			out.Verdict = NoGo
		}
	}
	if s.policy.Level != fsm.Strict {
		return out
	}
	out.RedFlags = append(out.RedFlags, s.redFlags()...)
	out.Verdict = Keep
	if len(out.RedFlags) > 0 {
		out.Verdict = RollBack
	}
	return out
}

// reviewAfter is the next of the reviews that follow the first record.
func reviewAfter(first, now time.Time) Review {
	for _, r := range []Review{{first.Add(48 * time.Hour), "48 hours"}, {first.AddDate(0, 0, 7), "1 week"},
		{first.AddDate(0, 0, 14), "2 weeks"},
		{first.AddDate(0, 0, 28), "4 weeks"}, {first.AddDate(0, 6, 0), "6 months"}} {
		if r.Due.After(now) {
			return r
		}
	}
	months := 12
	for !first.AddDate(0, months, 0).After(now) {
		months += 6
	}
	return Review{first.AddDate(0, months, 0), fmt.Sprintf("%d months", months)}
}

// slowCall is the time from which a person notices a hook.
const slowCall = 100 * time.Millisecond

// dayCalls counts the calls of some days.
type dayCalls struct{ calls, denied int }

// A refusedWork is a kind of work that was denied, with one call of it.
type refusedWork struct {
	rule, tool string
	call       fsm.Event
	times      int
}

// Observations are the figures of a project's journals. They stay small, however long
// the journals are.
type Observations struct {
	policy         *fsm.Policy
	first, last    time.Time
	records, calls int
	sessions       int
	level          fsm.Level // of the latest call
	softened       string    // the first time that the level went down
	slow           int       // calls that we took too long over
	certain        int       // calls whose caller is known from the payload
	disputes       []string
	bypass         int // calls
	bypassSessions int
	errors         int
	latest         string // the latest error
	damaged        int
	denied         map[string]int
	starts         map[string]int // agent types that were asked for
	days           map[int64]*dayCalls
	works          map[string]*refusedWork
	stuck          map[string]int // what was refused over and over

	counted, byBypass bool // of the session that is read
}

// noRule is what decides where no rule does.
const noRule = "default"

// IsEmpty reports whether nothing was recorded.
func (s *Observations) IsEmpty() bool { return s.records == 0 }

func newObservations(p *fsm.Policy) *Observations {
	return &Observations{policy: p, denied: map[string]int{}, starts: map[string]int{}, days: map[int64]*dayCalls{},
		works: map[string]*refusedWork{}, stuck: map[string]int{}}
}

// beginSession begins a session's journal.
func (s *Observations) beginSession() {
	s.counted, s.byBypass = false, false
}

func (s *Observations) addRecord(r journal.Record) {
	if !s.counted {
		s.counted = true
		s.sessions++
	}
	s.records++
	if s.first.IsZero() || r.Event.Time.Before(s.first) {
		s.first = r.Event.Time
	}
	if r.Event.Time.After(s.last) {
		s.last = r.Event.Time
	}
	switch {
	case r.Event.Kind == journal.Dispute:
		s.disputes = append(s.disputes, fmt.Sprintf("%s: %s", r.Event.Time.Local().Format(time.DateTime), r.Reason))
	case r.Event.Kind == fsm.ToolRequest:
		s.addCall(r)
	}
	if r.Error != "" {
		s.errors++
		s.latest = r.Error
	}
}

func (s *Observations) addCall(r journal.Record) {
	if r.Repeated {
		return
	}
	if level, ok := fsm.ParseLevel(r.Level); ok {
		if level < s.level && s.softened == "" {
			s.softened = fmt.Sprintf("%s to %s on %s", s.level, level, r.Event.Time.Local().Format(time.DateOnly))
		}
		s.level = level
	}
	if r.Took > slowCall.Microseconds() {
		s.slow++
	}
	s.calls++
	day := s.dayOf(r.Event.Time)
	day.calls++
	if r.Event.Agent.Basis == "agent_id" || r.Event.Agent.Basis == "no agent_id" {
		s.certain++
	}
	if r.Rule == fsm.RuleBypass {
		s.bypass++
		if !s.byBypass {
			s.byBypass = true
			s.bypassSessions++
		}
	}
	if r.Event.Tool.Starts != nil && r.Event.Tool.Starts.How == fsm.ByAgent {
		s.starts[r.Event.Tool.Starts.Type]++
	}
	if cmp.Or(r.StrictVerdict, r.Verdict) == fsm.Deny.String() {
		day.denied++
		s.addDenial(r)
	}
}

func (s *Observations) dayOf(t time.Time) *dayCalls {
	n := t.Unix() / 86400
	if s.days[n] == nil {
		s.days[n] = &dayCalls{}
	}
	return s.days[n]
}

func (s *Observations) addDenial(r journal.Record) {
	rule := cmp.Or(r.Decider(), noRule)
	s.denied[rule]++
	for _, f := range r.State.Budgets.Refusals { // it keeps how often, not what: that is in the record of the refusal
		if what := r.Event.Tool.Name + ", rule " + rule; f.Times >= tooOften {
			s.stuck[what] = max(s.stuck[what], f.Times)
		}
	}
	if len(r.Event.Tool.Parts) == 0 || r.Cut || r.Rule == fsm.RulePipeline || r.Rule == fsm.RuleProtect {
		return // a start that no state admits is a criterion of its own; our own files are no agent's work
	}
	key := r.Rule + "\x00" + r.Event.Tool.Name
	if s.works[key] == nil {
		s.works[key] = &refusedWork{rule: r.Rule, tool: r.Event.Tool.Name,
			call: fsm.Event{Kind: fsm.ToolRequest, Session: "readiness", Time: r.Event.Time, Dir: r.Event.Dir,
				Tool: fsm.Tool{Name: r.Event.Tool.Name, UseID: "readiness", Parts: r.Event.Tool.Parts,
					Input: r.Event.Tool.Input}, Facts: fsm.Facts{Env: r.Event.Facts.Env}}}
	}
	s.works[key].times++
}

// tooOften is how often an agent is refused the same thing before it counts as stuck.
const tooOften = 5

// countDays adds up the days from so many days before a time to so many.
func (s *Observations) countDays(now time.Time, from, to int64) (w dayCalls) {
	today := now.Unix() / 86400
	for n, day := range s.days {
		if back := today - n; back >= to && back < from {
			w.calls += day.calls
			w.denied += day.denied
		}
	}
	return w
}

// Frequent lists the keys with their counts, the most frequent first.
func Frequent(m map[string]int) []string {
	keys := slices.SortedFunc(maps.Keys(m),
		func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b)) })
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return keys
}

// share is a part of a whole in percent.
func share(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}

func verdictIf(ok bool) string {
	if ok {
		return Go
	}
	return NoGo
}

func (s *Observations) criteria(now time.Time) []Criterion {
	want := s.policy.Readiness
	slow := share(s.slow, s.calls) // a hook that is felt is switched off
	return []Criterion{
		atLeast("days observed", int(s.last.Sub(s.first).Hours()/24), want.Days),
		atLeast("tool uses", s.calls, want.Calls),
		atLeast("sessions", s.sessions, want.Sessions),
		{"disputed denials", fmt.Sprint(len(s.disputes)), "0", verdictIf(len(s.disputes) == 0), s.disputes},
		s.callerCertainty(),
		s.ownFailures(),
		{"slow calls", fmt.Sprintf("%.1f %% took over %s", slow, slowCall), "at most 1 %", verdictIf(slow <= 1), nil},
		s.rollbackTried(),
		s.bypassRate(),
		s.agentsWithoutState(),
		s.fallingDenials(now),
		s.impossibleWork(),
	}
}

func atLeast(name string, n, least int) Criterion {
	return Criterion{name, fmt.Sprint(n), fmt.Sprintf("at least %d", least), verdictIf(n >= least), nil}
}

func (s *Observations) callerCertainty() Criterion {
	least := s.policy.Readiness.Certain
	c := Criterion{"caller identified with certainty", "no calls", fmt.Sprintf("at least %d %%", least), NoGo, nil}
	if s.calls > 0 {
		percent := share(s.certain, s.calls)
		c.Figure, c.Verdict = fmt.Sprintf("%.1f %%", percent), verdictIf(percent >= float64(least))
	}
	return c
}

func (s *Observations) errorRate() float64 { return share(s.errors, s.records+s.errors) }

func (s *Observations) ownFailures() Criterion {
	rate, most := s.errorRate(), s.policy.Readiness.Errors
	c := Criterion{"errors of pipeline itself",
		fmt.Sprintf("%.1f %% (%d of %d calls of hooks)", rate, s.errors, s.records+s.errors),
		fmt.Sprintf("at most %d %%", most), verdictIf(rate <= float64(most)), nil}
	if s.errors > 0 {
		c.Detail = []string{"the latest: " + visible.Shorten(s.latest, 200)}
	}
	return c
}

// rollbackTried: a user who has never gone back does not know that it works. It is known
// once a softer level followed a stricter.
func (s *Observations) rollbackTried() Criterion {
	if s.softened == "" {
		return Criterion{"rollback tried", "no softer level was ever seen after a stricter one", "once", NotKnown, nil}
	}
	return Criterion{"rollback tried", s.softened, "once", Go, nil}
}

func (s *Observations) bypassRate() Criterion {
	most := s.policy.Readiness
	c := Criterion{"bypass rate", "0 (no bypass recorded)",
		fmt.Sprintf("at most %d %% of calls, %d %% of sessions", most.Bypassed, most.BypassedSessions), Go, nil}
	if s.bypass > 0 {
		calls, sessions := share(s.bypass, s.calls), share(s.bypassSessions, s.sessions)
		c.Figure = fmt.Sprintf("%.1f %% of calls, %.1f %% of sessions", calls, sessions)
		c.Verdict = verdictIf(calls <= float64(most.Bypassed) && sessions <= float64(most.BypassedSessions))
	}
	return c
}

// agentsWithoutState counts agents that were asked for and that no state admits.
func (s *Observations) agentsWithoutState() Criterion {
	c := Criterion{"agents without a state", "0", "0", Go, nil}
	if len(s.policy.States) == 0 {
		c.Verdict, c.Figure = NotKnown, "the policy has no states"
		return c
	}
	none, table := map[string]int{}, s.policy.NewTable()
	for agent, times := range s.starts {
		admits := func(st fsm.State) bool { _, ok := table.Admits(st.Name, agent); return ok }
		if !slices.ContainsFunc(s.policy.States, admits) {
			none[strconv.Quote(agent)] = times
		}
	}
	c.Figure, c.Verdict, c.Detail = fmt.Sprint(len(none)), verdictIf(len(none) == 0), Frequent(none)
	return c
}

// fallingDenials compares the latest week with the one before. Where no agent reads of
// denials they cannot fall by it.
func (s *Observations) fallingDenials(now time.Time) Criterion {
	c := Criterion{"denials falling over time", "", "not more than the week before", NotKnown, nil}
	latest, before := s.countDays(now, 7, 0), s.countDays(now, 14, 7)
	a, b := share(latest.denied, latest.calls), share(before.denied, before.calls)
	c.Figure = fmt.Sprintf("%.1f %% of calls, before %.1f %%", a, b)
	switch {
	case latest.calls == 0 || before.calls == 0:
		c.Figure = "no two weeks to compare"
	case s.policy.Level <= fsm.Observe:
		c.Figure += " (agents read nothing)"
	default:
		c.Verdict = verdictIf(a <= b)
	}
	return c
}

// impossibleWork is work that is denied and that no agent may do in any state.
func (s *Observations) impossibleWork() Criterion {
	c := Criterion{"denied work that no agent may do", "0", "0", Go, nil}
	for _, key := range slices.Sorted(maps.Keys(s.works)) {
		if w := s.works[key]; !s.isPossible(w.call) {
			c.Detail = append(c.Detail,
				fmt.Sprintf("%s by rule %s (%d times)", w.tool, cmp.Or(w.rule, noRule), w.times))
		}
	}
	c.Figure, c.Verdict = fmt.Sprint(len(c.Detail)), verdictIf(len(c.Detail) == 0)
	return c
}

// isPossible reports whether some agent may make the call in some state that admits it.
func (s *Observations) isPossible(call fsm.Event) bool {
	p := *s.policy
	p.Level = fsm.Strict
	states := p.States
	if len(states) == 0 {
		states = []fsm.State{{}}
	}
	for _, st := range states {
		for _, agent := range agentsOf(&p, st) {
			call.Agent = fsm.Agent{ID: "a", Type: agent, Basis: "agent_id"}
			run := fsm.Run{ID: "a", Type: agent, How: fsm.ByAgent, Status: fsm.Running}
			_, d := p.Step(fsm.Session{ID: "readiness", Machine: fsm.Machine{State: st.Name}, Policy: p.Fingerprint,
				Agents: fsm.Agents{Runs: []fsm.Run{run}}}, call)
			if d.Verdict == fsm.Pass {
				return true
			}
		}
	}
	return false
}

// agentsOf lists the agents of a state, a pattern by an agent that it matches.
func agentsOf(p *fsm.Policy, st fsm.State) []string {
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

// redFlags are what says that a policy that is enforced should not be.
func (s *Observations) redFlags() (out []string) {
	if n := len(s.disputes); n > 0 {
		out = append(out, fmt.Sprintf("%d denials were disputed by a person", n))
	}
	if rate := s.errorRate(); rate > float64(s.policy.Readiness.Errors) {
		out = append(out, fmt.Sprintf("pipeline itself failed in %.1f %% of its calls", rate))
	}
	if percent := share(s.certain, s.calls); s.calls > 0 && percent < float64(s.policy.Readiness.Certain) {
		out = append(out, fmt.Sprintf("the caller is certain in only %.1f %% of the calls", percent))
	}
	if c := s.bypassRate(); c.Verdict == NoGo {
		out = append(out, "bypassed too often: "+c.Figure)
	}
	for _, what := range slices.Sorted(maps.Keys(s.stuck)) {
		out = append(out, fmt.Sprintf("an agent was stuck: refused %d times: %s", s.stuck[what], what))
	}
	for _, c := range []Criterion{s.agentsWithoutState(), s.impossibleWork()} {
		if c.Verdict == NoGo {
			out = append(out, c.Name+": "+strings.Join(c.Detail, ", "))
		}
	}
	return out
}
