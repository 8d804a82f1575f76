package fsm

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// TurnEnds is the trigger of a state's OnStop, in the words of the config and the
// diagram.
const TurnEnds = "turn ends"

// PlanApproved is the trigger of a state's OnPlan.
const PlanApproved = "plan approved"

// takePrompt: the main agent gets a prompt. A scheduled prompt, a background task's
// notification and what we said ourselves are not a person's.
func (st *step) takePrompt() {
	if st.e.Origin == Own {
		st.d.note("a prompt that repeats what was said to the agent: not a person's")
		return
	}
	if st.e.Origin == Person && st.s.IsScheduled(st.e.Text) {
		st.d.note("a scheduled prompt: not a person's")
		st.announce()
		return
	}
	if st.e.Origin == Notification {
		st.takeNotice(st.e.Notice)
		st.announce()
		return
	}
	isNew, interrupted := st.s.Turn.begin(st.e.Prompt)
	if interrupted {
		st.s.Tasks.Planned = false
		st.d.note("the turn before was interrupted: this one is not held")
	}
	if isNew { // a prompt that is typed while the turn runs ends no call of it
		st.s.Budgets.release("")
		st.s.Agents.dropAdmissions(func(a Admission) bool { return a.isOfMain() && a.How != ByPerson })
	}
	st.s.Budgets.refill(st.p, "prompt")
	st.s.Budgets.Refusals, st.s.Talk.CharsSincePrompt = nil, 0
	planner{st}.readFile()
	if p := st.p.Planning; p.Say != "" && len(findPhrases(p.Words, st.e.Text)) >= p.AtLeast {
		st.d.inject(st.render("planning.say", p.Say, ""))
	}
	m := st.s.Machine
	repeats := st.s.Talk.AnnouncedVisit == m.Visit && m.State != "" && m.State == st.p.Initial
	st.announce()
	if repeats {
		st.d.inject(st.whereItStands())
	}
}

// takeCommand: a person typed a command, which may start an agent without a request.
func (st *step) takeCommand() {
	skill, start := st.e.Tool.Skill, st.e.Tool.Starts
	if skill != "" && start == nil && MatchAgent(st.p.Hold.Skills, skill) {
		st.s.Tasks.Planned = true
	}
	if start != nil {
		m := st.s.Machine
		st.s.Agents.dropAdmissions(func(a Admission) bool { return a.How == ByPerson })
		st.s.Agents.Pending = append(st.s.Agents.Pending,
			Admission{How: ByPerson, Name: start.Name, State: m.State, Visit: m.Visit, Epoch: m.Epoch})
	}
}

// takeNotice: the host reports how a background task ended.
func (st *step) takeNotice(n Notice) {
	st.s.Agents.endWorkflow(n.Task)
	r := st.s.Agents.find(n.Task)
	if r == nil {
		return
	}
	switch {
	case n.Status != "completed" && r.isActive():
		st.failAgent(r, "was "+short(n.Status, 20))
	case n.Status == "completed" && r.Status == Waiting && !st.s.Agents.hasActiveChild(r.ID):
		st.completeWaiting(r)
		r.Delivered = true
	case r.Status == Done:
		r.Delivered = true
	}
}

// stopTurn: the main agent has ended its turn. The host now lists the agents that run.
func (st *step) stopTurn() {
	for _, prompt := range st.e.Crons {
		st.s.Turn.schedule(prompt)
	}
	st.reconcileAgents()
	st.s.Budgets.release("")
	st.s.Agents.dropAdmissions(Admission.isOfMain)
	st.completeAllWaiting()
	st.reportMissingChecks()
	if st.holdTurn() {
		return
	}
	st.s.Turn.end()
	st.s.Tasks.Planned = false
	if !st.isBusy() { // while an agent runs, its work is checked at the end of a later turn
		st.s.Turn.clearEdited()
	}
	if a := st.s.Machine.Approval; a != nil {
		st.d.notify(askPerson(*a))
	} else if st.state().OnStop != "" {
		st.moveOnStop()
	}
}

// completeAllWaiting completes the agents whose own agents have ended, and that the host
// has not woken. Each completion may be what another one waits for.
func (st *step) completeAllWaiting() {
	for again := true; again; {
		again = false
		for i := range st.s.Agents.Runs {
			r := &st.s.Agents.Runs[i]
			if r.Status == Waiting && !st.s.Agents.hasActiveChild(r.ID) &&
				(st.e.Tasks == nil || !st.e.Tasks.has(r.ID)) {
				st.completeWaiting(r)
				again = true
			}
		}
	}
}

// isBusy reports whether an agent runs, by our records or by the host's.
func (st *situation) isBusy() bool { return st.s.Agents.isBusy() || st.e.Tasks.busy() }

// reconcileAgents gives up agents that the host no longer lists. They become active
// again if they show up.
func (st *step) reconcileAgents() {
	listed := st.e.Tasks
	if listed == nil {
		return
	}
	if !listed.Workflow {
		st.s.Agents.Workflows = nil
	}
	for i := range st.s.Agents.Runs {
		r := &st.s.Agents.Runs[i]
		neverListed := listed.Workflow && (r.How == ByWorkflow || r.By == UnknownCaller) ||
			listed.Team && r.Name != ""
		if r.Status == Running && !listed.has(r.ID) && !neverListed {
			st.loseAgent(r, "the host no longer lists it")
		}
	}
}

// moveOnStop lets the turn's end move the machine, if the state's work is done and
// delivered to the main agent.
func (st *step) moveOnStop() {
	in := st.state()
	m := st.p.machine(in.Name, machine{
		find:   in.findTrigger,
		guard:  func(Trigger) error { return st.whyUnfinished() },
		enter:  st.enterState,
		record: func(_ Trigger, m Move) { st.recordMove(m) },
	})
	if !m.engine.Can(TurnEnds) {
		return
	}
	if err := m.fire(TurnEnds); err != nil {
		st.d.note(fmt.Sprintf("%s stays: %v", in.Name, err))
	}
}

// moveOnPlan lets a plan that the user has approved move the machine. What the model says
// of its plan moves nothing.
func (st *step) moveOnPlan() {
	in, text := st.state(), st.e.Tool.Plan
	if in.OnPlan == "" {
		return
	}
	if st.e.Tool.Unasked {
		st.d.note("the client did not ask whether the plan is approved: it moves nothing")
		return
	}
	m := st.p.machine(in.Name, machine{
		find:  in.findTrigger,
		guard: func(Trigger) error { return nil },
		enter: st.enterState,
		record: func(t Trigger, m Move) {
			if t.Capture != "" && text != "" {
				m.Capture = t.Capture
				st.s.Machine.setCapture(t.Capture, st.d.keepText(text, ""))
				st.addCaptured(t.Capture, text)
			}
			st.recordMove(m)
		},
	})
	if err := m.fire(PlanApproved); err != nil {
		st.d.note(fmt.Sprintf("%s stays: %v", in.Name, err))
	}
}

// addCaptured makes a text known that was captured by this very event. The map of the
// facts belongs to the caller of Step.
func (st *step) addCaptured(name, text string) {
	captured := map[string]string{}
	maps.Copy(captured, st.e.Facts.Captured)
	captured[name] = text
	st.e.Facts.Captured = captured
}

// whyUnfinished is why the end of a turn does not yet complete the state.
func (st *situation) whyUnfinished() error {
	switch {
	case !st.s.Machine.Worked:
		return errors.New("no agent that it is there for has completed in it")
	case st.isBusy():
		return errors.New("agents are still running")
	}
	for _, r := range st.s.Agents.Runs {
		if r.Status == Done && !r.Delivered && r.By == "" && r.Fired {
			return fmt.Errorf("the main agent has not yet been given what agent %s (%s) found", r.ID, r.Type)
		}
	}
	return nil
}

// isBinding reports whether the level holds turns and sends agents back.
func (st *situation) isBinding() bool { return st.level >= AskFirst && !st.e.Late }

// holdTurn holds the end of the main agent's turn while there is work left that can be
// done now. A held turn moves nothing. After so many times in a row it ends, and the
// user is notified of what is left.
func (st *step) holdTurn() bool {
	turn := &st.s.Turn
	if !st.e.Held {
		turn.Held = 0
	}
	if !st.canHold() || turn.Interrupted {
		return false
	}
	rule, left := st.workLeft()
	if left == "" {
		return false
	}
	st.d.StrictVerdict = Deny
	if b, ok := st.findBypass(rule); ok {
		st.recordBypass(Objection{Verdict: Deny, StrictVerdict: Deny, Rule: rule}, b)
		return false
	}
	if st.isBinding() && turn.Held < st.p.Hold.Tries {
		turn.Held++
		data := st.templateData("")
		data.Left = left
		say, err := RenderTemplate(st.p.Hold.Say, data)
		if err != nil {
			st.d.note("hold.say: " + err.Error())
		}
		st.hold(rule, turnNotOver(left, say), turn.Held, st.p.Hold.Tries)
		return true
	}
	st.d.note(endsWithWorkLeft(left))
	if st.isBinding() {
		st.d.notify(endedWithWorkLeft(left, turn.Held))
	} else if st.level == Guidance {
		st.d.notify(endsWithWorkLeft(left))
	}
	return false
}

// canHold reports whether the turn may be held: in one of the states, and while no
// agent runs and no person is waited for.
func (st *situation) canHold() bool {
	in := st.p.Hold.States
	return (len(in) == 0 || slices.Contains(in, st.s.Machine.State)) && !st.isBusy() && st.s.Machine.Approval == nil
}

// workLeft is what is left to do before a turn may end, and the rule that asks for it.
func (st *step) workLeft() (rule, left string) {
	var parts []string
	for _, until := range st.p.Hold.Until {
		text := ""
		switch until {
		case "graph":
			if g, ok := (planner{st}).graph(); ok {
				text = phasesLeft(g, *st.s.Tasks.Progress)
			}
		case "tasks":
			text = tasksLeft(st.s.Tasks.Open)
		case "plan":
			if st.s.Tasks.Planned {
				text = planNotBegun
			}
		case "checks":
			text = checksFailed(st.e.Facts.Checks)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	rule = RuleHold
	if gate, r := st.p.Hold.Gate, st.e.Facts.Gate; gate != nil && r != nil &&
		r.Key == st.s.Machine.gateKey(TurnEnds) && !r.OK {
		if len(parts) == 0 {
			rule = RuleGate
		}
		parts = append(parts, gateFailed(gate.Run, r.Output))
	}
	return rule, strings.Join(parts, " ")
}
