package replay

import (
	"cmp"
	"slices"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A Tally is what came of a replay.
type Tally struct {
	Sessions int            `json:"sessions"`
	Events   int            `json:"events"`
	Calls    int            `json:"calls"`  // tool requests among the events
	Judged   int            `json:"judged"` // calls that were decided again
	Same     int            `json:"same"`
	Differ   int            `json:"differ"`
	Unsure   int            `json:"uncertain"` // judged after an event of their session that could not be
	Skipped  map[string]int `json:"not_replayable"`
	Was      map[string]int `json:"recorded_verdicts"` // of the calls that were judged
	Would    map[string]int `json:"verdicts"`
	Barred   int            `json:"of_agents_not_started"` // calls of agents that would not have been started: they count nowhere else
	Moves    int            `json:"moves_that_differ"`
	Rules    []*Change      `json:"rules"`
}

// A Change is what a rule would decide otherwise: the rule that would object, or where none would, the one that did.
type Change struct {
	Rule     string    `json:"rule"`
	Where    string    `json:"where,omitempty"`
	Was      string    `json:"was"`
	Would    string    `json:"would_be"`
	WasRule  string    `json:"was_rule,omitempty"`
	Times    int       `json:"times"`
	Unsure   int       `json:"uncertain,omitempty"`
	Examples []Example `json:"examples"`
}

// An Example is one call.
type Example struct {
	Session string    `json:"session_id"`
	Seq     int64     `json:"record,omitempty"`
	Time    time.Time `json:"time"`
	Agent   string    `json:"agent"` // its type; "main" for the main agent
	State   string    `json:"state,omitempty"`
	Call    string    `json:"call"`
	Was     string    `json:"was,omitempty"`
	Would   string    `json:"would_be"`
	Reason  string    `json:"reason,omitempty"`
}

// examples is how many are kept of each change.
const examples = 3

// NewTally is an empty one.
func NewTally() *Tally {
	return &Tally{Skipped: map[string]int{}, Was: map[string]int{}, Would: map[string]int{}, Rules: []*Change{}}
}

// Add counts an outcome.
func (t *Tally) Add(o Outcome) {
	t.Events++
	call := o.Event.Kind == fsm.ToolRequest
	if call {
		t.Calls++
	}
	switch {
	case o.Skipped != "" && call:
		t.Skipped[o.Skipped]++
	case o.Skipped != "":
		t.Skipped["no call: "+o.Skipped]++
	case call:
		t.judge(o)
	case !o.SameMoves():
		t.Moves++
	}
}

// AddNew counts what was never decided before: every objection is a change.
func (t *Tally) AddNew(o Outcome) {
	t.Events++
	if o.Event.Kind != fsm.ToolRequest {
		return
	}
	t.Calls++
	if o.barred() {
		t.Barred++
		return
	}
	t.Judged++
	t.Would[o.Decision.Verdict.String()]++
	if o.Decision.Verdict > fsm.Pass {
		t.change(o, "", "")
	}
}

func (t *Tally) judge(o Outcome) {
	if o.barred() {
		t.Barred++
		return
	}
	t.Judged++
	if o.Unsure != "" {
		t.Unsure++
	}
	was, _, rule := o.Was()
	t.Was[was]++
	t.Would[o.Decision.Verdict.String()]++
	if o.Same() {
		t.Same++
		return
	}
	t.Differ++
	t.change(o, was, rule)
}

// change counts what is decided otherwise, and keeps the first examples of it.
func (t *Tally) change(o Outcome, was, wasRule string) {
	c := t.of(Change{Rule: cmp.Or(o.Decision.Rule, wasRule), Where: cmp.Or(o.Decision.Where, o.Record.Where),
		Was: was, Would: o.Decision.Verdict.String(), WasRule: wasRule})
	c.Times++
	if o.Unsure != "" {
		c.Unsure++
	}
	if len(c.Examples) < examples {
		c.Examples = append(c.Examples, Example{Session: o.Event.Session, Seq: o.Record.Seq, Time: o.Event.Time, Agent: cmp.Or(o.Event.Agent.Type, "main"),
			State: o.Before.Machine.State, Call: Describe(o.Event), Was: c.Was, Would: c.Would, Reason: o.Decision.Reason})
	}
}

func (t *Tally) of(c Change) *Change {
	for _, have := range t.Rules {
		if have.Rule == c.Rule && have.Was == c.Was && have.Would == c.Would && have.WasRule == c.WasRule {
			return have
		}
	}
	t.Rules = append(t.Rules, &c)
	return &c
}

// Sort puts what is denied anew first, and of equals what is most frequent.
func (t *Tally) Sort() {
	slices.SortStableFunc(t.Rules, func(a, b *Change) int {
		return cmp.Or(cmp.Compare(weight(b.Would), weight(a.Would)), cmp.Compare(b.Times, a.Times), cmp.Compare(a.Rule, b.Rule))
	})
}

func weight(verdict string) int {
	return slices.Index([]string{"pass", "warn", "ask", "deny"}, verdict)
}
