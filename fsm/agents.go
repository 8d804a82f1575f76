package fsm

import (
	"fmt"
	"regexp"
	"strings"
)

// startAgent takes up an agent that has started. It can no longer be refused; an agent
// that was not admitted is quarantined, and its tool calls are refused.
func (st *step) startAgent() {
	isNew := true
	r := st.s.Agents.find(st.e.Agent.ID)
	if r == nil {
		r = st.addAgent()
	} else {
		isNew = st.resumeAgent(r)
		if pr := st.s.Tasks.Progress; pr != nil && pr.MayResume(r.ID) {
			planner{st}.begin(r)
		}
	}
	if r.Quarantined != "" {
		if st.objectToQuarantined(*r); st.d.Verdict > Pass {
			st.d.inject(st.d.Reason)
		}
		return
	}
	if r.By != "" && r.By != UnknownCaller {
		return
	}
	st.s.Tasks.Planned = false
	if isNew {
		if r.By == "" {
			st.s.Budgets.refill(st.p, "delegate")
		}
		st.d.inject(st.renderBrief(r.Type))
	}
}

// resumeAgent: the same id starts once more, woken by a message or by an agent that it
// had started. It reports whether it needs a new brief.
func (st *step) resumeAgent(r *Run) (needsBrief bool) {
	if a, ok := st.s.Agents.takeAdmission(func(a Admission) bool { return a.ID == r.ID }); ok {
		needsBrief = r.Visit != a.Visit
		r.Quarantined, r.Returned = "", 0
		if !r.Fired {
			r.Visit, r.Epoch = a.Visit, a.Epoch
		}
	}
	if r.Status == Lost {
		st.d.note(r.label() + " was given up as lost and runs")
	}
	r.Status, r.Final = Running, nil
	return needsBrief
}

// label names a run in the record.
func (r *Run) label() string { return fmt.Sprintf("agent %s (%s)", r.ID, r.Type) }

// addAgent makes a run of an agent that was not seen before, by the admission it fits
// or by what the state allows.
func (st *step) addAgent() *Run {
	who := st.e.Agent
	r := Run{ID: who.ID, Type: who.Type, Teammate: who.Teammate, Status: Running, By: UnknownCaller,
		Visit: st.s.Machine.Visit, Epoch: st.s.Machine.Epoch}
	a, found := st.s.takeAdmission(who)
	if found {
		r.How, r.By, r.UseID, r.Visit, r.Epoch, r.Name = a.How, a.By, a.UseID, a.Visit, a.Epoch, a.Name
		if a.How == ByAgent && !sameAgent(a.Type, who.Type) {
			r.Type = a.Type // a teammate: its host gives its name as its type
		}
	}
	if r.By == UnknownCaller && who.Parent != "" {
		if r.By = who.Parent; who.Parent == st.s.ID {
			r.By = ""
		}
	}
	if r.By != UnknownCaller {
		r.Depth = st.depthOf(r.By) + 1
	}
	if !st.isAdmitted(a, found, r.Type) {
		r.Quarantined = orNone(st.s.Machine.State)
		st.d.note(r.label() + " started without admission")
	}
	if !found && st.s.Agents.Forgotten > 0 { // it may be one of those, which moves nothing twice
		r.Fired = true
	}
	st.s.addRun(r)
	added := st.s.Agents.find(r.ID)
	planner{st}.begin(added)
	return added
}

// isAdmitted checks once more, by the canonical name: a spelling that passed as a
// request must not admit another agent.
func (st *situation) isAdmitted(a Admission, found bool, agent string) bool {
	if len(st.p.States) == 0 || found && (a.DespiteObjection || a.How != ByAgent) {
		return true
	}
	in := st.state()
	if found {
		in, _ = st.p.FindState(a.State)
	}
	_, ok := in.Admits(agent)
	return ok
}

// stopAgent: an agent has come back. The evidence decides whether that completes it.
func (st *step) stopAgent() {
	r := st.s.Agents.find(st.e.Agent.ID)
	if r == nil {
		if r = st.findOnDisk(); r == nil {
			st.d.note(fmt.Sprintf("phantom: agent %s (%q) stopped and was never started", st.e.Agent.ID,
				st.e.Agent.Type))
			return
		}
	}
	r.correctParent(st.e.Facts.Spawn)
	switch text := strings.TrimSpace(st.e.Text); {
	case r.Quarantined != "":
		r.Status = Done
		st.d.note(r.label() + " was not admitted: it moves nothing")
		st.reportUncounted(r, notAdmitted)
	case text == "":
		st.failAgent(r, returnedNothing)
	case st.reportsFailure(text):
		st.failAgent(r, reportedFailure)
	case st.s.Agents.hasActiveChild(r.ID):
		ref := st.d.keepText(text, r.ID)
		r.Status, r.Final = Waiting, &ref
		st.d.note(r.label() + " stopped while an agent of its own runs")
	case st.sendBack(r, text):
		if st.d.Hold {
			return // it goes on
		}
	default:
		st.completeAgent(r, text)
		planner{st}.adoptMessage(r, text)
		if r.By == "" {
			st.s.Talk.queueNotice(st.remind("remind.after_agent", st.p.Remind.AfterAgent, r.Type))
		}
	}
	st.s.Agents.dropAdmissions(func(a Admission) bool { return a.By == r.ID })
	st.s.Budgets.release(r.ID)
}

// findOnDisk makes a run of an agent whose start we missed and that the host's files
// name.
func (st *step) findOnDisk() *Run {
	if st.e.Facts.Spawn == nil || st.e.Agent.Type == "" {
		return nil
	}
	st.d.note(fmt.Sprintf("agent %s (%s) was not seen to start; the host's files name it", st.e.Agent.ID,
		st.e.Agent.Type))
	return st.addAgent()
}

// reportsFailure reports whether a final message is one of a failed agent.
func (st *situation) reportsFailure(text string) bool {
	for _, f := range st.p.Fails {
		if re, err := regexp.Compile(f); err == nil && re.MatchString(text) {
			return true
		}
	}
	return false
}

// failAgent ends a run that moves nothing, and says so where it could have moved
// something.
func (st *step) failAgent(r *Run, why string) {
	r.Status, r.Final = Failed, nil
	st.s.Tasks.finishAgent(r.ID, false)
	st.d.note(r.label() + " " + why + ": it moves nothing")
	if st.state().hasWorker(r.Type) && r.By == "" && r.Quarantined == "" {
		st.s.Talk.queueNotice(startAgain(r.Type, why, st.s.Machine.State))
	}
}

func (st *step) loseAllAgents(why string) {
	for i := range st.s.Agents.Runs {
		if r := &st.s.Agents.Runs[i]; r.isActive() {
			st.loseAgent(r, why)
		}
	}
}

func (st *step) loseAgent(r *Run, why string) {
	r.Status, r.Final = Lost, nil
	st.s.Tasks.freeAgent(r.ID)
	st.d.note(r.label() + " is lost: " + why)
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
		r.By = UnknownCaller
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
		return Admission{How: ByWorkflow, UseID: agents.Workflows[0].UseID, By: UnknownCaller, Visit: m.Visit,
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
