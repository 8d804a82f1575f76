package fsm

import (
	"errors"
	"fmt"
)

// completeAgent: the agent is done. The machine moves if the main agent started it
// during this visit, and it has not moved the machine before.
func (mv mover) completeAgent(r *Run, text string) {
	r.Status, r.Final, r.Delivered = Done, nil, false
	mv.s.Tasks.finishAgent(r.ID, true)
	switch {
	case len(mv.p.States) == 0:
	case r.By != "":
		mv.d.note(r.label() + " was not started by the main agent: it moves nothing")
		if r.By == unknownCaller && r.How != ByWorkflow && mv.state().hasWorker(r.Type) {
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
		mv.d.note(r.label() + " replaces what it had " + r.Capture)
	case r.Epoch != mv.s.Machine.Epoch:
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
	t, ok := mv.state().Admits(agent)
	return ok && !t.Helper && (t.To != mv.s.Machine.State || t.Capture != "")
}

// reportUncounted tells the main agent that a result does not count, and why.
func (mv mover) reportUncounted(r *Run, why string) {
	mv.s.Talk.queueNotice(doesNotCount(r.Type, why, mv.texts().whereItStands()))
}

// mayMove reports whether the completion of a run may move the machine.
func (mv mover) mayMove(r *Run) bool {
	return r.By == "" && !r.Fired && r.Visit == mv.s.Machine.Visit && r.Epoch == mv.s.Machine.Epoch
}

// fireTrigger tries the state's triggers in order until one moves the machine.
func (mv mover) fireTrigger(r *Run, text string) {
	in := mv.state()
	m := mv.machineFor(completion{r.Type, r.ID, func() Ref { return mv.d.keepText(text, r.ID) }},
		func(t Trigger) error {
			if err := t.matchText(text); err != nil {
				return err
			}
			return mv.passGate(t)
		})
	saysOther := false
	for _, t := range in.Triggers {
		if !MatchAgent(t.Agents, r.Type) {
			continue
		}
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
			mv.s.Talk.queueNotice(staysBecause(r.Type, cameBackAt(gate.run, gate.wasRun), mv.s.Machine.State))
			return
		}
	}
	if saysOther {
		mv.s.Talk.queueNotice(staysBecause(r.Type, saysNothingKnown, mv.s.Machine.State))
	}
	mv.d.note(fmt.Sprintf("%s completed; nothing in %s leads on from it", r.label(), in.Name))
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

// findMatchingTrigger is the trigger that a run's completion with this message fires,
// if its gate lets it.
func (mv mover) findMatchingTrigger(r *Run, text string) (Trigger, bool) {
	for _, t := range mv.state().Triggers {
		if MatchAgent(t.Agents, r.Type) && t.matchText(text) == nil {
			return t, true
		}
	}
	return Trigger{}, false
}

// A completion is what a move is recorded with: the agent, if one moves the machine, and
// the text that may be captured, which is kept only then.
type completion struct {
	agent, id string
	keep      func() Ref // nil for no text
}

// machineFor is the engine of the session's state, for a completion.
func (mv mover) machineFor(c completion, guard func(Trigger) error) *machine {
	in := mv.state()
	return mv.p.newMachine(in.Name, machine{find: in.findTrigger, guard: guard, enter: mv.enterState,
		record: func(t Trigger, m Move) {
			r := mv.s.Agents.find(c.id)
			m.Agent, m.AgentID = c.agent, c.id
			if c.id != "" && !t.Helper && m.From == m.To {
				mv.s.Machine.Worked = true
			}
			if t.Capture != "" && c.keep != nil {
				m.Capture = t.Capture
				mv.s.Machine.setCapture(t.Capture, c.keep())
			}
			if r != nil {
				r.Fired, r.Capture = true, m.Capture
			}
			mv.recordMove(m)
		}})
}

// moveWithoutAgent lets something else than an agent move the machine, or notes why not.
func (mv mover) moveWithoutAgent(trigger string, c completion, guard func(Trigger) error) {
	if err := mv.machineFor(c, guard).fire(trigger); err != nil {
		mv.reportStuck(trigger, err)
	}
}

// reportStuck notes what kept a trigger from firing. That the machine itself failed is told to
// the person and to the main agent: its work is done, and the state does not show it.
func (mv mover) reportStuck(trigger string, err error) {
	what := fmt.Sprintf("%s stays: trigger %s: %v", orNone(mv.s.Machine.State), trigger, err)
	mv.d.note(what)
	if errors.As(err, new(engineError)) {
		mv.d.notify(what)
		mv.s.Talk.queueNotice(what)
	}
}

func (mv mover) enterState(name string) {
	if to, ok := mv.p.FindState(name); ok {
		mv.s.enterState(to, mv.e.Time)
		mv.s.Budgets.refill(mv.p, "state")
	}
}

func (mv mover) recordMove(m Move) {
	mv.s.Machine.Moves++
	mv.d.Moves = append(mv.d.Moves, m)
}

// moveOnStop lets the turn's end move the machine, if the state's work is done and
// delivered to the main agent.
func (mv mover) moveOnStop() {
	mv.moveWithoutAgent(TurnEnds, completion{}, func(Trigger) error { return mv.whyUnfinished() })
}

// whyUnfinished is why the end of a turn does not yet complete the state.
func (mv mover) whyUnfinished() error {
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
	in, text := mv.state(), mv.e.Tool.Plan
	if in.OnPlan == "" {
		return
	}
	if mv.e.Tool.Unasked {
		mv.d.note("the client did not ask whether the plan is approved: it moves nothing")
		return
	}
	var c completion
	if text != "" {
		c.keep = func() Ref {
			mv.addCaptured(in.Capture, text)
			return mv.d.keepText(text, "")
		}
	}
	mv.moveWithoutAgent(PlanApproved, c, nil)
}
