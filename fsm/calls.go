package fsm

import (
	"slices"
)

// takeResult: a call was made. The main agent's next request carries its result, and
// with it everything that ended before.
func (st *step) takeResult() {
	t := st.e.Tool
	st.s.Budgets.confirm(t.UseID)
	st.bindAgent()
	if slices.ContainsFunc(st.p.Checks, func(c Check) bool { return slices.Contains(c.At, AtTurnEnd) }) {
		for _, f := range EditedFiles(t) {
			st.s.Turn.addEdited(f)
		}
	}
	st.reportMissingChecks()
	st.d.inject(checksFailed(st.e.Facts.Checks))
	st.trackWork()
	if task := t.Result.Task; t.Name == "TaskStop" && task != "" {
		if r := st.s.Agents.find(task); r != nil && r.isActive() {
			st.loseAgent(r, "it was stopped")
		}
		st.s.Agents.endWorkflow(task)
	}
	if !st.e.Agent.IsMain() {
		return
	}
	for i := range st.s.Agents.Runs {
		if r := &st.s.Agents.Runs[i]; r.Status == Done && !st.isLaunchOf(r) {
			r.Delivered = true
		}
	}
	st.announce()
}

// isLaunchOf reports whether the call only sent the agent into the background. The
// agent may have come back already, and its result is still on its way.
func (st *situation) isLaunchOf(r *Run) bool {
	t := st.e.Tool
	return !t.Result.Done && (t.UseID != "" && r.UseID == t.UseID || t.Result.AgentID == r.ID)
}

// trackWork takes up what a call says about the work to be done.
func (st *step) trackWork() {
	t := st.e.Tool
	if t.Task != nil {
		planner{st}.takeHostTask(*t.Task)
	}
	if t.Listed {
		st.s.Tasks.replaceOpen(t.Todos)
	}
	if !st.e.Agent.IsMain() {
		return
	}
	if t.Planned {
		planner{st}.takePlan(t.Plan)
		st.moveOnPlan()
	}
	if t.Skill != "" && MatchAgent(st.p.Hold.Skills, t.Skill) {
		st.s.Tasks.Planned = true
	}
	if t.Starts != nil && t.Starts.How == ByAgent {
		st.d.inject(st.remind("remind.after_delegation", st.p.Remind.AfterDelegation, t.Starts.Type))
	}
}

// bindAgent ties a call to the agent that it started, now that the host has named it.
func (st *step) bindAgent() {
	t, a := st.e.Tool, &st.s.Agents
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
			r.UseID, r.By = t.UseID, st.e.Agent.ID
		}
		if t.Result.Done {
			r.Delivered = true
			if r.Status == Running { // the call is over, and we saw no end of the agent
				st.failAgent(r, wasCutShort)
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

// takeToolFailure: the host refused a call, the user declined it, or it failed.
func (st *step) takeToolFailure() {
	use, a := st.e.Tool.UseID, &st.s.Agents
	st.s.Budgets.confirm(use)
	if use != "" {
		a.dropAdmissions(func(ad Admission) bool { return ad.UseID == use })
		a.Workflows = slices.DeleteFunc(a.Workflows, func(w Workflow) bool { return w.UseID == use })
	}
	if st.e.Tool.Starts != nil {
		if r := a.findByCall(use); r != nil && r.isActive() {
			st.failAgent(r, justFailed)
		}
	}
	if st.e.Agent.IsMain() {
		st.announce()
	}
}
