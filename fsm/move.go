package fsm

import (
	"errors"
	"fmt"
	"slices"
)

// completeAgent: the agent is done. The machine moves if the main agent started it
// during this visit, and it has not moved the machine before. Only what moves the machine binds:
// its text is captured, and a plan in it gives the order of work.
func (mv mover) completeAgent(r *Run, text string) {
	r.Status, r.Final, r.Delivered = Done, nil, false
	mv.s.Tasks.finishAgent(r.ID, true)
	isOfEpoch := r.Epoch == mv.s.Machine.Epoch
	switch {
	case len(mv.p.States) == 0:
		if r.isOfMain() && isOfEpoch {
			mv.planner().adoptMessage(r, text, "", false)
		}
	case !r.isOfMain():
		mv.d.note(r.label() + " was not started by the main agent: it moves nothing")
		if r.By == unknownCaller && r.How != ByWorkflow && mv.table().HasWorker(mv.s.Machine.State, r.Type) {
			mv.reportUncounted(r, startNotSeen)
		}
	case r.Fired:
		held, ok := mv.s.Machine.Captures[r.Capture]
		if r.Capture == "" || !ok || held.Agent != r.ID {
			mv.d.note(r.label() + " had completed before: it moves nothing twice")
			if mv.leadsOn(r.Type) {
				mv.reportUncounted(r, completedBefore)
			}
			return
		}
		mv.s.Machine.Captures[r.Capture] = mv.d.keepText(text, r.ID)
		mv.planner().adoptMessage(r, text, r.Capture, false)
		mv.d.note(r.label() + " replaces what it had " + r.Capture)
	case !isOfEpoch:
		mv.d.note(r.label() + " was started before the reset: it moves nothing")
		mv.reportUncounted(r, startedBeforeReset)
	case r.Visit != mv.s.Machine.Visit:
		mv.d.note(fmt.Sprintf("%s is late: %s has been left since it was admitted", r.label(),
			orNone(mv.s.Machine.State)))
		mv.reportUncounted(r, startedTooEarly)
	default:
		mv.fireTrigger(r, text)
	}
}

// leadsOn reports whether agents of this type lead out of the state, or leave a text in it.
func (mv mover) leadsOn(agent string) bool {
	t, ok := mv.table().Admits(mv.s.Machine.State, agent)
	return ok && !t.Helper && (t.To != mv.s.Machine.State || t.Capture != "")
}

// reportUncounted tells the main agent that a result does not count, and why.
func (mv mover) reportUncounted(r *Run, why string) {
	mv.s.Talk.queueNotice(PendingNotice{About: notCounted, Agent: r.Type, Why: why})
}

// mayMove reports whether the completion of a run may move the machine.
func (mv mover) mayMove(r *Run) bool {
	return r.By == "" && !r.Fired && r.Visit == mv.s.Machine.Visit && r.Epoch == mv.s.Machine.Epoch
}

// fireTrigger tries the state's triggers in order until one moves the machine.
func (mv mover) fireTrigger(r *Run, text string) {
	stays := PendingNotice{About: stateStays, Agent: r.Type, Visit: mv.s.Machine.Visit}
	m := mv.machineFor(completion{agent: r.Type, id: r.ID, text: text}, func(t Trigger) error {
		if err := t.matchText(text); err != nil {
			return err
		}
		return mv.passGate(t)
	})
	saysOther := false
	for _, t := range mv.table().Leads(m.at.Name, r.Type) {
		err := m.fire(t.Name)
		if err == nil {
			return
		}
		if errors.As(err, new(textError)) {
			saysOther = true
			continue
		}
		if errors.As(err, new(personError)) {
			mv.awaitPerson(r, t, text)
			return
		}
		mv.reportStuck(t.Name, err)
		if errors.As(err, new(engineError)) {
			return
		}
		if gate := new(gateError); errors.As(err, gate) {
			how := "could not be tried"
			if gate.wasRun {
				how = "does not succeed"
			}
			stays.Why = fmt.Sprintf("came back, and %q %s", short(gate.run, 60), how)
			mv.s.Talk.queueNotice(stays)
			return
		}
	}
	if saysOther {
		stays.Why = saysNothingKnown
		mv.s.Talk.queueNotice(stays)
	}
	mv.d.note(fmt.Sprintf("%s completed; nothing in %s leads on from it", r.label(), m.at.Name))
}

// A textError says that a final message does not match what a trigger asks for.
type textError struct{}

func (textError) Error() string { return "the final message does not say what the move asks for" }

// matchText reports whether a final message is one that the trigger asks for.
func (t Trigger) matchText(text string) error {
	if t.Says == "" || findSubmatch(t.Says, text) != nil {
		return nil
	}
	return textError{}
}

// listMatching lists the triggers that a run's completion with this message fires, the first that
// its gate lets through.
func (mv mover) listMatching(r *Run, text string) []Trigger {
	leads := mv.table().Leads(mv.s.Machine.State, r.Type)
	return slices.DeleteFunc(leads, func(t Trigger) bool { return t.matchText(text) != nil })
}

// A completion is what a move is recorded with: the agent, if one moves the machine, and the text
// that may be captured. It is kept only then, unless it is kept already.
type completion struct {
	agent, id string
	text      string
	ref       *Ref // of a text that is kept already
}

// machineFor is the engine of the session's state, for a completion.
func (mv mover) machineFor(c completion, guard func(Trigger) error) *machine {
	return mv.table().newMachine(machine{at: mv.state(), guard: guard, enter: mv.enterState,
		record: func(t Trigger, m Move) {
			m.Agent, m.AgentID = c.agent, c.id
			if c.id != "" && t.isWork(m.From) {
				mv.s.Machine.Worked = true
			}
			if t.Capture != "" && (c.text != "" || c.ref != nil) {
				m.Capture = t.Capture
				ref := c.ref
				if ref == nil {
					kept := mv.d.keepText(c.text, c.id)
					ref = &kept
				}
				mv.s.Machine.setCapture(t.Capture, *ref)
				mv.addCaptured(t.Capture, c.text)
			}
			r := mv.s.Agents.find(c.id)
			if r != nil {
				r.Fired, r.Capture = true, m.Capture
			}
			mv.recordMove(m)
			switch {
			case c.text == "" || t.Helper:
			case r != nil:
				mv.planner().adoptMessage(r, c.text, m.Capture, m.From != m.To)
			case t.Name == PlanApproved:
				mv.planner().adoptPlan(c.text, m.Capture, m.From != m.To)
			}
		}})
}

// isWork reports whether the completion that fires a trigger is work of a state: it stays there,
// and leaves no text behind for others. A second plan does not carry out the first.
func (t Trigger) isWork(state string) bool { return !t.Helper && t.To == state && t.Capture == "" }

// moveWithoutAgent lets something else than an agent move the machine, or notes why not.
func (mv mover) moveWithoutAgent(trigger string, c completion, guard func(Trigger) error) {
	if err := mv.machineFor(c, guard).fire(trigger); err != nil {
		mv.reportStuck(trigger, err)
	}
}

// reportStuck notes what kept a trigger from firing. Where the machine itself failed, the person
// and the main agent are notified: its work is done, and the state does not show it.
func (mv mover) reportStuck(trigger string, err error) {
	what := fmt.Sprintf("%s stays: trigger %s: %v", orNone(mv.s.Machine.State), trigger, err)
	mv.d.note(what)
	if errors.As(err, new(engineError)) {
		mv.d.notify(what)
		mv.s.Talk.queueNotice(PendingNotice{Why: what})
	}
}

// enterState moves the session into a state and clears the captures that the state
// names.
func (mv mover) enterState(name string) {
	to, ok := mv.p.FindState(name)
	if !ok {
		return
	}
	m := &mv.s.Machine
	m.State, m.Since, m.Worked, m.Approval = to.Name, mv.e.Time, false, nil
	m.Visit++
	for _, name := range to.Clear {
		delete(m.Captures, name)
		if name == TasksCapture || name == mv.s.Tasks.Capture {
			mv.s.dropGraph()
		}
	}
	mv.s.Budgets.refill(mv.p, "state")
}

func (mv mover) recordMove(m Move) {
	mv.s.Machine.Moves++
	mv.d.Moves = append(mv.d.Moves, m)
}

// whyUnfinished is why the end of a turn does not yet complete the state: not before its work is done and has
// reached the main agent.
func (mv mover) whyUnfinished(Trigger) error {
	switch {
	case !mv.s.Machine.Worked:
		return errors.New("no agent that it is there for has completed in it")
	case mv.isBusy():
		return errors.New("agents are still running")
	}
	for _, r := range mv.s.Agents.Runs {
		if r.Status == Done && !r.Delivered && r.By == "" && r.Fired {
			return fmt.Errorf("the main agent has not yet been given what agent %s (%s) found", r.ID, r.Type)
		}
	}
	return nil
}

// moveOnPlan lets a plan that the user has approved move the machine. What the model says
// of its plan moves nothing.
func (mv mover) moveOnPlan() {
	if mv.e.Tool.Unasked {
		mv.d.note("the client did not ask whether the plan is approved: it moves nothing")
		return
	}
	switch {
	case len(mv.p.States) == 0:
		mv.planner().adoptPlan(mv.e.Tool.Plan, "", false)
	case mv.state().OnPlan != "":
		mv.moveWithoutAgent(PlanApproved, completion{text: mv.e.Tool.Plan}, nil)
	}
}
