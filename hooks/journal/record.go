// Package journal keeps what happened: one line a call, appended under the session's
// lock and chained by hashes. The last line carries the session's state, so that
// reading it is all a hook call must read.
//
// A hook call uses Open, Tail and Append. What reads more chooses by what it needs:
//
//	Read             every good record, decoded; hashes are checked
//	Walk             every line, with what is wrong with it; hashes are checked
//	From             the lines that have come since a Place and that a Want lets pass; no hash is checked
//	Merge            those of many sessions, by time
//	Verify           the chain, and where it breaks
package journal

import (
	_ "embed" // for Fields

	"github.com/agent-pipeline/pipeline/fsm"
)

// Version is the form of a record. A reader takes every version up to its own.
const Version = 2

// Kinds of records that no event of a host makes.
const (
	Dispute fsm.Kind = "dispute" // a person says that a denial was wrong
	Order   fsm.Kind = "order"   // a person's command to pipeline itself
)

// A Record is one line of the journal: what was asked, what was answered, and the
// session after it.
type Record struct {
	Version       int       `json:"v"`
	Seq           int64     `json:"n"`                        // 1 for the first record of a session
	Event         fsm.Event `json:"event"`                    // redacted: see hooks.Redact
	TextLength    int       `json:"text_length,omitempty"`    // bytes of the event's text, where less is recorded
	Cut           bool      `json:"cut,omitempty"`            // a part of the event is missing: no exact replay
	Verdict       string    `json:"verdict,omitempty"`        // left out when nothing objected
	StrictVerdict string    `json:"strict_verdict,omitempty"` // the verdict of level strict, where that differs
	Rule          string    `json:"rule,omitempty"`
	RuleType      string    `json:"rule_type,omitempty"` // what reports call the rule: READ_LIMIT_EXCEEDED
	Where         string    `json:"where,omitempty"`
	Reason        string    `json:"reason,omitempty"`

	Limits *fsm.WriteLimits `json:"limits,omitempty"` // where a confined shell line could write

	Of            int64       `json:"of,omitempty"` // the record that a dispute is about
	Moves         []fsm.Move  `json:"moves,omitempty"`
	Texts         []string    `json:"texts,omitempty"` // hashes of the texts kept
	Notes         []string    `json:"notes,omitempty"`
	Bypassed      []string    `json:"bypassed,omitempty"`       // rules whose objections a bypass let pass
	Proposed      string      `json:"proposed,omitempty"`       // agent type that the reason proposes
	ForkedFrom    string      `json:"forked_from,omitempty"`    // of a session's start: the session that it continues
	Spooled       string      `json:"spooled,omitempty"`        // of a late event: the file in which it waited
	Recovered     bool        `json:"recovered,omitempty"`      // the session before it was not in the journal
	AfterEnd      bool        `json:"after_end,omitempty"`      // the session had ended before it, and stays so
	Repeated      bool        `json:"repeated,omitempty"`       // the call was reported before: it is counted once
	Role          string      `json:"role,omitempty"`           // orchestrator or subagent: whose rules the call met
	Level         string      `json:"level,omitempty"`          // the level in force
	InjectedChars int         `json:"injected_chars,omitempty"` // characters that were injected
	Took          int64       `json:"took_us,omitempty"`        // microseconds until the record, waits included
	Error         string      `json:"error,omitempty"`          // what went wrong in pipeline itself
	Policy        string      `json:"policy,omitempty"`
	State         fsm.Session `json:"session"`
	Prev          string      `json:"prev,omitempty"` // hash of the record before
	Hash          string      `json:"-"`              // written as the last member of the line
}

// Fields is the documentation of a record: its members, in the order in which they are written, 77 columns wide.
// Tests hold it to the types, and to what is recorded.
func Fields() string { return fields }

//go:embed fields.txt
var fields string

// Decider names what decided, as Line.Decider does.
func (r Record) Decider() string { return NameDecider(r.Rule, r.Bypassed, r.State.Machine.State) }
