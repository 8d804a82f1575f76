package fsm

import (
	"fmt"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// A CheckResult is what a check found.
type CheckResult struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok,omitempty"`
	Missing bool   `json:"missing,omitempty"` // its program is missing: a matter for the user, not the agent
	Output  string `json:"output,omitempty"`  // the end of what it printed
}

// takeResult: a call was made, or it failed: the host refused it, or the user declined it.
func (st *step) takeResult() {
	t, failed := st.e.Tool, st.e.Kind == ToolFailure
	st.takeRun()
	if !failed {
		st.warnOfLimit()
	}
	st.s.Budgets.confirm(t.UseID)
	if failed && t.UseID != "" { // what it was to start does not start
		a := &st.s.Agents
		a.dropAdmitted(func(r Run) bool { return r.UseID == t.UseID })
		a.Workflows = slices.DeleteFunc(a.Workflows, func(w Workflow) bool { return w.UseID == t.UseID })
		r := a.findRun(func(r *Run) bool { return r.UseID == t.UseID })
		if t.Starts != nil && r != nil && r.isActive() {
			st.tracker().failAgent(r, "failed")
		}
	} else if !failed {
		st.tracker().bindAgent()
		st.trackWork()
	}
	st.tracker().endReported()
	if !st.e.Agent.IsMain() {
		return
	}
	for i := range st.s.Agents.Runs { // the next request carries what ended before, but not of an agent just launched
		r := &st.s.Agents.Runs[i]
		isLaunch := !t.Result.Done && (t.UseID != "" && r.UseID == t.UseID || t.Result.AgentID == r.ID)
		r.Delivered = r.Delivered || r.Status == Done && !failed && !isLaunch
	}
	st.announceState()
}

// trackWork takes up what a call says about the work that is done and to be done.
func (st *step) trackWork() {
	t := st.e.Tool
	if slices.ContainsFunc(st.p.Checks, func(c Check) bool { return slices.Contains(c.At, AtTurnEnd) }) {
		for _, f := range EditedFiles(t) {
			st.s.Turn.addEdited(f)
		}
	}
	st.reportMissingChecks()
	st.d.inject(checksFailed(st.e.Facts.Checks))
	if t.Task != nil {
		st.mover().takeHostTask(*t.Task)
	}
	if t.Listed {
		st.s.Tasks.Open = nil
		for i, subject := range t.Todos {
			st.s.Tasks.addOpen(fmt.Sprint(i+1), subject)
		}
	}
	if task := t.Result.Task; t.Name == "TaskStop" && task != "" {
		if r := st.s.Agents.find(task); r != nil && r.isActive() {
			st.tracker().loseAgent(r, "it was stopped")
		}
		st.s.Agents.endWorkflow(task)
	}
	if !st.e.Agent.IsMain() {
		return
	}
	st.s.Tasks.Planned = st.s.Tasks.Planned || t.Planned || t.Skill != "" && MatchAgent(st.p.Hold.Skills, t.Skill)
	switch mv, in := st.mover(), st.state(); { // what the model says of its plan moves nothing
	case !t.Planned:
	case t.Unasked:
		st.d.note("the client did not ask whether the plan is approved: it moves nothing")
	case len(st.p.States) == 0:
		mv.adoptMessage(nil, t.Plan, "", false)
	case in.OnPlan != "":
		approved := Trigger{Name: PlanApproved, To: in.OnPlan, Capture: in.Capture}
		mv.moveWithoutAgent(approved, completion{text: t.Plan}, nil)
	}
	if t.Starts != nil && t.Starts.How == ByAgent {
		st.d.inject(st.remind("remind.after_delegation", st.p.Remind.AfterDelegation, t.Starts.Type))
	}
}

// EditedFiles lists the files that a call has written.
func EditedFiles(t Tool) (files []string) {
	for _, p := range t.Parts {
		if ChangesFiles(p.Tool) && p.Tool != "Delete" && p.Path != "" && p.Path != shell.Unknown &&
			!slices.Contains(files, p.Path) {
			files = append(files, p.Path)
		}
	}
	return files
}

// reportMissingChecks notifies the user once of checks whose program is missing. A late
// event has no reader.
func (st *step) reportMissingChecks() {
	if st.e.Late {
		return
	}
	for _, r := range st.e.Facts.Checks {
		if name := short(r.Name, 40); r.Missing && !slices.Contains(st.s.Turn.MissingChecks, name) {
			st.s.Turn.MissingChecks = append(st.s.Turn.MissingChecks, name)
			st.d.notify(fmt.Sprintf("the check %s could not be run: %s", r.Name, short(r.Output, 200)))
		}
	}
}
