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
func (st *step) awaitPerson(r *Run, t Trigger, text string) {
	a := Approval{Trigger: t.Name, Ask: t.Gate.Person, Agent: r.Type, AgentID: r.ID,
		Text: st.d.keepText(text, r.ID), Since: st.e.Time}
	st.s.Machine.Approval = &a
	st.d.note(fmt.Sprintf("%s completed; the result %.12s waits for a person: %s", r.label(), a.Text.Hash, a.Ask))
	st.s.Talk.queueNotice(waitsForPerson(a))
	st.d.notify(askPerson(a))
}

// answerApproval is a person's command: the machine moves, or the agent's result is
// rejected. Source names the result that the person has seen, by its hash.
func (st *step) answerApproval() {
	a := st.s.Machine.Approval
	switch {
	case a == nil:
		st.d.note("nothing waits for a person")
		return
	case st.e.Source != "" && st.e.Source != a.Text.Hash:
		st.d.note("another result waits for a person than the one that was seen")
		return
	case st.e.Kind == Reject:
		st.s.Machine.Approval = nil
		st.d.note(fmt.Sprintf("the result %.12s of %s was rejected: %s", a.Text.Hash, a.Agent, short(st.e.Text, 300)))
		st.s.Talk.queueNotice(personRejected(*a, st.e.Text))
		return
	}
	st.d.note(fmt.Sprintf("the result %.12s of %s was approved", a.Text.Hash, a.Agent))
	done := completion{a.Agent, a.AgentID, func() Ref { return a.Text }}
	m := st.machineFor(done, func(Trigger) error { return nil })
	if err := m.fire(a.Trigger); err != nil {
		st.d.note(fmt.Sprintf("trigger %s: %v", a.Trigger, err))
	}
	st.s.Machine.Approval = nil
	st.s.Talk.queueNotice(personApproved(*a, st.whereItStands()))
}

// A completion is what a trigger's move is recorded with: the agent, and its final
// message, which is kept only where it is captured.
type completion struct {
	agent, id string
	keep      func() Ref
}

// machineFor is the engine of the session's state, for the completion of an agent.
func (st *step) machineFor(c completion, guard func(Trigger) error) *machine {
	in := st.state()
	return st.p.machine(in.Name, machine{find: in.findTrigger, guard: guard, enter: st.enterState,
		record: func(t Trigger, m Move) {
			r := st.s.Agents.find(c.id)
			m.Agent, m.AgentID = c.agent, c.id
			if !t.Helper && m.From == m.To {
				st.s.Machine.Worked = true
			}
			if t.Capture != "" {
				m.Capture = t.Capture
				st.s.Machine.setCapture(t.Capture, c.keep())
			}
			if r != nil {
				r.Fired, r.Capture = true, m.Capture
			}
			st.recordMove(m)
		}})
}
