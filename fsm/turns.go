package fsm

import (
	"errors"
	"fmt"
)

// prompt: somebody spoke to the main agent. A notification is a background task's, not a person's.
func (st *step) prompt() {
	if st.e.Origin == Person && st.scheduled(st.e.Text) {
		st.d.note("a scheduled prompt: not a person's")
		st.speak()
		return
	}
	if st.e.Origin == Notification {
		st.notified(st.e.Notice)
		st.speak()
		return
	}
	st.turnBegins()
	st.release("")
	st.refill("prompt", "")
	st.s.Budgets.Refusals, st.s.Talk.CharsSincePrompt = nil, 0
	for i := range st.s.Agents.Pending { // a turn that was broken off ends without a word from the host
		st.s.Agents.Pending[i].Stale = true
	}
	st.fromFile()
	st.plans(st.e.Text)
	again := st.s.Talk.AnnouncedVisit == st.s.Machine.Visit && st.s.Machine.State != "" && st.s.Machine.State == st.p.Initial
	st.speak()
	if again {
		st.inject(stands(st.s.Machine.State, st.p.NextAgents(st.s.Machine.State)))
	}
}

// promptExpansion: a person typed a command, which may start an agent of its own without asking anybody.
func (st *step) promptExpansion() {
	if skill := st.e.Tool.Skill; skill != "" && st.e.Tool.Starts == nil && MatchAgent(st.p.Hold.Skills, skill) {
		st.s.Tasks.Planned = true
	}
	if start := st.e.Tool.Starts; start != nil {
		st.s.drop(func(a Admission) bool { return a.How == ByPerson })
		st.s.Agents.Pending = append(st.s.Agents.Pending, Admission{How: ByPerson, Name: start.Name, State: st.s.Machine.State, Visit: st.s.Machine.Visit, Epoch: st.s.Machine.Epoch})
	}
}

// notified: the host tells the main agent how a background task ended.
func (st *step) notified(n Notice) {
	st.endFlow(n.Task)
	r := st.s.run(n.Task)
	if r == nil {
		return
	}
	switch {
	case n.Status != "completed" && r.active():
		st.fail(r, "was "+short(n.Status, 20))
	case n.Status == "completed" && r.Status == Waiting && !st.s.parents(r.ID):
		st.mature(r)
		r.Delivered = true
	case r.Status == Done:
		r.Delivered = true
	}
}

// turnStop: the main agent has ended its turn. This is when we learn who is still there.
func (st *step) turnStop() {
	for _, c := range st.e.Crons {
		st.schedule(c)
	}
	st.reconcile()
	st.release("")
	st.s.drop(func(a Admission) bool { return a.By == "" })
	st.ripen()
	st.missing()
	if st.heldTurn() {
		return
	}
	st.turnOver()
	if st.s.Tasks.Planned = false; !st.s.busy() && !st.e.Tasks.busy() {
		st.s.Turn.Edited = nil // while an agent runs the work goes on, and is checked at the end of a later turn
	}
	if st.state().OnStop != "" {
		st.turnEnds()
	}
}

// reconcile gives up agents that the host no longer lists. They are remembered, and come back to life if they show up.
func (st *step) reconcile() {
	tasks := st.e.Tasks
	if tasks == nil {
		return
	}
	if !tasks.Workflow {
		st.s.Agents.Workflows = nil
	}
	for i := range st.s.Agents.Runs {
		r := &st.s.Agents.Runs[i]
		unlisted := tasks.Workflow && (r.How == ByWorkflow || r.By == UnknownCaller) || tasks.Team && r.Name != ""
		if r.Status == Running && !tasks.has(r.ID) && !unlisted {
			st.lose(r, "the host no longer lists it")
		}
	}
}

// turnEnds lets the end of the turn move the machine, if the work of this state is done and known to the main agent.
func (st *step) turnEnds() {
	in := st.state()
	m := st.p.machine(in.Name, machine{
		find:   in.trigger,
		guard:  func(Trigger) error { return st.unfinished() },
		enter:  st.enter,
		record: func(_ Trigger, m Move) { st.moved(m) },
	})
	if !m.engine.Can(TurnEnds) {
		return
	}
	if err := m.fire(TurnEnds); err != nil {
		st.d.note(fmt.Sprintf("%s stays: %v", in.Name, err))
	}
}

// unfinished is why the end of a turn does not yet complete the state.
func (st *step) unfinished() error {
	switch {
	case !st.s.Machine.Worked:
		return errors.New("no agent that it is there for has completed in it")
	case st.s.busy() || st.e.Tasks.busy():
		return errors.New("agents are still running")
	}
	for _, r := range st.s.Agents.Runs {
		if r.Status == Done && !r.Delivered && r.By == "" && r.Fired {
			return fmt.Errorf("the main agent has not yet been given what agent %s (%s) found", r.ID, r.Type)
		}
	}
	return nil
}
