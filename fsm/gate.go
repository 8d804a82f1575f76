package fsm

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A GateResult is what a gate's command came to.
type GateResult struct {
	Key    string `json:"key"` // of the gate: the state, the visit and the trigger
	OK     bool   `json:"ok,omitempty"`
	Output string `json:"output,omitempty"` // the end of what it printed
}

// findResult is what a trigger's gate came to in this visit of the state; nil where it was not run.
func (st *step) findResult(g *Gate, trigger string) *GateResult {
	key := fmt.Sprintf("%s/%d/%s", st.s.State, st.s.Visit, trigger)
	if r := st.e.Facts.Gate; r != nil && r.Key == key {
		return r
	}
	if st.asked == nil {
		st.asked, st.askedKey = g, key
	}
	return nil
}

// whyGated is why a gate keeps an agent from firing a trigger, empty if none does.
func (mv mover) whyGated(t Trigger) string {
	if t.Gate == nil || mv.level <= Guidance || mv.findBypass(RuleGate) != nil {
		return ""
	}
	if t.Gate.Person != "" {
		return "a person must agree first: " + t.Gate.Person
	}
	switch r, what := mv.findResult(t.Gate, t.Name), short(t.Gate.Run, 60); {
	case r == nil:
		return "the gate is not passed: it was not run for this (" + what + ")"
	case !r.OK:
		return "the gate is not passed: " + what + " failed"
	}
	return ""
}

// An Approval is what the machine waits for: a person who agrees to the result of an
// agent. It stays until a person answers, the agent comes back with another result, or
// the state is left otherwise. No time ends it.
type Approval struct {
	Trigger string    `json:"trigger"` // fires when the person agrees
	Ask     string    `json:"ask"`     // what the person is to do, in the config's words
	Agent   string    `json:"agent"`
	AgentID string    `json:"agent_id"`
	Text    Ref       `json:"text"` // the agent's final message
	Since   time.Time `json:"since"`
	// the person was asked about another result before, and has not answered
	Again bool `json:"again,omitempty"`
}

// shownHash is how much of a result's hash is shown, and how much names it.
const shownHash = 12

// Hash names the result, as a person sees it.
func (a Approval) Hash() string { return fmt.Sprintf("%.*s", shownHash, a.Text.Hash) }

// Command is what a person runs or types, behind the program's name, to agree.
func (a Approval) Command() string {
	if a.Again {
		return "approve " + a.Hash()
	}
	return "approve"
}

// CheckSeen refuses an answer of a person who has seen another result. The hash names
// the one that was seen. Without it, nothing says which of two it was.
func (a Approval) CheckSeen(hash string) error {
	switch seen := len(hash) >= shownHash && strings.HasPrefix(a.Text.Hash, strings.ToLower(hash)); {
	case seen, hash == "" && !a.Again:
		return nil
	case hash == "":
		return fmt.Errorf("another result came since you were asked before: read the result %s of %s, "+
			"then say which one: %s", a.Hash(), a.Agent, a.Command())
	default:
		return fmt.Errorf("the result %s does not wait; what waits is the result %s of %s", short(hash, 60),
			a.Hash(), a.Agent)
	}
}

// awaitPerson has the machine wait for a person. Another result replaces the one that
// waited: it is asked about again.
func (mv mover) awaitPerson(r *Run, t Trigger, text string) {
	a := Approval{Trigger: t.Name, Ask: t.Gate.Person, Agent: r.Type, AgentID: r.ID,
		Text: mv.keepText(text, r.ID), Since: mv.e.Time, Again: mv.s.Unanswered}
	if before := mv.s.Approval; before != nil && a.Trigger == before.Trigger && a.Ask == before.Ask &&
		a.Text.Hash == before.Text.Hash {
		a.Again = before.Again
	}
	mv.s.Approval, mv.s.Unanswered = &a, true
	mv.noteRun(r, "completed; the result %s waits for a person: %s", a.Hash(), a.Ask)
	mv.queueNotice(PendingNotice{About: personAsked, Agent: r.Type})
	mv.askPerson()
}

// answerApproval is a person's command: the machine moves, or the agent's result is
// rejected. Source names the result that the person has seen, by its hash.
func (mv mover) answerApproval() {
	a := mv.s.Approval
	switch {
	case a == nil:
		mv.note("nothing waits for a person")
		return
	case mv.e.Source != "" && mv.e.Source != a.Text.Hash:
		mv.note("another result waits for a person than the one that was seen")
		return
	}
	mv.s.Approval, mv.s.Unanswered = nil, false
	if mv.e.Kind == Reject {
		mv.note("the result %s of %s was rejected: %s", a.Hash(), a.Agent, short(mv.e.Text, 300))
		mv.queueNotice(PendingNotice{Why: fmt.Sprintf(
			"The user does not agree to what agent %q found: %s. Start it again with that.", short(a.Agent, 60),
			short(strings.TrimRight(mv.e.Text, "."), 300))})
		return
	}
	mv.note("the result %s of %s was approved", a.Hash(), a.Agent)
	t, in := Trigger{Name: a.Trigger}, mv.state()
	if i := slices.IndexFunc(in.Triggers, func(t Trigger) bool { return t.Name == a.Trigger }); i >= 0 {
		t = in.Triggers[i]
	}
	text := mv.e.Facts.Captured[a.AgentID]
	mv.move(t, Move{Agent: a.Agent, AgentID: a.AgentID}, text, a.Text)
	mv.queueNotice(PendingNotice{About: personAgreed, Agent: a.Agent})
}
