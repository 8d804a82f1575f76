package fsm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"

	loop "github.com/looplab/fsm"
)

// completeAgent: the agent is done. The machine moves if the main agent started it
// during this visit, and it has not moved the machine before. Only what moves the machine binds:
// its text is captured, and a plan in it gives the order of work.
func (mv mover) completeAgent(r *Run, text string) {
	r.Status, r.Final, r.Delivered = Done, nil, false
	mv.s.finishAgent(r.ID, true)
	isOfEpoch := r.Epoch == mv.s.Epoch
	switch {
	case len(mv.p.States) == 0:
		if r.isOfMain() && isOfEpoch {
			mv.adoptMessage(r, text, "", false)
		}
	case !r.isOfMain():
		mv.noteRun(r, "was not started by the main agent: it moves nothing")
		if r.By == unknownCaller && r.How != ByWorkflow && mv.table().HasWorker(mv.s.State, r.Type) {
			mv.reportUncounted(r, "its start by the main agent was not seen")
		}
	case r.Fired:
		held, ok := mv.s.Captures[r.Capture]
		if r.Capture == "" || !ok || held.Agent != r.ID {
			mv.noteRun(r, "had completed before: it moves nothing twice")
			state := mv.s.State // it leads out of it, or leaves a text in it
			if t := mv.table().Admits(state, r.Type); t != nil && !t.Helper && (t.To != state || t.Capture != "") {
				mv.reportUncounted(r, "it had completed before")
			}
			return
		}
		mv.s.Captures[r.Capture] = mv.keepText(text, r.ID)
		mv.adoptMessage(r, text, r.Capture, false)
		mv.noteRun(r, "replaces what it had %s", r.Capture)
	case !isOfEpoch:
		mv.noteRun(r, "was started before the reset: it moves nothing")
		mv.reportUncounted(r, "it was started before the pipeline was reset")
	case r.Visit != mv.s.Visit:
		mv.noteRun(r, "is late: %s has been left since it was admitted", cmp.Or(mv.s.State, noState))
		mv.reportUncounted(r, "it was started before the pipeline reached this state")
	default:
		mv.fireTrigger(r, text)
	}
}

// reportUncounted tells the main agent that a result does not count, and why.
func (mv mover) reportUncounted(r *Run, why string) {
	mv.queueNotice(PendingNotice{About: notCounted, Agent: r.Type, Why: why})
}

// fireTrigger fires the first of the state's triggers that the final message asks for, if its gate lets it.
func (mv mover) fireTrigger(r *Run, text string) {
	stays, state := PendingNotice{About: stateStays, Agent: r.Type, Visit: mv.s.Visit}, mv.s.State
	t, leads := mv.findLead(r, text)
	if !leads {
		if mv.table().Admits(state, r.Type) != nil { // another message of it leads on
			stays.Why = "came back, and its final message does not say what a move asks for"
			mv.queueNotice(stays)
		}
		mv.noteRun(r, "completed; nothing in %s leads on from it", state)
		return
	}
	err, held := mv.passGate(t), new(gateError)
	if err == nil {
		err = mv.fire(t, completion{agent: r.Type, id: r.ID, text: text})
	}
	switch isHeld := errors.As(err, held); {
	case err == nil:
	case !isHeld:
		mv.reportStuck(t.Name, err)
	case held.gate.Person != "":
		mv.awaitPerson(r, t, text)
	default:
		mv.reportStuck(t.Name, err)
		how := "could not be tried"
		if held.wasRun {
			how = "does not succeed"
		}
		stays.Why = fmt.Sprintf("came back, and %q %s", short(held.gate.Run, 60), how)
		mv.queueNotice(stays)
	}
}

// findLead is the trigger that a run's completion with this message fires, if it may move the machine and the
// trigger's gate lets it: the first that asks for this message.
func (mv mover) findLead(r *Run, text string) (Trigger, bool) {
	m := mv.s.Machine
	if r.By == "" && !r.Fired && r.Visit == m.Visit && r.Epoch == m.Epoch {
		for _, t := range mv.table().Leads(m.State, r.Type) {
			if t.Says == "" || findSubmatch(t.Says, text) != nil {
				return t, true
			}
		}
	}
	return Trigger{}, false
}

// A completion is what a move is recorded with: the agent, if one moves the machine, and the text
// that may be captured. It is kept only then, unless it is kept already.
type completion struct {
	agent, id string
	text      string
	ref       *Ref // of a text that is kept already
}

// An engineError is an error of looplab itself: the state machine did not do what the
// policy says.
type engineError struct{ err error }

func (e engineError) Error() string { return "the state machine failed: " + e.err.Error() }

// fire has looplab follow a trigger from the session's state. Staying in the state is not an error.
func (mv mover) fire(t Trigger, c completion) error {
	m := Move{Trigger: t.Name, Agent: c.agent, AgentID: c.id, From: mv.state().Name}
	engine := loop.NewFSM(m.From, mv.table().transitions, nil)
	err := engine.Event(context.Background(), t.Name)
	m.To = engine.Current()
	switch {
	case err == nil:
		mv.enterState(m.To)
	case !errors.As(err, new(loop.NoTransitionError)):
		return engineError{err}
	}
	mv.takeCompletion(t, c, m)
	return nil
}

// takeCompletion records a move, and takes up what completed: its text, and the plan in it.
func (mv mover) takeCompletion(t Trigger, c completion, m Move) {
	if c.id != "" && t.isWork(m.From) {
		mv.s.Worked = true
	}
	if t.Capture != "" && (c.text != "" || c.ref != nil) {
		m.Capture = t.Capture
		ref := c.ref
		if ref == nil {
			kept := mv.keepText(c.text, c.id)
			ref = &kept
		}
		mv.capture(t.Capture, *ref, c.text)
	}
	r := mv.s.findRun(c.id)
	if r != nil {
		r.Fired, r.Capture = true, m.Capture
	}
	mv.recordMove(m)
	if c.text != "" && !t.Helper && (r != nil || t.Name == PlanApproved) {
		mv.adoptMessage(r, c.text, m.Capture, m.From != m.To)
	}
}

// capture remembers a text under a name, and makes it known to this very event. The map of the
// facts belongs to the caller of Step.
func (mv mover) capture(name string, ref Ref, text string) {
	if mv.s.Captures == nil {
		mv.s.Captures = map[string]Ref{}
	}
	mv.s.Captures[name] = ref
	known := map[string]string{}
	maps.Copy(known, mv.e.Facts.Captured)
	known[name] = text
	mv.e.Facts.Captured = known
}

// isWork reports whether the completion that fires a trigger is work of a state: it stays there,
// and leaves no text behind for others. A second plan does not carry out the first.
func (t Trigger) isWork(state string) bool { return !t.Helper && t.To == state && t.Capture == "" }

// moveWithoutAgent lets something else than an agent move the machine, or notes why not.
func (mv mover) moveWithoutAgent(t Trigger, c completion) {
	if err := mv.fire(t, c); err != nil {
		mv.reportStuck(t.Name, err)
	}
}

// reportStuck notes what kept a trigger from firing. Where the machine itself failed, the person
// and the main agent are notified: its work is done, and the state does not show it.
func (mv mover) reportStuck(trigger string, err error) {
	what := fmt.Sprintf("%s stays: trigger %s: %v", cmp.Or(mv.s.State, noState), trigger, err)
	mv.note("%s", what)
	if errors.As(err, new(engineError)) {
		mv.notify("%s", what)
		mv.queueNotice(PendingNotice{Why: what})
	}
}

// enterState moves the session into a state and clears the captures that the state
// names.
func (mv mover) enterState(name string) {
	to := mv.p.FindState(name)
	if to.Name == "" {
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
	mv.s.refillBudgets(mv.p, "state")
}

func (mv mover) recordMove(m Move) {
	mv.s.Moves++
	mv.Moves = append(mv.Moves, m)
}

// whyUnfinished is why the end of a turn does not yet complete the state: not before its work is done and has
// reached the main agent.
func (mv mover) whyUnfinished() error {
	switch {
	case !mv.s.Worked:
		return errors.New("no agent that it is there for has completed in it")
	case mv.isBusy():
		return errors.New("agents are still running")
	}
	for _, r := range mv.s.Runs {
		if r.Status == Done && !r.Delivered && r.By == "" && r.Fired {
			return fmt.Errorf("the main agent has not yet been given what agent %s (%s) found", r.ID, r.Type)
		}
	}
	return nil
}
