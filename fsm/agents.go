package fsm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// startAgent takes up an agent that has started. It can no longer be refused; an agent
// that was not admitted is quarantined, and its tool calls are refused.
func (tr tracker) startAgent() {
	isNew := true
	r := tr.s.Agents.find(tr.e.Agent.ID)
	if r == nil {
		r = tr.addAgent()
	} else {
		isNew = tr.resumeAgent(r)
		if pr := tr.s.Tasks.Progress; pr != nil && pr.MayResume(r.ID) {
			tr.planner().beginPhase(r)
		}
	}
	if r.Quarantined != "" {
		if tr.objectToQuarantined(*r); tr.d.Verdict > Pass {
			tr.d.inject(tr.d.Reason)
		}
		return
	}
	if r.By != "" && r.By != unknownCaller {
		return
	}
	tr.s.Tasks.Planned = false
	if isNew {
		if r.By == "" {
			tr.s.Budgets.refill(tr.p, "delegate")
		}
		tr.d.inject(tr.speaker().renderBrief(r.Type))
	}
}

// resumeAgent: the same id starts once more, woken by a message or by an agent that it
// had started. It reports whether it needs a new brief.
func (tr tracker) resumeAgent(r *Run) (needsBrief bool) {
	if a, ok := tr.s.Agents.takeAdmission(func(a Admission) bool { return a.ID == r.ID }); ok {
		needsBrief = r.Visit != a.Visit
		r.Quarantined, r.Returned, r.State = "", 0, cmp.Or(a.State, r.State)
		if !r.Fired {
			r.Visit, r.Epoch = a.Visit, a.Epoch
		}
	}
	if r.Status == Lost {
		tr.d.note(r.label() + " was given up as lost and runs")
	}
	r.Status, r.Final = Running, nil
	return needsBrief
}

// label names a run in the record.
func (r *Run) label() string { return fmt.Sprintf("agent %s (%s)", r.ID, r.Type) }

// addAgent makes a run of an agent that was not seen before, by the admission it fits
// or by what the state allows.
func (tr tracker) addAgent() *Run {
	who := tr.e.Agent
	r := Run{ID: who.ID, Type: who.Type, Teammate: who.Teammate, Status: Running, By: unknownCaller,
		State: tr.s.Machine.State, Visit: tr.s.Machine.Visit, Epoch: tr.s.Machine.Epoch}
	a, found := tr.s.takeAdmission(who)
	if found {
		r.How, r.By, r.UseID, r.Visit, r.Epoch, r.Name = a.How, a.By, a.UseID, a.Visit, a.Epoch, a.Name
		r.State = cmp.Or(a.State, r.State)
		if a.How == ByAgent && !sameAgent(a.Type, who.Type) {
			r.Type = a.Type // a teammate: its host gives its name as its type
		}
	}
	if r.By == unknownCaller && who.Parent != "" {
		if r.By = who.Parent; who.Parent == tr.s.ID {
			r.By = ""
		}
	}
	if r.By != unknownCaller {
		r.Depth = tr.depthOf(r.By) + 1
	}
	if !tr.isAdmitted(a, found, r.Type) {
		r.Quarantined = orNone(tr.s.Machine.State)
		tr.d.note(r.label() + " started without admission")
	}
	if !found && tr.s.Agents.Forgotten > 0 { // it may be one of those, which moves nothing twice
		r.Fired = true
	}
	tr.s.addRun(r)
	added := tr.s.Agents.find(r.ID)
	tr.planner().beginPhase(added)
	return added
}

// isAdmitted checks once more, by the canonical name: a spelling that passed as a
// request must not admit another agent.
func (tr tracker) isAdmitted(a Admission, found bool, agent string) bool {
	if len(tr.p.States) == 0 || found && (a.DespiteObjection || a.How != ByAgent) {
		return true
	}
	in := tr.state()
	if found {
		in, _ = tr.p.FindState(a.State)
	}
	_, ok := in.Admits(agent)
	return ok
}

// stopAgent: an agent has come back. The evidence decides whether that completes it.
func (tr tracker) stopAgent() {
	r := tr.s.Agents.find(tr.e.Agent.ID)
	if r == nil {
		if r = tr.findOnDisk(); r == nil {
			tr.d.note(fmt.Sprintf("phantom: agent %s (%q) stopped and was never started", tr.e.Agent.ID,
				tr.e.Agent.Type))
			return
		}
	}
	r.correctParent(tr.e.Facts.Spawn)
	switch text := strings.TrimSpace(tr.e.Text); {
	case r.Quarantined != "":
		r.Status = Done
		tr.d.note(r.label() + " was not admitted: it moves nothing")
		tr.mover().reportUncounted(r, notAdmitted)
	case text == "":
		tr.failAgent(r, returnedNothing)
	case tr.reportsFailure(text):
		tr.failAgent(r, reportedFailure)
	case tr.s.Agents.hasActiveChild(r.ID):
		ref := tr.d.keepText(text, r.ID)
		r.Status, r.Final = Waiting, &ref
		tr.d.note(r.label() + " stopped while an agent of its own runs")
	case tr.sendBack(r, text):
		if tr.d.Hold {
			return // it goes on
		}
	default:
		tr.mover().completeAgent(r, text)
		tr.planner().adoptMessage(r, text)
		if r.By == "" {
			tr.s.Talk.queueNotice(tr.speaker().remind("remind.after_agent", tr.p.Remind.AfterAgent, r.Type))
		}
	}
	tr.s.Agents.dropAdmissions(func(a Admission) bool { return a.By == r.ID })
	tr.s.Budgets.release(r.ID)
}

// findOnDisk makes a run of an agent whose start we missed and that the host's files
// name.
func (tr tracker) findOnDisk() *Run {
	if tr.e.Facts.Spawn == nil || tr.e.Agent.Type == "" {
		return nil
	}
	tr.d.note(fmt.Sprintf("agent %s (%s) was not seen to start; the host's files name it", tr.e.Agent.ID,
		tr.e.Agent.Type))
	return tr.addAgent()
}

// reportsFailure reports whether a final message is one of a failed agent.
func (tr tracker) reportsFailure(text string) bool {
	return slices.ContainsFunc(tr.p.Fails, func(f string) bool { return findSubmatch(f, text) != nil })
}

// failAgent ends a run that moves nothing, and says so where it could have moved
// something.
func (tr tracker) failAgent(r *Run, why string) {
	r.Status, r.Final = Failed, nil
	tr.s.Tasks.finishAgent(r.ID, false)
	tr.d.note(r.label() + " " + why + ": it moves nothing")
	if tr.state().hasWorker(r.Type) && r.By == "" && r.Quarantined == "" {
		tr.s.Talk.queueNotice(startAgain(r.Type, why, tr.s.Machine.State))
	}
}

func (tr tracker) loseAllAgents(why string) {
	for i := range tr.s.Agents.Runs {
		if r := &tr.s.Agents.Runs[i]; r.isActive() {
			tr.loseAgent(r, why)
		}
	}
}

func (tr tracker) loseAgent(r *Run, why string) {
	r.Status, r.Final = Lost, nil
	tr.s.Tasks.freeAgent(r.ID)
	tr.d.note(r.label() + " is lost: " + why)
}

// correctParent corrects which agent started a run, by the host's own note.
func (r *Run) correctParent(spawn *Spawn) {
	if spawn == nil || r.How == ByWorkflow {
		return
	}
	switch {
	case spawn.ParentID != "":
		r.By = spawn.ParentID
	case spawn.Depth == 1 && spawn.UseID != "":
		r.By = ""
	case spawn.Depth > 1 && r.By == "":
		r.By = unknownCaller
	}
	if spawn.UseID != "" {
		r.UseID = spawn.UseID
	}
	if spawn.Depth > 0 {
		r.Depth = spawn.Depth
	}
}

// takeAdmission finds what admitted the agent, the surest first: its id, its type, its
// name, a workflow, a person. An admission of an earlier visit or epoch comes after those
// of this one, and one whose agent has ended after those that are still awaited. Else a
// start by the main agent would count as another one, and move nothing.
func (s *Session) takeAdmission(who Agent) (Admission, bool) {
	agents, m := &s.Agents, s.Machine
	if a, ok := agents.takeAdmission(func(a Admission) bool { return a.ID != "" && a.ID == who.ID }); ok {
		return a, true
	}
	fits := []func(Admission) bool{
		func(a Admission) bool { return a.ID == "" && a.How == ByAgent && sameAgent(a.Type, who.Type) },
		func(a Admission) bool {
			return a.ID == "" && a.How == ByAgent && a.Name != "" && sameAgent(a.Name, who.Type)
		},
		func(a Admission) bool { return a.How == BySkill && sameAgent(a.Type, who.Type) },
	}
	isCurrent := func(a Admission) bool { return a.Visit == m.Visit && a.Epoch == m.Epoch }
	for _, isPreferred := range []func(Admission) bool{
		func(a Admission) bool { return isCurrent(a) && agents.isAwaited(a) }, agents.isAwaited, isCurrent,
		func(Admission) bool { return true },
	} {
		for _, fit := range fits {
			if a, ok := agents.takeAdmission(func(a Admission) bool { return isPreferred(a) && fit(a) }); ok {
				return a, true
			}
		}
	}
	if len(agents.Workflows) > 0 {
		return Admission{How: ByWorkflow, UseID: agents.Workflows[0].UseID, By: unknownCaller, Visit: m.Visit,
			Epoch: m.Epoch}, true
	}
	if a, ok := agents.takeAdmission(func(a Admission) bool { return a.How == ByPerson }); ok {
		return a, true
	}
	if who.Type == "fork" { // the model requests its own forks at PreToolUse; any other fork is the user's
		return Admission{How: ByPerson, Visit: m.Visit, Epoch: m.Epoch}, true
	}
	return Admission{}, false
}

// reconcileAgents gives up agents that the host no longer lists. They become active
// again if they show up.
func (tr tracker) reconcileAgents() {
	listed := tr.e.Tasks
	if listed == nil {
		return
	}
	if !listed.Workflow {
		tr.s.Agents.Workflows = nil
	}
	for i := range tr.s.Agents.Runs {
		r := &tr.s.Agents.Runs[i]
		neverListed := listed.Workflow && (r.How == ByWorkflow || r.By == unknownCaller) ||
			listed.Team && r.Name != ""
		if r.Status == Running && !listed.has(r.ID) && !neverListed {
			tr.loseAgent(r, "the host no longer lists it")
		}
	}
}

// bindAgent ties a call to the agent that it started, now that the host has named it.
func (tr tracker) bindAgent() {
	t, a := tr.e.Tool, &tr.s.Agents
	if t.Starts == nil {
		return
	}
	if t.Starts.How == ByWorkflow {
		for i := range a.Workflows {
			if a.Workflows[i].UseID == t.UseID {
				a.Workflows[i].Task = t.Result.Task
			}
		}
		return
	}
	if r := a.find(t.Result.AgentID); r != nil {
		if t.Starts.How == ByAgent {
			r.UseID, r.By = t.UseID, tr.e.Agent.ID
		}
		if t.Result.Done {
			r.Delivered = true
			if r.Status == Running { // the call is over, and we saw no end of the agent
				tr.failAgent(r, wasCutShort)
			}
		}
		return
	}
	for i := range a.Pending { // without a call's id it is not known which
		if t.UseID != "" && a.Pending[i].UseID == t.UseID && !t.Result.Done {
			a.Pending[i].ID = t.Result.AgentID
		}
	}
}

// isLaunchOf reports whether the call only sent the agent into the background. The
// agent may have come back already, and its result is still on its way.
func (tr tracker) isLaunchOf(r *Run) bool {
	t := tr.e.Tool
	return !t.Result.Done && (t.UseID != "" && r.UseID == t.UseID || t.Result.AgentID == r.ID)
}
