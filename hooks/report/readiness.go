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
}

// A Criterion is one figure and what it must be.
type Criterion struct {
	Name      string   `json:"criterion"`
	Figure    string   `json:"figure"`
	Threshold string   `json:"threshold"`
	Verdict   string   `json:"verdict"` // go, no-go, n/a
	Detail    []string `json:"detail,omitempty"`

	isFlag bool // under strict it speaks for going back
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
		records, bypass := o.records, o.bypass
		damaged, err := journal.Read(st.Path(i.ID), func(r journal.Record) bool { o.addRecord(r); return true })
		o.damaged += damaged
		if o.records > records {
			o.sessions++
		}
		if o.bypass > bypass {
			o.bypassSessions++
		}
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
		Criteria: s.criteria(now), RedFlags: []string{}, Denied: s.denied, Damaged: s.damaged}
	isStrict := s.policy.Level == fsm.Strict
	for _, c := range out.Criteria {
		if c.Verdict == NoGo {
			out.Verdict = NoGo
		}
		if c.Verdict == NoGo && c.isFlag && isStrict {
			flag := fmt.Sprintf("%s: %s, expected %s", c.Name, c.Figure, c.Threshold)
			if len(c.Detail) > 0 {
				flag += " (" + strings.Join(c.Detail, ", ") + ")"
			}
			out.RedFlags = append(out.RedFlags, flag)
		}
	}
	if !isStrict {
		return out
	}
	for _, what := range slices.Sorted(maps.Keys(s.stuck)) {
		out.RedFlags = append(out.RedFlags,
			fmt.Sprintf("an agent was stuck: refused %d times: %s", s.stuck[what], what))
	}
	out.Verdict = Keep
	if len(out.RedFlags) > 0 {
		out.Verdict = RollBack
	}
	return out
}

// slowCall is the time from which a person notices a hook.
const slowCall = 100 * time.Millisecond

// A refusedWork is a kind of work that was denied, by a call of it.
type refusedWork struct {
	call  fsm.Event
	times int
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
	callsOn        map[int64]int  // by day
	deniedOn       map[int64]int
	works          map[string]*refusedWork // by tool and rule, in words
	stuck          map[string]int          // what was refused over and over
	refused        map[string]int          // how often, by session and call, as of the last record
}

func newObservations(p *fsm.Policy) *Observations {
	return &Observations{policy: p, denied: map[string]int{}, starts: map[string]int{}, callsOn: map[int64]int{},
		deniedOn: map[int64]int{}, works: map[string]*refusedWork{}, stuck: map[string]int{},
		refused: map[string]int{}}
}

func (s *Observations) addRecord(r journal.Record) {
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
	day := dayOf(r.Event.Time)
	s.callsOn[day]++
	if r.Event.Agent.Basis == "agent_id" || r.Event.Agent.Basis == "no agent_id" {
		s.certain++
	}
	if r.Rule == fsm.RuleBypass {
		s.bypass++
	}
	if r.Event.Tool.Starts != nil && r.Event.Tool.Starts.How == fsm.ByAgent {
		s.starts[r.Event.Tool.Starts.Type]++
	}
	rule := cmp.Or(r.Decider(), fsm.DefaultRule)
	for _, f := range r.State.Budgets.Refusals { // it keeps how often, not what: that is in the record of the refusal
		key := r.State.ID + " " + f.What
		if f.Times > max(s.refused[key], fsm.StuckAfter-1) && f.What != fsm.OtherCalls {
			what := r.Event.Tool.Name + ", rule " + rule
			s.stuck[what] = max(s.stuck[what], f.Times)
		}
		s.refused[key] = f.Times
	}
	if cmp.Or(r.StrictVerdict, r.Verdict) == fsm.Deny.String() {
		s.deniedOn[day]++
		s.denied[rule]++
		s.addDenial(r)
	}
}

func dayOf(t time.Time) int64 { return t.Unix() / 86400 }

func (s *Observations) addDenial(r journal.Record) {
	if len(r.Event.Tool.Parts) == 0 || r.Cut || r.Rule == fsm.RulePipeline || r.Rule == fsm.RuleProtect {
		return // a start that no state admits is a criterion of its own; our own files are no agent's work
	}
	key := fmt.Sprintf("%s by rule %s", r.Event.Tool.Name, cmp.Or(r.Rule, fsm.DefaultRule))
	if s.works[key] == nil {
		s.works[key] = &refusedWork{call: fsm.Event{Kind: fsm.ToolRequest, Session: "readiness", Time: r.Event.Time,
			Dir: r.Event.Dir, Tool: fsm.Tool{Name: r.Event.Tool.Name, UseID: "readiness", Parts: r.Event.Tool.Parts,
				Input: r.Event.Tool.Input}, Facts: fsm.Facts{Env: r.Event.Facts.Env}}}
	}
	s.works[key].times++
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
func share(n, of int) float64 { return 100 * float64(n) / max(1, float64(of)) }

// newCriterion judges a figure.
func newCriterion(isMet bool, name, figure, threshold string, detail ...string) Criterion {
	c := Criterion{Name: name, Figure: figure, Threshold: threshold, Verdict: NoGo, Detail: detail}
	if isMet {
		c.Verdict = Go
	}
	return c
}

func (c Criterion) asFlag() Criterion {
	c.isFlag = true
	return c
}

func atLeast(name string, n, least int) Criterion {
	return newCriterion(n >= least, name, fmt.Sprint(n), fmt.Sprintf("at least %d", least))
}

// noneOf is a criterion that nothing may be counted for.
func noneOf(name string, found []string) Criterion {
	return newCriterion(len(found) == 0, name, fmt.Sprint(len(found)), "0", found...).asFlag()
}

func (s *Observations) criteria(now time.Time) []Criterion {
	want, figure := s.policy.Readiness, "no calls"
	certain, slow, failures := share(s.certain, s.calls), share(s.slow, s.calls), share(s.errors, s.records+s.errors)
	if s.calls > 0 {
		figure = fmt.Sprintf("%.1f %%", certain)
	}
	caller := newCriterion(s.calls > 0 && certain >= float64(want.Certain), "caller identified with certainty", figure,
		fmt.Sprintf("at least %d %%", want.Certain))
	caller.isFlag = s.calls > 0
	var latest []string
	if s.errors > 0 {
		latest = []string{"the latest: " + visible.Shorten(s.latest, 200)}
	}
	// A user who has never gone back does not know that it works. It is known once a softer level followed a stricter.
	rollback := newCriterion(true, "rollback tried", s.softened, "once")
	if s.softened == "" {
		rollback.Figure, rollback.Verdict = "no softer level was ever seen after a stricter one", NotKnown
	}
	calls, sessions, bypassed := share(s.bypass, s.calls), share(s.bypassSessions, s.sessions), "0 (no bypass recorded)"
	if s.bypass > 0 {
		bypassed = fmt.Sprintf("%.1f %% of calls, %.1f %% of sessions", calls, sessions)
	}
	return []Criterion{
		atLeast("days observed", int(s.last.Sub(s.first).Hours()/24), want.Days),
		atLeast("tool uses", s.calls, want.Calls),
		atLeast("sessions", s.sessions, want.Sessions),
		noneOf("disputed denials", s.disputes),
		caller,
		newCriterion(failures <= float64(want.Errors), "errors of pipeline itself", fmt.Sprintf(
			"%.1f %% (%d of %d calls of hooks)", failures, s.errors, s.records+s.errors),
			fmt.Sprintf("at most %d %%", want.Errors), latest...).asFlag(),
		newCriterion(slow <= 1, "slow calls", // a hook that is felt is switched off
			fmt.Sprintf("%.1f %% took over %s", slow, slowCall), "at most 1 %"),
		rollback,
		newCriterion(calls <= float64(want.Bypassed) && sessions <= float64(want.BypassedSessions), "bypass rate",
			bypassed, fmt.Sprintf("at most %d %% of calls, %d %% of sessions", want.Bypassed,
				want.BypassedSessions)).asFlag(),
		s.agentsWithoutState(),
		s.fallingDenials(now),
		s.impossibleWork(),
	}
}

// agentsWithoutState counts agents that were asked for and that no state admits.
func (s *Observations) agentsWithoutState() Criterion {
	none, table := map[string]int{}, s.policy.NewTable()
	for agent, times := range s.starts {
		admits := func(st fsm.State) bool { return table.Admits(st.Name, agent) != nil }
		if !slices.ContainsFunc(s.policy.States, admits) {
			none[strconv.Quote(agent)] = times
		}
	}
	c := noneOf("agents without a state", Frequent(none))
	if len(s.policy.States) == 0 {
		c.Figure, c.Verdict, c.Detail = "the policy has no states", NotKnown, nil
	}
	return c
}

// fallingDenials compares the latest week with the one before. Where no agent reads of
// denials they cannot fall by it.
func (s *Observations) fallingDenials(now time.Time) Criterion {
	var calls, denied [2]int // of the latest week, and of the one before
	for day, n := range s.callsOn {
		if back := dayOf(now) - day; back >= 0 && back < 14 {
			calls[back/7] += n
			denied[back/7] += s.deniedOn[day]
		}
	}
	latest, before := share(denied[0], calls[0]), share(denied[1], calls[1])
	c := newCriterion(latest <= before, "denials falling over time",
		fmt.Sprintf("%.1f %% of calls, before %.1f %%", latest, before), "not more than the week before")
	switch {
	case calls[0] == 0 || calls[1] == 0:
		c.Figure, c.Verdict = "no two weeks to compare", NotKnown
	case s.policy.Level <= fsm.Observe:
		c.Figure, c.Verdict = c.Figure+" (agents read nothing)", NotKnown
	}
	return c
}

// impossibleWork is work that is denied and that no agent may do in any state.
func (s *Observations) impossibleWork() Criterion {
	var found []string
	for _, key := range slices.Sorted(maps.Keys(s.works)) {
		if w := s.works[key]; !s.isPossible(w.call) {
			found = append(found, fmt.Sprintf("%s (%d times)", key, w.times))
		}
	}
	return noneOf("denied work that no agent may do", found)
}

// isPossible reports whether some agent may make the call in some state that admits it. A pattern counts as an agent
// that it matches.
func (s *Observations) isPossible(call fsm.Event) bool {
	p := *s.policy
	p.Level = fsm.Strict
	isPossibleBy := func(state, agent string) bool {
		call.Agent = fsm.Agent{ID: "a", Type: agent, Basis: "agent_id"}
		run := fsm.Run{ID: "a", Type: agent, How: fsm.ByAgent, Status: fsm.Running}
		_, d := p.Step(fsm.Session{ID: "readiness", Machine: fsm.Machine{State: state}, Policy: p.Fingerprint,
			Agents: fsm.Agents{Runs: []fsm.Run{run}}}, call)
		return d.Verdict == fsm.Pass
	}
	for _, st := range p.States {
		for _, t := range st.Triggers {
			for _, pattern := range t.Agents {
				if isPossibleBy(st.Name, strings.NewReplacer("*", "any", "?", "x").Replace(pattern)) {
					return true
				}
			}
		}
	}
	isAble := func(a fsm.AgentInfo) bool { return isPossibleBy("", a.Name) }
	return len(p.States) == 0 && (isPossibleBy("", "general-purpose") || slices.ContainsFunc(p.Agents, isAble))
}
