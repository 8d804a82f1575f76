package fsm

import (
	"fmt"
	"strings"
)

// A Verdict says what to do with a tool call. Larger is stricter. There is no verdict
// that approves: Pass leaves the call to the host's own permissions, so a policy can
// only ever make a session stricter.
type Verdict int

// The verdicts.
const (
	Pass Verdict = iota
	Warn
	Confine // it runs, and the kernel keeps it from writing
	Ask
	Deny
)

var verdictNames = [...]string{"pass", "warn", "confine", "ask", "deny"}

func (v Verdict) String() string { return verdictNames[v] }

// VerdictNames lists the verdicts, the strictest last.
func VerdictNames() []string { return verdictNames[:] }

// A Decision is the answer to an event, and what is to be remembered of it.
type Decision struct {
	Verdict       Verdict
	StrictVerdict Verdict // what strict would have said
	Rule          string  // what decided: "pipeline", "protect", "bypass"; empty when nothing objected
	RuleType      string  // what reports call the rule: READ_LIMIT_EXCEEDED
	Where         string  // where that is written: pipeline.yaml:12
	Reason        string  // for the agent: what, why, and what to do instead
	Repeated      bool    // ToolRequest: it was reported before; no count counts it again
	Inject        string  // for the context of the agent that the event is about
	Notices       []string
	Hold          bool     // TurnStop, AgentStop: not yet; Reason says why
	Level         Level    // that the event was judged by
	InjectLimit   int      // characters of Inject that may be injected, the rest goes into a file; 0 for all
	InjectedChars int      // characters that are injected
	Notes         []string // for the record: what was noticed and why nothing moved
	Bypassed      []string // rules whose objections a bypass let pass
	Proposed      string   // the agent type that Reason proposes to delegate to
	ForkedFrom    string   // SessionStart: the session that this one was forked from
	Moves         []Move
	Texts         []Text
	Parts         []Ruling // ToolRequest: what decided each part of the call, in the call's order
	// KeptOut are the worktrees in which its shell line may not write, but for Own.
	KeptOut    []string
	Own        string
	Limits     *WriteLimits // ToolRequest: where its shell line may write; nil for anywhere
	Objections []Objection  // all objections to the event, in the order in which they were raised
}

// A Ruling is what decided one part of a call: the strictest objection to it, or the
// rule that let it pass.
type Ruling struct {
	Part          Part
	Rule          string // "default" where no rule of the list fits
	RuleType      string
	Where         string
	Verdict       Verdict // at the level in force; Pass for what is bypassed
	StrictVerdict Verdict // what strict would have said
	Bypassed      bool    // a person's bypass covers the objection

	// A call that is free by a rule's budget passes. These say what follows once the
	// budget is used up.
	Free        int // how many calls the budget gives; 0 where no budget decided
	Spent       Verdict
	SpentStrict Verdict
}

// An Objection is one reason against a call: by a rule, a state, a limit, the task
// graph or the protection of our files.
type Objection struct {
	Part          int // index into Parts, or WholeCall
	Rule          string
	RuleType      string
	Where         string
	Reason        string // for the agent
	Proposed      string // the agent type that Reason proposes to delegate to
	Verdict       Verdict
	StrictVerdict Verdict
	Bypassed      bool
}

// WholeCall is the part of an objection that concerns every part of the call.
const WholeCall = -1

// raise makes the ruling at least as strict as an objection. Of equally strict ones the
// first stays.
func (r *Ruling) raise(o Objection) {
	if r.StrictVerdict == Pass || o.Verdict > r.Verdict || r.Bypassed && !o.Bypassed {
		r.Rule, r.RuleType, r.Where, r.Verdict, r.Bypassed = o.Rule, o.RuleType, o.Where, o.Verdict, o.Bypassed
		r.Free, r.Spent, r.SpentStrict = 0, Pass, Pass
	}
	r.StrictVerdict = max(r.StrictVerdict, o.StrictVerdict)
}

// A Move is one firing of the machine, also one that stays in its state.
type Move struct {
	Trigger string `json:"trigger"`
	Agent   string `json:"agent,omitempty"`
	AgentID string `json:"agent_id,omitempty"`
	From    string `json:"from"`
	To      string `json:"to"`
	Capture string `json:"capture,omitempty"` // the name under which the final message was kept
}

func (d *Decision) note(format string, args ...any) {
	d.Notes = append(d.Notes, fmt.Sprintf(format, args...))
}

func (d *Decision) notify(format string, args ...any) {
	d.Notices = append(d.Notices, fmt.Sprintf(format, args...))
}

// A Text is a captured text that must be on disk before the session that refers to it
// is recorded.
type Text struct {
	Ref  Ref
	Text string
}

// inject adds texts to what the agent of the event reads.
func (d *Decision) inject(texts ...string) {
	for _, s := range texts {
		if s = strings.TrimSpace(s); s != "" {
			d.Inject = strings.TrimSpace(d.Inject + "\n" + s)
		}
	}
}

// keepText asks the caller of Step to keep a text, and refers to it.
func (d *Decision) keepText(text, agent string) Ref {
	ref := Ref{Hash: hashText(text), Size: len(text), Agent: agent}
	d.Texts = append(d.Texts, Text{ref, text})
	return ref
}
