package fsm

import (
	"fmt"
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
		st.announceState()
		return
	}
	if n := st.e.Notice; st.e.Origin == Notification { // the host reports how a background task ended
		st.s.Agents.endWorkflow(n.Task)
		switch r := st.s.Agents.findByName(n.Task); {
		case r == nil:
		case n.Status != "completed" && r.isActive():
			st.tracker().failAgent(r, "was "+short(n.Status, 20))
		case n.Status == "completed" && r.Status != Running: // if it waits, it is over when its own agents are
			r.Delivered = true
		}
		st.announceState()
		return
	}
	isNew, interrupted := st.s.Turn.begin(st.e.Prompt)
	if interrupted {
		st.s.Tasks.Planned = false
		st.tracker().loseAgents(func(r *Run) bool { // the members of a team and the user's own forks go on
			return r.isOfMain() && !r.Background && !r.Teammate && r.How != ByPerson
		}, "the user interrupted the turn that had started it")
		st.d.note("the turn before was interrupted: this one is not held")
	}
	if isNew { // a prompt that is typed while the turn runs ends no call of it
		st.s.Budgets.release("")
		st.s.Agents.dropAdmitted(func(r Run) bool { return r.isOfMain() && r.How != ByPerson })
		st.beginTask()
	}
	st.takeCommand() // of a host that has no event for it
	st.s.Budgets.refill(st.p, "prompt")
	st.s.Budgets.Refusals, st.s.Talk.CharsSincePrompt = nil, 0
	st.mover().readFile()
	if p := st.p.Planning; p.Say != "" && len(findPhrases(p.Words, st.e.Text)) >= p.AtLeast {
		st.d.inject(st.render("planning.say", p.Say, TemplateData{}))
	}
	m := st.s.Machine
	repeats := st.s.Talk.AnnouncedVisit == m.Visit && m.State != "" && m.State == st.p.Initial
	st.announceState()
	if repeats {
		st.d.inject(st.whereItStands())
	}
}

// beginTask begins a new task, where the one before is done or none has begun. What was captured
// for the one before is forgotten: a plan is for one task. A state stands at the end of a task where the end of a
// turn leads there, and an agent that leads out of the initial state leads out of it too.
func (st *step) beginTask() {
	here, state := st.state(), st.s.State
	first, _ := st.p.FindState(st.p.Initial)
	isEnd := slices.ContainsFunc(st.p.States, func(s State) bool { return s.OnStop == state }) &&
		slices.ContainsFunc(here.Triggers, func(t Trigger) bool {
			return !t.Helper && t.To != state && slices.ContainsFunc(first.Triggers, func(f Trigger) bool {
				return !f.Helper && f.To != first.Name && slices.Equal(f.Agents, t.Agents)
			})
		})
	switch {
	case isEnd:
		st.s.dropGraph()
		st.s.Captures, st.s.Tasks.Planned = nil, false
	case state != st.p.Initial:
		return
	}
	st.s.Budgets.refill(st.p, "task")
}

// takeCommand: a person typed a command, which may start an agent without a request.
func (st *step) takeCommand() {
	skill, start := st.e.Tool.Skill, st.e.Tool.Starts
	if skill != "" && start == nil && MatchAgent(st.p.Hold.Skills, skill) {
		st.s.Tasks.Planned = true
	}
	if start != nil {
		m := st.s.Machine
		st.s.Agents.dropAdmitted(func(r Run) bool { return r.How == ByPerson })
		st.s.Agents.admit(Run{How: ByPerson, Name: start.Name, State: m.State, Visit: m.Visit, Epoch: m.Epoch})
	}
}

// stopTurn: the main agent has ended its turn. The host now lists the agents that run.
func (st *step) stopTurn() {
	for _, prompt := range st.e.Crons {
		st.s.Turn.schedule(prompt)
	}
	st.tracker().reconcileAgents()
	st.s.Budgets.release("")
	st.s.Agents.dropAdmitted(Run.isOfMain)
	st.tracker().completeWaiting(func(r *Run) bool {
		return st.e.Tasks == nil || !slices.Contains(st.e.Tasks.IDs, r.ID)
	})
	st.reportMissingChecks()
	if st.holdTurn() {
		return
	}
	st.s.Turn.end()
	st.s.Tasks.Planned = false
	if !st.isBusy() { // while an agent runs, its work is checked at the end of a later turn
		st.s.Turn.clearEdited()
	}
	if a := st.s.Approval; a != nil {
		st.d.notify(askPerson(*a, st.e.Host))
	} else if to := st.state().OnStop; to != "" {
		st.mover().moveWithoutAgent(Trigger{Name: TurnEnds, To: to}, completion{}, st.mover().whyUnfinished)
	}
}

// isBusy reports whether an agent runs, by our records or by the host's.
func (st *situation) isBusy() bool {
	t := st.e.Tasks
	return slices.ContainsFunc(st.s.Agents.Runs, Run.isActive) ||
		t != nil && (len(t.IDs) > 0 || t.Workflow || t.Team)
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
	if left == "" || st.isHoldBypassed(rule) {
		return false
	}
	if st.isBinding() && turn.Held < st.p.Hold.Tries {
		turn.Held++
		why := strings.TrimSpace("The turn is not over yet. " + left + " " +
			strings.TrimSpace(st.render("hold.say", st.p.Hold.Say, TemplateData{Left: left})))
		st.holdBack(rule, why, turn.Held, st.p.Hold.Tries)
		return true
	}
	ends := "the turn ends with work left: " + short(left, 300)
	st.d.note(ends)
	if st.isBinding() {
		st.d.notify("the turn ended with work left, after it was held " + timesText(turn.Held) + ": " +
			short(left, 300))
	} else if st.level == Guidance {
		st.d.notify(ends)
	}
	return false
}

// canHold reports whether the turn may be held: in one of the states, and while no
// agent runs and no person is waited for.
func (st *situation) canHold() bool {
	in := st.p.Hold.States
	return (len(in) == 0 || slices.Contains(in, st.s.State)) && !st.isBusy() && st.s.Approval == nil
}

// workLeft is what is left to do before a turn may end, and the rule that asks for it.
func (st *step) workLeft() (rule, left string) {
	var parts []string
	for _, until := range st.p.Hold.Until {
		text := ""
		switch until {
		case "graph":
			g, pr, _ := st.mover().currentGraph()
			if left := g.Left(pr); len(left) > 0 {
				text = fmt.Sprintf("%d of %d phases of the plan are not done: %s", len(left), len(g.Phases),
					listShort(left, 300))
				if ready := g.Describe(g.Ready(pr)); len(ready) > 0 {
					text += "; ready now: " + listShort(ready, 200)
				}
				text += "."
			}
		case "tasks":
			var names []string
			for _, o := range st.s.Tasks.Open {
				names = append(names, strings.TrimSpace(o.ID+" "+o.Subject))
			}
			if len(names) > 0 {
				text = countOf(len(names), "task of the task list is", "tasks of the task list are") + " open: " +
					listShort(names, 300) + "."
			}
		case "plan":
			if st.s.Tasks.Planned {
				text = "The plan has not begun: no agent was started for it."
			}
		case "checks":
			text = checksFailed(st.e.Facts.Checks)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	rule = RuleHold
	if gate := st.p.Hold.Gate; gate != nil {
		if r := st.findResult(gate, TurnEnds); r != nil && !r.OK {
			if len(parts) == 0 {
				rule = RuleGate
			}
			parts = append(parts, gateFailed(gate.Run, r.Output))
		}
	}
	return rule, strings.Join(parts, " ")
}
