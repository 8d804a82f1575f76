package fsm

import (
	"fmt"
	"time"
)

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
}

// A personError says that a person must agree before an agent moves the machine.
type personError struct{ ask string }

func (e personError) Error() string { return "a person must agree first: " + e.ask }

// awaitPerson has the machine wait for a person. Another result replaces the one that
// waited: it is asked about again.
func (mv mover) awaitPerson(r *Run, t Trigger, text string) {
	a := Approval{Trigger: t.Name, Ask: t.Gate.Person, Agent: r.Type, AgentID: r.ID,
		Text: mv.d.keepText(text, r.ID), Since: mv.e.Time}
	mv.s.Machine.Approval = &a
	mv.d.note(fmt.Sprintf("%s completed; the result %.12s waits for a person: %s", r.label(), a.Text.Hash, a.Ask))
	mv.s.Talk.queueNotice(waitsForPerson(a))
	mv.d.notify(askPerson(a))
}

// answerApproval is a person's command: the machine moves, or the agent's result is
// rejected. Source names the result that the person has seen, by its hash.
func (mv mover) answerApproval() {
	a := mv.s.Machine.Approval
	switch {
	case a == nil:
		mv.d.note("nothing waits for a person")
		return
	case mv.e.Source != "" && mv.e.Source != a.Text.Hash:
		mv.d.note("another result waits for a person than the one that was seen")
		return
	case mv.e.Kind == Reject:
		mv.s.Machine.Approval = nil
		mv.d.note(fmt.Sprintf("the result %.12s of %s was rejected: %s", a.Text.Hash, a.Agent, short(mv.e.Text, 300)))
		mv.s.Talk.queueNotice(personRejected(*a, mv.e.Text))
		return
	}
	mv.d.note(fmt.Sprintf("the result %.12s of %s was approved", a.Text.Hash, a.Agent))
	done := completion{a.Agent, a.AgentID, func() Ref { return a.Text }}
	m := mv.machineFor(done, func(Trigger) error { return nil })
	if err := m.fire(a.Trigger); err != nil {
		mv.d.note(fmt.Sprintf("trigger %s: %v", a.Trigger, err))
	}
	mv.s.Machine.Approval = nil
	mv.s.Talk.queueNotice(personApproved(*a, mv.texts().whereItStands()))
}
