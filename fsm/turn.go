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
func (h handler) takePrompt() {
	if h.e.Origin == Own {
		h.note("a prompt that repeats what was said to the agent: not a person's")
		return
	}
	if h.e.Origin == Person && h.s.IsScheduled(h.e.Text) {
		h.note("a scheduled prompt: not a person's")
		h.announceState()
		return
	}
	if n := h.e.Notice; h.e.Origin == Notification { // the host reports how a background task ended
		h.s.endWorkflow(n.Task)
		switch r := h.s.findByName(n.Task); {
		case r == nil:
		case n.Status != "completed" && r.isActive():
			h.failAgent(r, "was "+short(n.Status, 20))
		case n.Status == "completed" && r.Status != Running: // if it waits, it is over when its own agents are
			r.Delivered = true
		}
		h.announceState()
		return
	}
	isNew, interrupted := h.s.Turn.begin(h.e.Prompt)
	if interrupted {
		h.s.Planned = false
		h.loseAgents(func(r *Run) bool { // the members of a team and the user's own forks go on
			return r.isOfMain() && !r.Background && !r.Teammate && r.How != ByPerson
		}, "the user interrupted the turn that had started it")
		h.note("the turn before was interrupted: this one is not held")
	}
	if isNew { // a prompt that is typed while the turn runs ends no call of it
		h.s.releaseBudgets("")
		h.s.dropAdmitted(func(r Run) bool { return r.isOfMain() && r.How != ByPerson })
		h.beginTask()
	}
	h.takeCommand() // of a host that has no event for it
	h.s.refillBudgets(h.p, "prompt")
	h.s.Refusals, h.s.CharsSincePrompt = nil, 0
	h.readFile()
	if p := h.p.Planning; p.Say != "" && len(findPhrases(p.Words, h.e.Text)) >= p.AtLeast {
		h.inject(h.render("planning.say", p.Say, TemplateData{}))
	}
	m := h.s.Machine
	repeats := h.s.AnnouncedVisit == m.Visit && m.State != "" && m.State == h.p.Initial
	h.announceState()
	if repeats {
		h.inject(h.whereItStands())
	}
}

// beginTask begins a new task, where the one before is done or none has begun. What was captured
// for the one before is forgotten: a plan is for one task. A state stands at the end of a task where the end of a
// turn leads there, and an agent that leads out of the initial state leads out of it too.
func (h handler) beginTask() {
	here, state := h.state(), h.s.State
	first := h.p.FindState(h.p.Initial)
	isEnd := slices.ContainsFunc(h.p.States, func(s State) bool { return s.OnStop == state }) &&
		slices.ContainsFunc(here.Triggers, func(t Trigger) bool {
			return !t.Helper && t.To != state && slices.ContainsFunc(first.Triggers, func(f Trigger) bool {
				return !f.Helper && f.To != first.Name && slices.Equal(f.Agents, t.Agents)
			})
		})
	switch {
	case isEnd:
		h.s.dropGraph()
		h.s.Captures, h.s.Planned = nil, false
	case state != h.p.Initial:
		return
	}
	h.s.refillBudgets(h.p, "task")
}

// takeCommand: a person typed a command, which may start an agent without a request.
func (h handler) takeCommand() {
	skill, start := h.e.Tool.Skill, h.e.Tool.Starts
	if skill != "" && start == nil && MatchAgent(h.p.Hold.Skills, skill) {
		h.s.Planned = true
	}
	if start != nil {
		m := h.s.Machine
		h.s.dropAdmitted(func(r Run) bool { return r.How == ByPerson })
		h.s.admitRun(Run{How: ByPerson, Name: start.Name, State: m.State, Visit: m.Visit, Epoch: m.Epoch})
	}
}

// stopTurn: the main agent has ended its turn. The host now lists the agents that run.
func (h handler) stopTurn() {
	for _, prompt := range h.e.Crons {
		h.s.schedule(prompt)
	}
	h.reconcileAgents()
	h.s.releaseBudgets("")
	h.s.dropAdmitted(Run.isOfMain)
	h.completeWaiting(func(r *Run) bool {
		return h.e.Tasks == nil || !slices.Contains(h.e.Tasks.IDs, r.ID)
	})
	h.reportMissingChecks()
	if h.holdTurn() {
		return
	}
	h.s.Turn.end()
	h.s.Planned = false
	if !h.isBusy() { // while an agent runs, its work is checked at the end of a later turn
		h.s.clearEdited()
	}
	if h.s.Approval != nil {
		h.askPerson()
	} else if to := h.state().OnStop; to != "" {
		if why := h.whyUnfinished(); why != "" {
			h.reportStuck(TurnEnds, why)
		} else {
			h.move(Trigger{Name: TurnEnds, To: to}, Move{}, "", Ref{})
		}
	}
}

// isBusy reports whether an agent runs, by our records or by the host's.
func (st *situation) isBusy() bool {
	t := st.e.Tasks
	return slices.ContainsFunc(st.s.Runs, Run.isActive) ||
		t != nil && (len(t.IDs) > 0 || t.Workflow || t.Team)
}

// isBinding reports whether the level holds turns and sends agents back.
func (st *situation) isBinding() bool { return st.level >= AskFirst && !st.e.Late }

// holdTurn holds the end of the main agent's turn while there is work left that can be
// done now. A held turn moves nothing. After so many times in a row it ends, and the
// user is notified of what is left.
func (h handler) holdTurn() bool {
	turn := &h.s.Turn
	if !h.e.Held {
		turn.Held = 0
	}
	if !h.canHold() || turn.Interrupted {
		return false
	}
	rule, left := h.workLeft()
	if left == "" || h.isHoldBypassed(rule) {
		return false
	}
	if h.isBinding() && turn.Held < h.p.Hold.Tries {
		turn.Held++
		why := strings.TrimSpace("The turn is not over yet. " + left + " " +
			strings.TrimSpace(h.render("hold.say", h.p.Hold.Say, TemplateData{Left: left})))
		h.holdBack(rule, why, turn.Held, h.p.Hold.Tries)
		return true
	}
	const ends = "the turn ends with work left: %s"
	h.note(ends, short(left, 300))
	if h.isBinding() {
		h.notify("the turn ended with work left, after it was held %s: %s", timesText(turn.Held), short(left, 300))
	} else if h.level == Guidance {
		h.notify(ends, short(left, 300))
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
func (h handler) workLeft() (rule, left string) {
	var parts []string
	for _, until := range h.p.Hold.Until {
		text := ""
		switch until {
		case "graph":
			g, pr, _ := h.currentGraph()
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
			for _, o := range h.s.Tasks.Open {
				names = append(names, strings.TrimSpace(o.ID+" "+o.Subject))
			}
			if len(names) > 0 {
				text = countOf(len(names), "task of the task list is", "tasks of the task list are") + " open: " +
					listShort(names, 300) + "."
			}
		case "plan":
			if h.s.Planned {
				text = "The plan has not begun: no agent was started for it."
			}
		case "checks":
			text = checksFailed(h.e.Facts.Checks)
		}
		if text != "" {
			parts = append(parts, text)
		}
	}
	rule = RuleHold
	if gate := h.p.Hold.Gate; gate != nil {
		if r := h.findResult(gate, TurnEnds); r != nil && !r.OK {
			if len(parts) == 0 {
				rule = RuleGate
			}
			parts = append(parts, gateFailed(gate.Run, r.Output))
		}
	}
	return rule, strings.Join(parts, " ")
}
