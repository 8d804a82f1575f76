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
func (h handler) takeResult() {
	t, failed := h.e.Tool, h.e.Kind == ToolFailure
	h.takeRun()
	if !failed {
		h.warnOfLimit()
	}
	for i := range h.s.Uses { // it is made, whether it succeeded or not
		u := &h.s.Uses[i]
		left := slices.DeleteFunc(slices.Clone(u.Held), func(use string) bool { return use == t.UseID })
		u.Used, u.Held = u.Used+len(u.Held)-len(left), left
	}
	if failed && t.UseID != "" { // what it was to start does not start
		a := &h.s.Agents
		a.dropAdmitted(func(r Run) bool { return r.UseID == t.UseID })
		a.Workflows = slices.DeleteFunc(a.Workflows, func(w Workflow) bool { return w.UseID == t.UseID })
		r := a.findRunBy(func(r *Run) bool { return r.UseID == t.UseID })
		if t.Starts != nil && r != nil && r.isActive() {
			h.failAgent(r, "failed")
		}
	} else if !failed {
		h.bindAgent()
		h.trackWork()
	}
	h.endReported()
	if !h.e.Agent.IsMain() {
		return
	}
	for i := range h.s.Runs { // the next request carries what ended before, but not of an agent just launched
		r := &h.s.Runs[i]
		isLaunch := !t.Result.Done && (t.UseID != "" && r.UseID == t.UseID || t.Result.AgentID == r.ID)
		r.Delivered = r.Delivered || r.Status == Done && !failed && !isLaunch
	}
	h.announceState()
}

// trackWork takes up what a call says about the work that is done and to be done.
func (h handler) trackWork() {
	t := h.e.Tool
	if slices.ContainsFunc(h.p.Checks, func(c Check) bool { return slices.Contains(c.At, AtTurnEnd) }) {
		for _, f := range EditedFiles(t) {
			h.s.addEdited(f)
		}
	}
	h.reportMissingChecks()
	h.inject(checksFailed(h.e.Facts.Checks))
	if t.Task != nil {
		h.takeHostTask(*t.Task)
	}
	if t.Listed {
		h.s.Tasks.Open = nil
		for i, subject := range t.Todos {
			h.s.Tasks.addOpen(fmt.Sprint(i+1), subject)
		}
	}
	if task := t.Result.Task; t.Name == "TaskStop" && task != "" {
		if r := h.s.findRun(task); r != nil && r.isActive() {
			h.loseAgent(r, "it was stopped")
		}
		h.s.endWorkflow(task)
	}
	if !h.e.Agent.IsMain() {
		return
	}
	h.s.Planned = h.s.Planned || t.Planned || t.Skill != "" && MatchAgent(h.p.Hold.Skills, t.Skill)
	switch in := h.state(); { // what the model says of its plan moves nothing
	case !t.Planned:
	case t.Unasked:
		h.note("the client did not ask whether the plan is approved: it moves nothing")
	case len(h.p.States) == 0:
		h.adoptMessage(nil, t.Plan, "", false)
	case in.OnPlan != "":
		approved := Trigger{Name: PlanApproved, To: in.OnPlan, Capture: in.Capture}
		h.move(approved, Move{}, t.Plan, Ref{})
	}
	if t.Starts != nil && t.Starts.How == ByAgent {
		h.inject(h.remind("remind.after_delegation", h.p.Remind.AfterDelegation, t.Starts.Type))
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
		if name := short(r.Name, 40); r.Missing && !slices.Contains(st.s.MissingChecks, name) {
			st.s.MissingChecks = append(st.s.MissingChecks, name)
			st.notify("the check %s could not be run: %s", r.Name, short(r.Output, 200))
		}
	}
}
