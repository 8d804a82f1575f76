// Package report makes figures from records: a score, what was refused and where, how
// long things took, and what follows from that. It reads every line once, checks its
// hash, and keeps only sums.
package report

import (
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// Version is the form of a report in JSON.
const Version = 1

// A Report is what the records of one session, or of several, come to.
type Report struct {
	Version         int         `json:"version"`
	SessionID       string      `json:"session_id"` // empty where there are several
	SessionIDs      []string    `json:"session_ids"`
	SessionStart    time.Time   `json:"session_start,omitzero"`
	SessionEnd      time.Time   `json:"session_end,omitzero"` // the last record's time
	Ended           bool        `json:"session_ended"`        // every session has been ended by its host
	AgentRole       string      `json:"agent_role"`           // whose calls the next five fields are about
	ComplianceScore *float64    `json:"compliance_score"`     // null where there is nothing to judge
	TotalToolCalls  int         `json:"total_tool_calls"`
	Violations      Verdicts    `json:"violations"`
	Breakdown       []Violation `json:"violation_breakdown"`
	Recommendations []string    `json:"recommendations"`

	Score       Score       `json:"score"`
	Calls       Calls       `json:"calls"`
	Rules       []Rule      `json:"by_rule"`
	States      []State     `json:"by_state"`
	Agents      []Agent     `json:"by_agent"`
	Tools       []Tally     `json:"by_tool"`
	Days        []Tally     `json:"by_day"`
	Sessions    []Tally     `json:"by_session"`
	Files       []File      `json:"files"`
	Pipelines   Pipelines   `json:"pipelines"`
	Concurrency Concurrency `json:"concurrency"`
	Injected    Injected    `json:"said"`
	Evidence    Evidence    `json:"evidence"`
}

// Verdicts counts tool requests by what was answered.
type Verdicts struct {
	Blocked int `json:"blocked"`
	Asked   int `json:"asked"`
	Warned  int `json:"warned"`
	// Confined ran while the kernel kept them from writing: without it each was a question.
	Confined int `json:"confined"`
	Allowed  int `json:"allowed"`
}

// A Violation is how often one rule met the orchestrator in one way.
type Violation struct {
	Type    string `json:"type"` // the rule's type, else its name
	Rule    string `json:"rule"`
	Count   int    `json:"count"`
	Blocked bool   `json:"blocked,omitempty"`
	Asked   bool   `json:"asked,omitempty"`
	Warned  bool   `json:"warned,omitempty"` // none of the three: it was let through, as the level or a bypass has it
}

// rank puts what was blocked before what was asked about, and that before warnings.
func (v Violation) rank() int {
	return slices.Index([]bool{v.Blocked, v.Asked, v.Warned, true}, true)
}

// Fate says what became of the calls.
func (v Violation) Fate() string {
	return []string{"blocked", "asked", "warned", "let through"}[v.rank()]
}

// A Score is the share of the orchestrator's tool requests that needed no objection.
type Score struct {
	Formula   string `json:"formula"`
	Requests  int    `json:"requests"` // the denominator: guarded, and not bypassed
	Clean     int    `json:"clean"`
	Unguarded Count  `json:"unguarded"` // made while the level was observe or off
	Bypassed  Count  `json:"bypassed"`
}

// A Count counts tool requests.
type Count struct {
	Requests   int `json:"requests"`
	Objections int `json:"objections"` // by what strict would have said
}

// Calls are tool requests by who made them, and what delegation comes to.
type Calls struct {
	All          int     `json:"all"`
	Orchestrator int     `json:"orchestrator"`
	Agents       int     `json:"agents"`
	Delegated    float64 `json:"delegated"` // the agents' share, in percent
	Doubled      int     `json:"doubled"`   // asked about twice, counted once
}

// A Tally counts tool requests of one tool, state, agent type, day or session.
type Tally struct {
	Name string `json:"name"`
	Count
	Verdicts
}

// A Rule is how often a rule objected, to whomever.
type Rule struct {
	Rule       string `json:"rule"`
	Type       string `json:"type,omitempty"`
	Where      string `json:"where,omitempty"`
	Objections int    `json:"objections"`
	Verdicts          // Allowed: let through over the objection
	Remedy     string `json:"remedy,omitempty"` // the agent that its refusals named last

	Kind string `json:"-"` // the rule as it is recorded
	Tool string `json:"-"` // the tool that it met first
}

// A State is how a state was used, and how long.
type State struct {
	Tally
	Visits  int     `json:"visits"`
	Working float64 `json:"working_s"` // seconds in which an agent worked
	// Waiting is the seconds between a turn's end and the next prompt, and silences of
	// over an hour.
	Waiting float64 `json:"waiting_s"`
}

// PerVisit is the mean time, in seconds, that agents worked in the state before it was left.
func (s State) PerVisit() float64 { return s.Working / float64(max(s.Visits, 1)) }

// An Agent is what the agents of one type did.
type Agent struct {
	Tally
	Runs        int      `json:"runs"`
	Done        int      `json:"done"`
	Failed      int      `json:"failed"`
	Lost        int      `json:"lost"`
	Quarantined int      `json:"not_let_in"`
	Unfinished  int      `json:"unfinished"`
	Success     *float64 `json:"success,omitempty"` // percent of those that came to an end and had been let in
	Median      float64  `json:"median_s"`
	Longest     float64  `json:"longest_s"`

	Took []float64 `json:"-"` // seconds, of the runs that came to an end; only until the report is made
}

// A File is how often calls named it.
type File struct {
	Path string `json:"path"`
	Count
	Orchestrator int `json:"orchestrator"`
}

// Pipelines are walks through the machine: one begins where a resting state is left,
// and is finished when the end of a turn, or an agent that leads back to the first
// state, moves it on.
type Pipelines struct {
	Started  int    `json:"started"`
	Finished int    `json:"finished"`
	Open     int    `json:"open"`
	Stopped  []Stop `json:"stopped"`
	Slowest  string `json:"slowest_state,omitempty"` // by the mean time of a visit
}

// A Stop is where pipelines ended that were not finished: by the session's end, a
// reset, or a new beginning.
type Stop struct {
	State string `json:"state"`
	Count int    `json:"count"`
}

// Concurrency is how many agents ran at once.
type Concurrency struct {
	Max     int       `json:"max"`
	At      time.Time `json:"at,omitzero"`
	Session string    `json:"session_id,omitempty"`
}

// Evidence is what the figures stand on, and what they leave out.
type Evidence struct {
	Records  int     `json:"records"`  // verified and counted
	Unread   int     `json:"unread"`   // damaged, foreign or newer: in no figure
	Breaks   int     `json:"breaks"`   // places where a record does not follow the one before it
	Missing  int64   `json:"missing"`  // records that state.json knows of and the journal's end does not
	Faults   []Fault `json:"faults"`   // the first of them, by name
	Errors   int     `json:"errors"`   // records of pipeline's own errors
	Disputes int     `json:"disputes"` // what persons have disputed
}

// A Fault is a line that could not be trusted.
type Fault struct {
	Session string `json:"session_id"`
	journal.Fault
}

// Injected counts the texts that were injected into the contexts of agents: what the pipeline
// itself costs them.
type Injected struct {
	Characters int `json:"characters"`
	Texts      int `json:"texts"`
}
