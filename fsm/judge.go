package fsm

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// StuckAfter is how often an agent is refused the same call before it counts as stuck and the user is
// notified, and how often again.
const StuckAfter = 5

// maxDepth is where the search for an agent's ancestors ends.
const maxDepth = 100

// answerRequest judges a call before it is made, and says what decided each of its
// parts. The person is told of the first refusal of a kind in a session, and of each fifth one.
func (j judge) answerRequest() {
	j.Parts = make([]Ruling, len(j.e.Tool.Parts))
	for i, part := range j.e.Tool.Parts {
		j.Parts[i].Part = part
	}
	j.Repeated = j.s.isRepeated(j.e.Tool)
	j.judgeCall()
	set, _ := j.callerRules()
	for i := range j.Parts {
		ruling := &j.Parts[i]
		var unasked *Rule
		if ruling.Rule == "" { // refused before the rules were asked: they are asked here, which uses up no budget
			unasked = j.findRule(set, ruling.Part)
			*ruling = j.rulingOf(unasked, ruling.Part, j.isFree(unasked, ruling.Part))
		}
		for _, o := range j.Objections {
			if o.Part == i || o.Part == WholeCall {
				ruling.raise(o)
			}
		}
		if unasked != nil && ruling.Free == 0 {
			ruling.raise(j.objectionOf(unasked, i, j.verdictOf(unasked, ruling.Part)))
		}
	}
	if j.Verdict != Deny {
		return
	}
	if !j.Repeated {
		j.s.Denied++
	}
	if j.verdictOnly {
		return
	}
	times := j.countRefusal(&j.s.Refused, j.Rule, j.e.Tool.Name)
	if !j.isStuck && (times == 1 || times%StuckAfter == 0) {
		j.notify("%s", j.describeRefused(times))
	}
}

// isToCount reports whether something is to be counted: the call is no repeat, and no other
// part of it has counted the same.
func (st *step) isToCount(what string) bool {
	if st.Repeated || slices.Contains(st.counted, what) {
		return false
	}
	st.counted = append(st.counted, what)
	return true
}

// judgeCall asks first whether the call changes our own files, which no level and no
// bypass allows; then whether this agent may do anything; then the caller's rules and those that
// are locked, for each part; then whether the agent that it starts may run here.
func (j judge) judgeCall() {
	var caller *Run // nil for the main agent; one whose start was missed is admitted, or quarantined, now
	if who := j.e.Agent; !who.IsMain() {
		if caller = j.caller(); caller != nil {
			j.reviveRun(caller)
		} else {
			j.note("agent %s (%s) was not seen to start", who.ID, who.Type)
			caller = j.addAgent()
		}
	}
	for i, part := range j.e.Tool.Parts {
		if part.Guards != "" {
			j.Objections = append(j.Objections, Objection{Part: i, Rule: RuleProtect,
				Reason: fmt.Sprintf("Agents may not touch %s; only the user may. Go on with the task, or tell the "+
					"user what you need changed and why.", part.Guards), Verdict: Deny, StrictVerdict: Deny})
		}
	}
	if len(j.Objections) > 0 {
		j.Verdict, j.StrictVerdict = Deny, Deny
		j.Rule, j.Reason = RuleProtect, j.Objections[0].Reason
		return
	}
	if caller != nil && caller.Quarantined != "" {
		if j.objectToQuarantined(*caller); j.Verdict == Deny {
			return
		}
	}
	if why := j.whyUsedUp(caller); why != "" && !j.Repeated {
		j.refuse(WholeCall, RuleLimits, "", why)
	}
	start := j.e.Tool.Starts
	if start != nil {
		j.readFile()
	}
	set, locked := j.callerRules()
	for i := range j.Parts {
		part := j.Parts[i].Part
		j.Parts[i] = j.applyRule(j.findRule(set, part), i, part)
		j.applyRule(j.findRule(locked, part), i, part)
	}
	if caller != nil {
		j.judgeWorktree(caller)
	}
	if prompt := j.e.Tool.Prompt; prompt != "" && !j.s.IsScheduled(prompt) &&
		len(j.s.Scheduled) >= maxScheduled {
		j.refuse(WholeCall, RuleLimits, "", fmt.Sprintf(
			"%d prompts are scheduled, too many at once. Do without this one, or tell the user.", maxScheduled))
	}
	for i, part := range j.e.Tool.Parts {
		if part.Client != "" {
			j.judgeStart(Start{How: ByShell, Type: part.Client}, i)
		}
	}
	if start != nil {
		j.judgeStart(*start, WholeCall)
	}
	j.settleCall(caller)
}

// raiseObjection records an objection and keeps the strictest; of equal ones the first.
func (st *step) raiseObjection(o Objection) {
	if b := st.findBypass(o.Rule); b != nil {
		st.recordBypass(o, b)
		o.Bypassed, o.Verdict = true, Pass
		st.Objections = append(st.Objections, o)
		return
	}
	st.Objections = append(st.Objections, o)
	st.StrictVerdict = max(st.StrictVerdict, o.StrictVerdict)
	if o.Verdict == Warn && st.Verdict == Confine && st.Reason == "" {
		st.Reason = o.Reason
	}
	if o.Verdict > st.Verdict || st.Rule == "" {
		st.Verdict, st.Reason, st.Proposed = o.Verdict, o.Reason, o.Proposed
		st.Rule, st.RuleType, st.Where = o.Rule, o.RuleType, o.Where
	}
}

// refuse raises an objection to a part of the call, or all of it, as far as the level goes.
func (j judge) refuse(part int, rule, where, reason string) {
	j.raiseObjection(Objection{Part: part, Rule: rule, Where: where, Reason: reason,
		Verdict: j.soften(j.level, Deny), StrictVerdict: Deny})
}

// objectToQuarantined refuses every call of a quarantined agent, as far as the level
// goes. The user is not asked: the agent runs already.
func (st *step) objectToQuarantined(r Run) {
	v := st.level.soften(Deny)
	if v == Ask {
		v = Deny
	}
	st.raiseObjection(Objection{Part: WholeCall, Rule: RulePipeline, Where: st.state().Place, Verdict: v,
		StrictVerdict: Deny, Reason: fmt.Sprintf("Agent %q was started in state %s, which does not admit it, so it "+
			"may use no tool. Report that and finish. For the main agent: %s.", short(r.Type, 60), r.Quarantined,
			st.describeNext(Agent{}))})
}

// admittedIn is the state that let the caller start: what an agent may do neither widens nor
// vanishes while it works. For the main agent it is the state of the session.
func (st *situation) admittedIn() string {
	if r := st.caller(); r != nil && r.State != "" {
		return r.State
	}
	return st.s.State
}

// callerRules are the project's for the caller, and the organisation's beside them. Where
// the project has none of its own, the organisation's stand in their place.
func (st *situation) callerRules() (own, locked *Rules) {
	own, locked = &st.p.Subagents, &st.p.Ceiling.Subagents
	if st.e.Agent.IsOrchestrator() {
		own, locked = &st.p.Main, &st.p.Ceiling.Main
	}
	if own.Locked {
		return locked, &Rules{}
	}
	return own, locked
}

// settleCall gives back what a call was charged that is denied, by whatever; only a
// call that may be made uses up a budget, counts for `within` and for the limits.
func (j judge) settleCall(caller *Run) {
	if j.Verdict == Deny {
		for i := range j.s.Uses { // the attempt still counts
			u := &j.s.Uses[i]
			was := cmp.Or(j.before.findBudget(u.Rule, u.Agent), &Budget{})
			u.Held, u.Files = was.Held, was.Files
		}
		return
	}
	back := 0
	set, locked := j.callerRules()
	for _, rules := range [][]Rule{set.List, locked.List} {
		for i := range rules {
			back = max(back, rules[i].Within)
		}
	}
	if back > 0 && len(j.Parts) > 0 {
		j.s.addRecent(j.e.Agent.ID, j.e.Tool.Parts, back)
	}
	if prompt := j.e.Tool.Prompt; prompt != "" {
		j.s.schedule(prompt)
	}
	if j.Repeated {
		return
	}
	j.s.Passed++
	if caller != nil {
		j.caller().Calls++ // an admission may have moved it
	}
}

// applyRule takes a call from the rule's budget, or raises its objection to a part.
func (j judge) applyRule(r *Rule, i int, part Part) Ruling {
	free, attempt := false, 0
	if r.Budgeted {
		free = j.isFree(r, part)
		attempt = j.charge(r, part, free)
	}
	ruling, v := j.rulingOf(r, part, free), j.verdictOf(r, part)
	if v == Confine && !free {
		j.confine(r, &ruling)
	}
	if free || v == Pass || v == Confine {
		return ruling
	}
	o := j.objectionOf(r, i, v)
	times := 1 // a call that is not refused gets the same text each time
	if o.Verdict > Warn && j.findBypass(o.Rule) == nil {
		times = j.countRefusal(&j.s.Refusals, r.Name, j.e.Agent.ID+"\x00"+j.describePart(part))
	}
	if !j.verdictOnly {
		o.Reason, o.Proposed = j.refusalText(r, part, attempt, times, o.Verdict)
		o.Reason += j.explainUnasked(j.levelOf(r), v)
	}
	if times%StuckAfter == 0 && !j.isStuck {
		j.notify("%s is stuck: it wants %s and was refused %d times (rule %s); %s", callerName(j.e.Agent),
			j.describePart(part), times, cmp.Or(r.Name, DefaultRule), j.wayOut(r.Name))
		j.isStuck = true
	}
	j.raiseObjection(o)
	return ruling
}

// objectionOf is a rule's objection to a part, without its words.
func (st *situation) objectionOf(r *Rule, part int, v Verdict) Objection {
	return Objection{Part: part, Rule: cmp.Or(r.Name, DefaultRule), RuleType: r.Type, Where: r.Place,
		Verdict: st.soften(st.levelOf(r), v), StrictVerdict: v}
}

// findRule is the first rule that fits a part of the call.
func (st *situation) findRule(set *Rules, part Part) *Rule {
	for i := range set.List {
		r := &set.List[i]
		if !r.IsOff() && r.fits(st, part) &&
			(r.Within == 0 || st.s.hasRecent(st.e.Agent.ID, part.Tool, r.Within)) {
			return r
		}
	}
	return &set.Default
}

// rulingOf is what a rule makes of a part, before any objection.
func (j judge) rulingOf(r *Rule, part Part, free bool) Ruling {
	out := Ruling{Part: part, Rule: cmp.Or(r.Name, DefaultRule), RuleType: r.Type, Where: r.Place}
	if free {
		out.Free, out.SpentStrict = r.Budget, j.verdictOf(r, part)
		if j.findBypass(out.Rule) == nil {
			out.Spent = j.soften(j.levelOf(r), out.SpentStrict)
		}
	}
	return out
}

// judgeStart decides whether an agent may start, and if so leaves an admission for it.
func (j judge) judgeStart(start Start, part int) {
	in := j.state()
	a := Run{UseID: j.e.Tool.UseID, How: start.How, Type: start.Type, Name: start.Name, By: j.e.Agent.ID,
		State: in.Name, Visit: j.s.Visit, Epoch: j.s.Epoch}
	if start.How == ByMessage {
		r := j.s.findByName(start.Name)
		// members of a team may have names that we never saw
		if r == nil && j.s.Forgotten > 0 && !j.s.hasTeam() &&
			!slices.Contains([]string{"", "*", "main", "team-lead"}, start.Name) {
			j.refuse(part, RulePipeline, in.Place, fmt.Sprintf(
				"Agent %q is not known, or ended too long ago to be resumed. Start a new one.", short(start.Name, 60)))
			return
		}
		if r == nil || r.isActive() {
			return
		}
		a.Wakes, a.Type = r.ID, r.Type
	}
	rule, reason := RulePipeline, j.whyNotAdmitted(start, a.Type)
	if reason == "" {
		rule, reason = RuleTasks, j.whyWaits(start, a.Type)
	}
	if reason == "" {
		rule, reason = RuleLimits, j.whyOverLimit(a)
	}
	if reason != "" {
		if j.soften(j.level, Deny) == Ask { // what the agent is to do instead is not for the person who answers
			what, why := "the start of a workflow", reason
			if name := cmp.Or(a.Type, start.Name); name != "" {
				what = fmt.Sprintf("the start of %q", short(name, 60))
			}
			why, _, _ = strings.Cut(why, "; ")
			reason = short(fmt.Sprintf("Allow %s by %s? %s", what, callerName(j.e.Agent), endSentence(why)),
				refusalRoom)
		}
		j.refuse(part, rule, in.Place, reason+j.explainUnasked(j.level, Deny))
		a.DespiteObjection = true
	}
	if j.Verdict < Deny && start.How != ByShell {
		j.s.admitRun(a)
	}
}

// whyNotAdmitted is why the state does not admit the start; empty if it does.
func (j judge) whyNotAdmitted(start Start, agent string) string {
	if len(j.p.States) == 0 {
		return ""
	}
	admits := func(name string) bool { return j.table().Admits(j.s.State, name) != nil }
	if slices.ContainsFunc(j.startNames(start), admits) {
		return ""
	}
	if j.verdictOnly {
		return "refused"
	}
	instead, name := j.describeNext(j.e.Agent), short(agent, 60)
	what := fmt.Sprintf("where agent %q may not run", name)
	switch start.How {
	case BySkill:
		what = fmt.Sprintf("where skill %q may not start an agent", short(start.Name, 60))
	case ByWorkflow:
		what = "where a workflow may not start agents"
	case ByShell:
		return j.e.Say(fmt.Sprintf("Starting %s from a shell is a delegation that the pipeline cannot follow; "+
			"use the Agent tool: %s.", name, instead))
	case ByMessage:
		what = fmt.Sprintf("where agent %q may not be resumed", name)
	}
	q := search{situation: &j.situation}
	elsewhere := q.findLater(func(s Session) bool {
		return agent != "" && j.table().Admits(s.State, agent) != nil && q.mayStart(s, agent)
	}).state
	if elsewhere != "" {
		what += " (it may in " + elsewhere + ")"
	}
	return j.e.Say(fmt.Sprintf("The pipeline is in state %s, %s; %s.", j.s.State, what, instead))
}

// startNames lists the names by which states and rules mean what a call starts.
func (st *situation) startNames(start Start) []string {
	switch start.How {
	case BySkill:
		return []string{start.Name, start.Type}
	case ByWorkflow:
		return []string{"workflow-subagent"}
	case ByMessage:
		if r := st.s.findByName(start.Name); r != nil && !r.isActive() {
			return []string{r.Type}
		}
		return nil
	}
	return []string{start.Type}
}

// startedBy lists the names of what a part of the call starts; none if it starts nothing.
func (st *situation) startedBy(p Part) []string {
	switch {
	case p.Client != "":
		return []string{p.Client}
	case st.e.Tool.Starts != nil && p.Tool == st.e.Tool.Name:
		return st.startNames(*st.e.Tool.Starts)
	}
	return nil
}

// whyOverLimit is why one more agent may not start now; empty if it may. No more are about to start than are
// remembered, or than a larger limit of the config says.
func (j judge) whyOverLimit(a Run) string {
	most := j.p.Limits.Running
	if n, err := strconv.Atoi(j.e.Facts.Env[j.p.Limits.RunningEnv]); err == nil && n > 0 {
		most = n
	}
	atWork, admitted := j.listAtWork(), j.s.listRuns(func(r Run) bool { return r.Status == Admitted })
	isAgain := func(b Run) bool { return a.UseID != "" && b.UseID == a.UseID }
	switch deepest, depth := j.p.Limits.Depth, j.depthOf(j.e.Agent.ID)+1; {
	case len(admitted) >= max(maxPending, most) && a.How != ByWorkflow && a.How != ByShell &&
		!slices.ContainsFunc(admitted, isAgain):
		return countOf(len(admitted), "agent was", "agents were") +
			" let through and did not start yet, too many at once. Finish the turn; then start the next."
	case most > 0 && len(atWork) >= most:
		text := countOf(len(atWork), "agent is", "agents are") + fmt.Sprintf(
			" at work or about to start, and at most %d may run at once. Wait until one has come back", most)
		var types []string
		for _, r := range j.s.RunningAgents() {
			types = append(types, r.Type)
		}
		if len(types) > 0 {
			text += ": " + listShort(types, 200)
		}
		return text + "."
	case deepest > 0 && depth > deepest:
		return fmt.Sprintf("This agent would run at depth %d, and agents may run %d deep at most. "+
			"Do this part yourself, or report that it should be delegated.", depth, deepest)
	case j.e.Host.HidesCaller && len(atWork) > 0: // the calls of two agents could not be distinguished
		return fmt.Sprintf("%s does not say which agent calls, so only one may run at a time: %s runs. "+
			"End your turn or wait for its result.", j.e.Host.Name,
			short(cmp.Or(atWork[0].Type, "another agent"), 60))
	}
	return ""
}

// isExpected reports whether an agent that was admitted is still expected to start, other than by
// this very call.
func (st *situation) isExpected(r Run) bool {
	return r.Status == Admitted && st.s.isAwaited(r) && (r.UseID == "" || r.UseID != st.e.Tool.UseID)
}

// listAtWork lists the agents that run or are about to, oldest first.
func (st *situation) listAtWork() []Run {
	return st.s.listRuns(func(r Run) bool { return r.isActive() || st.isExpected(r) })
}

// depthOf is how deep an agent runs: 0 for the main agent. The host's own note counts
// most, then our records.
func (st *situation) depthOf(id string) int {
	if id == "" {
		return 0
	}
	if spawn := st.e.Facts.Spawn; spawn != nil && spawn.Depth > 0 && id == st.e.Agent.ID {
		return spawn.Depth
	}
	for depth := 1; depth < maxDepth; depth++ {
		r := st.s.findRun(id)
		switch {
		case r == nil || r.By == unknownCaller || r.By == "" && r.Depth == 0:
			return depth
		case r.Depth > 0:
			return r.Depth + depth - 1
		}
		id = r.By
	}
	return maxDepth
}

// What an agent and a session may use altogether is judged beside the rules: it opens none.

// A usage is what an agent has used of one of its limits. Without a limit it is 0.
type usage struct {
	name        string
	used, limit int
}

// listUsage lists what an agent has used.
func (st *situation) listUsage(r *Run) [3]usage {
	l, minutes := st.p.Limits, 0
	if !r.Since.IsZero() {
		minutes = int(st.e.Time.Sub(r.Since) / time.Minute)
	}
	return [3]usage{{"calls", r.Calls, l.Calls}, {"tokens", st.e.Facts.Tokens, l.Tokens},
		{"minutes", minutes, l.Minutes}}
}

// whyUsedUp is why a caller may make no more calls; empty if it may.
func (j judge) whyUsedUp(caller *Run) string {
	if caller != nil {
		for _, u := range j.listUsage(caller) {
			how := "used its"
			if u.name == "minutes" {
				how = "run for"
			}
			if u.limit > 0 && u.used >= u.limit {
				return fmt.Sprintf("%s has %s %d %s (limits.%[4]s). Return what you have.",
					capitalize(callerName(j.e.Agent)), how, u.limit, u.name)
			}
		}
	}
	most := j.p.Limits.SessionCalls
	if most == 0 || j.s.Passed < most {
		return ""
	}
	then := "End your turn, and tell the user what is left."
	if caller != nil {
		then = "Return what you have."
	}
	return fmt.Sprintf("This session has used its %d calls (limits.session_calls). %s", most, then)
}

// warnOfLimit tells an agent once that four fifths of what it may use are used.
func (st *step) warnOfLimit() {
	r := st.caller()
	if st.e.Agent.IsMain() || r == nil || r.Warned {
		return
	}
	for _, u := range st.listUsage(r) {
		if u.limit > 0 && u.used*5 >= u.limit*4 {
			r.Warned = true
			st.inject(fmt.Sprintf("You have used %d of %d %s. Come to an end, and return what you have.", u.used,
				u.limit, u.name))
			return
		}
	}
}
