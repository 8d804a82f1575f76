package rehearse

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// A Tally is what came of a replay.
type Tally struct {
	Sessions int            `json:"sessions"`
	Events   int            `json:"events"`
	Calls    int            `json:"calls"`             // tool requests among the events
	Doubled  int            `json:"doubled,omitempty"` // requests reported by a second registration
	Judged   int            `json:"judged"`            // calls that were decided again
	Same     int            `json:"same"`
	Differ   int            `json:"differ"`
	Skipped  map[string]int `json:"not_replayable"`
	Was      map[string]int `json:"recorded_verdicts"` // of the calls that were judged
	Would    map[string]int `json:"verdicts"`
	// calls of agents that would not have been started: they count nowhere else
	Quarantined int       `json:"of_agents_not_started"`
	Moves       int       `json:"moves_that_differ"`
	Rules       []*Change `json:"rules"`
}

// A Change is what a rule would decide otherwise: the rule that would object, or where
// none would, the one that did.
type Change struct {
	Rule     string    `json:"rule"`
	Where    string    `json:"where,omitempty"`
	Was      string    `json:"was"`
	Would    string    `json:"would_be"`
	WasRule  string    `json:"was_rule,omitempty"`
	Times    int       `json:"times"`
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

// exampleLimit is how many are kept of each change.
const exampleLimit = 3

// NewTally is an empty one.
func NewTally() *Tally {
	return &Tally{Skipped: map[string]int{}, Was: map[string]int{}, Would: map[string]int{}, Rules: []*Change{}}
}

// Add counts an outcome.
func (t *Tally) Add(o Outcome) {
	t.Events++
	isCall := o.Event.Kind == fsm.ToolRequest
	if o.Record.Repeated { // a second registration reported it
		t.Doubled++
		return
	}
	if isCall {
		t.Calls++
	}
	switch {
	case o.Skipped != "" && isCall:
		t.Skipped[o.Skipped]++
	case o.Skipped != "":
		t.Skipped["no call: "+o.Skipped]++
	case !isCall && !slices.Equal(o.Record.Moves, o.Decision.Moves):
		t.Moves++
	case !isCall:
	case o.isOfQuarantined(): // it would not have been made
		t.Quarantined++
	default:
		t.Judged++
		t.Would[o.Decision.Verdict.String()]++
		t.Was[o.recorded()]++
		if o.IsSame() {
			t.Same++
			return
		}
		t.Differ++
		t.addChange(o)
	}
}

// addChange counts what is decided otherwise, and keeps the first examples of it.
func (t *Tally) addChange(o Outcome) {
	d, wasRule := o.Decision, o.Record.Decider()
	decider := journal.NameDecider(d.Rule, d.Bypassed, o.Before.Machine.State)
	c := &Change{Rule: cmp.Or(decider, wasRule), Where: cmp.Or(d.Where, o.Record.Where),
		Was: o.recorded(), Would: d.Verdict.String(), WasRule: wasRule}
	i := slices.IndexFunc(t.Rules, func(have *Change) bool {
		return have.Rule == c.Rule && have.Was == c.Was && have.Would == c.Would && have.WasRule == c.WasRule
	})
	if i >= 0 {
		c = t.Rules[i]
	} else {
		t.Rules = append(t.Rules, c)
	}
	c.Times++
	if len(c.Examples) < exampleLimit {
		c.Examples = append(c.Examples, Example{Session: o.Event.Session, Seq: o.Record.Seq, Time: o.Event.Time,
			Agent: cmp.Or(o.Event.Agent.Type, "main"),
			State: o.Before.Machine.State, Call: describeCall(o.Event), Was: c.Was, Would: c.Would,
			Reason: d.Reason})
	}
}

// Sort puts the strictest changes first, and of equals what is most frequent.
func (t *Tally) Sort() {
	strictness := func(verdict string) int { return slices.Index(fsm.VerdictNames(), verdict) }
	slices.SortStableFunc(t.Rules, func(a, b *Change) int {
		return cmp.Or(cmp.Compare(strictness(b.Would), strictness(a.Would)), cmp.Compare(b.Times, a.Times),
			cmp.Compare(a.Rule, b.Rule))
	})
}

// describeCall names a call by the parts that its tool is, as explain names them: Bash(git push), Agent(Explore).
func describeCall(e fsm.Event) string {
	var names []string
	for _, p := range e.Tool.Parts {
		if p.Tool == e.Tool.Name {
			names = append(names, namePart(e, p))
		}
	}
	text := cmp.Or(strings.Join(strings.Fields(strings.Join(names, "; ")), " "), e.Tool.Name)
	return visible.Shorten(text, 100)
}
