package fsm

import (
	"fmt"
	"slices"
)

// The names of the two verdicts that do not come from a rule of the user's.
const (
	RulePipeline = "pipeline"
	RuleProtect  = "protect"
)

// pending is how many admissions a session remembers: more than agents can be under way at once in any client seen.
const pending = 24

// toolRequest judges a call before it is made, and says what decided each of its parts.
func (st *step) toolRequest() {
	st.d.Parts = make([]Ruling, len(st.e.Tool.Parts))
	for i, part := range st.e.Tool.Parts {
		st.d.Parts[i].Part = part
	}
	st.judgeCall()
	st.settleParts()
}

// judgeCall asks first whether the call changes our own files, which no level and no bypass allows; then whether this
// agent may do anything; then the rules; then whether the agent that it starts may run here.
func (st *step) judgeCall() {
	caller := st.caller()
	for i, part := range st.e.Tool.Parts {
		if part.Guards != "" {
			st.d.Objections = append(st.d.Objections,
				Objection{Part: i, Rule: RuleProtect, Reason: guarded(part.Guards), Verdict: Deny, StrictVerdict: Deny})
		}
	}
	if len(st.d.Objections) > 0 {
		st.d.Verdict, st.d.StrictVerdict = Deny, Deny
		st.d.Rule, st.d.Reason = RuleProtect, st.d.Objections[0].Reason
		return
	}
	if caller != nil && caller.Quarantined != "" {
		if st.objectToQuarantined(*caller); st.d.Verdict == Deny {
			return
		}
	}
	st.schedule(st.e.Tool.Prompt)
	if st.e.Tool.Starts != nil {
		st.fromFile()
	}
	st.judgeParts()
	for i, part := range st.e.Tool.Parts {
		if part.Client != "" {
			st.judgeStart(Start{How: ByShell, Type: part.Client}, i)
		}
	}
	if start := st.e.Tool.Starts; start != nil {
		st.judgeStart(*start, WholeCall)
	}
}

// caller is the run that makes the call, nil for the main agent. One whose start we missed is checked here.
func (st *step) caller() *Run {
	who := st.e.Agent
	if who.IsMain() {
		return nil
	}
	if st.s.run(who.ID) == nil {
		st.d.note(fmt.Sprintf("agent %s (%s) was not seen to start", who.ID, who.Type))
		st.started()
		st.begun(st.s.run(who.ID))
	}
	return st.s.run(who.ID)
}

// judgeStart decides whether an agent may start, and if so leaves an admission for it.
func (st *step) judgeStart(start Start, part int) {
	in := st.state()
	a := Admission{UseID: st.e.Tool.UseID, How: start.How, Type: start.Type, Name: start.Name, By: st.e.Agent.ID,
		State: in.Name, Visit: st.s.Machine.Visit, Epoch: st.s.Machine.Epoch}
	if start.How == ByMessage {
		r := st.s.named(start.Name)
		if r == nil || r.active() {
			return
		}
		a.ID, a.Type = r.ID, r.Type
	}
	rule, reason := RulePipeline, st.refusal(in, start, a.Type)
	if reason == "" {
		rule, reason = RuleTasks, st.before(start, a.Type)
	}
	if reason == "" {
		rule, reason = RuleLimits, st.crowded()
	}
	if reason != "" {
		st.object(Objection{Part: part, Rule: rule, Where: in.Place, Reason: reason,
			Verdict: st.d.Level.apply(Deny), StrictVerdict: Deny})
		a.DespiteObjection = true
	}
	if st.d.Verdict < Deny && start.How != ByShell {
		st.admit(a)
	}
}

// refusal is why the state does not admit the start; empty if it does.
func (st *step) refusal(in State, start Start, agent string) string {
	if len(st.p.States) == 0 {
		return ""
	}
	names := []string{agent}
	switch start.How {
	case BySkill:
		names = []string{start.Name, agent}
	case ByWorkflow:
		names = []string{"workflow-subagent"}
	}
	for _, name := range names {
		if _, ok := in.Admits(name); ok {
			return ""
		}
	}
	return mayNotStart(in.Name, start, agent, st.p.NextAgents(in.Name))
}

// objectToQuarantined refuses all that a quarantined agent does, as far as the level goes. It is never a question: the
// agent runs already.
func (st *step) objectToQuarantined(r Run) {
	v := st.d.Level.apply(Deny)
	if v == Ask {
		v = Deny
	}
	st.object(Objection{Part: WholeCall, Rule: RulePipeline, Where: st.state().Place, Verdict: v, StrictVerdict: Deny,
		Reason: quarantined(r, st.p.NextAgents(st.s.Machine.State))})
}

func (st *step) admit(a Admission) {
	if a.How == ByWorkflow {
		if !slices.ContainsFunc(st.s.Agents.Workflows, func(f Workflow) bool { return f.UseID == a.UseID }) { // two registrations
			st.s.Agents.Workflows = append(st.s.Agents.Workflows, Workflow{UseID: a.UseID})
		}
		return
	}
	st.s.drop(func(b Admission) bool { return b.UseID == a.UseID && b.How == a.How }) // the same call through two registrations
	if n := len(st.s.Agents.Pending) - max(pending, st.most()) + 1; n > 0 {           // who is forgotten counts for no limit
		st.s.Agents.Pending = slices.Delete(st.s.Agents.Pending, 0, n)
	}
	st.s.Agents.Pending = append(st.s.Agents.Pending, a)
}

// toolResult: a call was made. The main agent's next request carries its result, and with it all that had ended before.
func (st *step) toolResult() {
	st.confirm(st.e.Tool.UseID)
	st.bind()
	st.edited()
	st.missing()
	st.inject(failures(st.e.Facts.Checks))
	st.followed()
	if t := st.e.Tool; t.Name == "TaskStop" && t.Result.Task != "" {
		st.stopped(t.Result.Task)
	}
	if !st.e.Agent.IsMain() {
		return
	}
	for i := range st.s.Agents.Runs {
		if r := &st.s.Agents.Runs[i]; r.Status == Done && !st.launches(r) {
			r.Delivered = true
		}
	}
	st.speak()
}

// followed takes up what a call says about the work to be done.
func (st *step) followed() {
	t := st.e.Tool
	if t.Task != nil {
		st.hostTask(*t.Task)
	}
	if t.Listed {
		st.s.Tasks.Open = nil
		for i, what := range t.Todos[:min(openTasks, len(t.Todos))] {
			st.s.Tasks.Open = append(st.s.Tasks.Open, OpenTask{fmt.Sprint(i + 1), short(what, subject)})
		}
	}
	if !st.e.Agent.IsMain() {
		return
	}
	if t.Planned {
		st.planned(t.Plan)
	}
	if t.Skill != "" && MatchAgent(st.p.Hold.Skills, t.Skill) {
		st.s.Tasks.Planned = true
	}
	if t.Starts != nil && t.Starts.How == ByAgent {
		st.inject(st.remind("remind.after_delegation", st.p.Remind.AfterDelegation, t.Starts.Type))
	}
}

// launches reports whether the result says no more than that the agent was sent into the background: it may have come
// back before that is said, and what it found is still on its way.
func (st *step) launches(r *Run) bool {
	t := st.e.Tool
	return !t.Result.Done && (t.UseID != "" && r.UseID == t.UseID || t.Result.AgentID == r.ID)
}

// bind ties a call to the agent that it started, now that the host has named it.
func (st *step) bind() {
	t := st.e.Tool
	if t.Starts == nil {
		return
	}
	if t.Starts.How == ByWorkflow {
		for i := range st.s.Agents.Workflows {
			if st.s.Agents.Workflows[i].UseID == t.UseID {
				st.s.Agents.Workflows[i].Task = t.Result.Task
			}
		}
		return
	}
	if r := st.s.run(t.Result.AgentID); r != nil {
		if t.Starts.How == ByAgent {
			r.UseID, r.By = t.UseID, st.e.Agent.ID
		}
		if t.Result.Done {
			r.Delivered = true
			st.unstopped(r)
		}
		return
	}
	for i := range st.s.Agents.Pending {
		if a := &st.s.Agents.Pending[i]; a.UseID == t.UseID && !t.Result.Done {
			a.ID = t.Result.AgentID
		}
	}
}

// unstopped: the host says the call is over, and the agent never came back to us: it was cut short.
func (st *step) unstopped(r *Run) {
	if r.Status == Running {
		st.fail(r, "was cut short")
	}
}

func (st *step) stopped(task string) {
	if r := st.s.run(task); r != nil && r.active() {
		st.lose(r, "it was stopped")
	}
	st.endFlow(task)
}

func (st *step) endFlow(task string) {
	for i := range st.s.Agents.Workflows {
		if st.s.Agents.Workflows[i].Task == task && task != "" {
			st.s.Agents.Workflows = append(st.s.Agents.Workflows[:i], st.s.Agents.Workflows[i+1:]...)
			return
		}
	}
}

// toolFailure: a call was refused by the host, declined by the user, or failed.
func (st *step) toolFailure() {
	use := st.e.Tool.UseID
	st.confirm(use)
	st.s.drop(func(a Admission) bool { return a.UseID == use && use != "" })
	st.s.Agents.Workflows = slices.DeleteFunc(st.s.Agents.Workflows, func(f Workflow) bool { return f.UseID == use && use != "" })
	if st.e.Tool.Starts != nil {
		if r := st.s.usedBy(use); r != nil && r.active() {
			st.fail(r, "failed")
		}
	}
	if st.e.Agent.IsMain() {
		st.speak()
	}
}
