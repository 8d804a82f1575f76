package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// bypassed is the rule of calls that were let through because a person had switched the policy off for a while.
const bypassed = "bypass"

// A tallied is what was seen in some days.
// slow is what a person begins to feel.
const slow = 100 * time.Millisecond

type tallied struct{ calls, denied int }

// A refusedWork is a kind of work that was denied, with one call of it.
type refusedWork struct {
	rule, tool string
	call       fsm.Event
	times      int
}

// Sightings are the figures of a project's journals. They stay small, however long the journals are.
type sightings struct {
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
	days           map[int64]*tallied
	works          map[string]*refusedWork
	stuck          map[string]int // what was refused over and over

	counted, byBypass bool // of the session that is read
}

func newSightings(p *fsm.Policy) *sightings {
	return &sightings{policy: p, denied: map[string]int{}, starts: map[string]int{}, days: map[int64]*tallied{}, works: map[string]*refusedWork{}, stuck: map[string]int{}}
}

// eachRecord reads a session's journal from its beginning.
func eachRecord(st session.Store, id string, visit func(journal.Record) bool) (damaged int, err error) {
	return journal.Read(filepath.Join(st.Path(id), "journal.jsonl"), visit)
}

// begin is the beginning of a session's journal.
func (s *sightings) begin() { s.counted, s.byBypass = false, false }

func (s *sightings) add(r journal.Record) {
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
		s.call(r)
	}
	if r.Error != "" {
		s.errors++
		s.latest = r.Error
	}
}

func (s *sightings) call(r journal.Record) {
	if level, ok := fsm.ParseLevel(r.Level); ok {
		if level < s.level && s.softened == "" {
			s.softened = fmt.Sprintf("%s to %s on %s", s.level, level, r.Event.Time.Local().Format(time.DateOnly))
		}
		s.level = level
	}
	if r.Took > slow.Microseconds() {
		s.slow++
	}
	s.calls++
	day := s.day(r.Event.Time)
	day.calls++
	if r.Event.Agent.Basis == "agent_id" || r.Event.Agent.Basis == "no agent_id" {
		s.certain++
	}
	if r.Rule == bypassed {
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
		s.denial(r)
	}
}

func (s *sightings) day(t time.Time) *tallied {
	n := t.Unix() / 86400
	if s.days[n] == nil {
		s.days[n] = &tallied{}
	}
	return s.days[n]
}

func (s *sightings) denial(r journal.Record) {
	s.denied[cmp.Or(r.Rule, noRule)]++
	for _, f := range r.State.Budgets.Refusals { // it keeps how often, not what: that is in the record of the refusal
		if what := r.Event.Tool.Name + ", rule " + cmp.Or(r.Rule, noRule); f.Times >= tooOften {
			s.stuck[what] = max(s.stuck[what], f.Times)
		}
	}
	if len(r.Event.Tool.Parts) == 0 || r.Cut || r.Rule == fsm.RulePipeline || r.Rule == fsm.RuleProtect {
		return // a start that no state admits is a criterion of its own; our own files are nobody's work
	}
	key := r.Rule + "\x00" + r.Event.Tool.Name
	if s.works[key] == nil {
		s.works[key] = &refusedWork{rule: r.Rule, tool: r.Event.Tool.Name, call: fsm.Event{Kind: fsm.ToolRequest, Session: "readiness", Time: r.Event.Time, Dir: r.Event.Dir,
			Tool: fsm.Tool{Name: r.Event.Tool.Name, UseID: "readiness", Parts: r.Event.Tool.Parts, Input: r.Event.Tool.Input}, Facts: fsm.Facts{Env: r.Event.Facts.Env}}}
	}
	s.works[key].times++
}

// tooOften is how often an agent is refused the same thing before it counts as stuck.
const tooOften = 5

// span adds up the days from so many days before a time to so many.
func (s *sightings) span(now time.Time, from, to int64) (w tallied) {
	today := now.Unix() / 86400
	for n, day := range s.days {
		if back := today - n; back >= to && back < from {
			w.calls += day.calls
			w.denied += day.denied
		}
	}
	return w
}

// ownErrors counts what went wrong in pipeline itself.
func (p *program) ownErrors(home string, s *sightings) {
	f, err := os.Open(filepath.Join(home, "errors.jsonl"))
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err != nil {
		p.sayf("read errors.jsonl: %v", err)
		return
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e ownError
		s.errors++
		if json.Unmarshal(lines.Bytes(), &e) == nil {
			s.latest = e.Error
		}
	}
	if err := lines.Err(); err != nil {
		p.sayf("read errors.jsonl: %v", err)
	}
}

// frequent are the keys with their counts, the most frequent first.
func frequent(m map[string]int) []string {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b string) int { return cmp.Or(cmp.Compare(m[b], m[a]), cmp.Compare(a, b)) })
	for i, k := range keys {
		keys[i] = fmt.Sprintf("%s %d", k, m[k])
	}
	return keys
}
