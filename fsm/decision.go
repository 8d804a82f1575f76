package fsm

// A Verdict says what to do with a tool call. Larger is stricter. There is no verdict that approves: Pass leaves the
// call to the host's own permissions, so a policy can only ever make a session stricter.
type Verdict int

// The verdicts.
const (
	Pass Verdict = iota
	Warn
	Ask
	Deny
)

var verdictNames = [...]string{"pass", "warn", "ask", "deny"}

func (v Verdict) String() string { return verdictNames[v] }

// A Decision is the answer to an event, and what is to be remembered of it.
type Decision struct {
	Verdict       Verdict
	StrictVerdict Verdict // what strict would have said
	Rule          string  // what decided: "pipeline", "protect", "bypass"; empty when nothing objected
	RuleType      string  // what reports call the rule: READ_LIMIT_EXCEEDED
	Where         string  // where that is written: pipeline.yaml:12
	Reason        string  // for the agent: what, why, and what to do instead
	Inject        string  // for the context of the agent that the event is about
	Notices       []string
	Hold          bool     // TurnStop, AgentStop: not yet; Reason says why
	Level         Level    // that the event was judged by
	InjectLimit   int      // characters of Inject that may be said, the rest being put where it can be read; 0 for all
	InjectedChars int      // characters that are injected
	Notes         []string // for the record: what was noticed and why nothing moved
	Bypassed      []string // rules whose objections a bypass let pass
	Proposed      string   // the agent type that Reason proposes to delegate to
	ForkedFrom    string   // SessionStart: the session that this one was forked from
	Moves         []Move
	Texts         []Text
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

// HasMoved reports whether the state has changed.
func (d Decision) HasMoved() bool {
	for _, m := range d.Moves {
		if m.From != m.To {
			return true
		}
	}
	return false
}

func (d *Decision) note(s string) { d.Notes = append(d.Notes, s) }

func (d *Decision) tell(s string) { d.Notices = append(d.Notices, s) }

// A Text is a captured text that must be on disk before the session that refers to it is recorded.
type Text struct {
	Ref  Ref
	Text string
}
