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
	switch why := mv.whyGated(t); {
	case why == "":
		mv.move(t, Move{Agent: r.Type, AgentID: r.ID}, text, Ref{})
	case t.Gate.Person != "":
		mv.awaitPerson(r, t, text)
	default:
		mv.reportStuck(t.Name, why)
		how := "could not be tried"
		if mv.findResult(t.Gate, t.Name) != nil {
			how = "does not succeed"
		}
		stays.Why = fmt.Sprintf("came back, and %q %s", short(t.Gate.Run, 60), how)
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

// move has looplab follow a trigger from the session's state, records it with the agent that it names, if one moves
// the machine, and takes up the text that completed and the plan in it. The text is kept if it is captured, unless it
// has been kept already. Staying in the state is not an error. Where looplab itself fails, the state machine did not do
// what the policy says: the person and the main agent are notified, since its work is done and the state does not
// show it.
func (mv mover) move(t Trigger, m Move, text string, kept Ref) {
	m.Trigger, m.From = t.Name, mv.state().Name
	engine := loop.NewFSM(m.From, mv.table().transitions, nil)
	err := engine.Event(context.Background(), t.Name)
	m.To = engine.Current()
	switch {
	case err == nil:
		mv.enterState(m.To)
	case !errors.As(err, new(loop.NoTransitionError)):
		what := mv.reportStuck(t.Name, "the state machine failed: "+err.Error())
		mv.notify("%s", what)
		mv.queueNotice(PendingNotice{Why: what})
		return
	}
	if m.AgentID != "" && t.isWork(m.From) {
		mv.s.Worked = true
	}
	if t.Capture != "" && (text != "" || kept.Hash != "") {
		m.Capture = t.Capture
		if kept.Hash == "" {
			kept = mv.keepText(text, m.AgentID)
		}
		mv.capture(t.Capture, kept, text)
	}
	r := mv.s.findRun(m.AgentID)
	if r != nil {
		r.Fired, r.Capture = true, m.Capture
	}
	mv.recordMove(m)
	if text != "" && !t.Helper && (r != nil || t.Name == PlanApproved) {
		mv.adoptMessage(r, text, m.Capture, m.From != m.To)
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

// reportStuck notes what kept a trigger from firing.
func (mv mover) reportStuck(trigger, why string) (what string) {
	what = fmt.Sprintf("%s stays: trigger %s: %s", cmp.Or(mv.s.State, noState), trigger, why)
	mv.note("%s", what)
	return what
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
// reached the main agent. Empty if it does.
func (mv mover) whyUnfinished() string {
	switch {
	case !mv.s.Worked:
		return "no agent that it is there for has completed in it"
	case mv.isBusy():
		return "agents are still running"
	}
	for _, r := range mv.s.Runs {
		if r.Status == Done && !r.Delivered && r.By == "" && r.Fired {
			return fmt.Sprintf("the main agent has not yet been given what agent %s (%s) found", r.ID, r.Type)
		}
	}
	return ""
}
