package fsm

import (
	"slices"
)

// takeResult: a call was made. The main agent's next request carries its result, and
// with it everything that ended before.
func (st *step) takeResult() {
	t := st.e.Tool
	st.takeRun()
	st.warnOfLimit()
	st.s.Budgets.confirm(t.UseID)
	st.tracker().bindAgent()
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
			st.tracker().loseAgent(r, "it was stopped")
		}
		st.s.Agents.endWorkflow(task)
	}
	st.tracker().endReported()
	if !st.e.Agent.IsMain() {
		return
	}
	for i := range st.s.Agents.Runs {
		if r := &st.s.Agents.Runs[i]; r.Status == Done && !st.tracker().isLaunchOf(r) {
			r.Delivered = true
		}
	}
	st.announceState()
}

// trackWork takes up what a call says about the work to be done.
func (st *step) trackWork() {
	t := st.e.Tool
	if t.Task != nil {
		st.planner().takeHostTask(*t.Task)
	}
	if t.Listed {
		st.s.Tasks.replaceOpen(t.Todos)
	}
	if !st.e.Agent.IsMain() {
		return
	}
	if t.Planned {
		st.s.Tasks.Planned = true
		st.mover().moveOnPlan()
	}
	if t.Skill != "" && MatchAgent(st.p.Hold.Skills, t.Skill) {
		st.s.Tasks.Planned = true
	}
	if t.Starts != nil && t.Starts.How == ByAgent {
		st.d.inject(st.remind("remind.after_delegation", st.p.Remind.AfterDelegation, t.Starts.Type))
	}
}

// takeToolFailure: the host refused a call, the user declined it, or it failed.
func (st *step) takeToolFailure() {
	use, a := st.e.Tool.UseID, &st.s.Agents
	st.takeRun()
	st.s.Budgets.confirm(use)
	if use != "" {
		a.dropAdmitted(func(r Run) bool { return r.UseID == use })
		a.Workflows = slices.DeleteFunc(a.Workflows, func(w Workflow) bool { return w.UseID == use })
	}
	if st.e.Tool.Starts != nil {
		if r := a.findByCall(use); r != nil && r.isActive() {
			st.tracker().failAgent(r, justFailed)
		}
	}
	st.tracker().endReported()
	if st.e.Agent.IsMain() {
		st.announceState()
	}
}
