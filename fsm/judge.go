package fsm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// stuckAfter is how often an agent is refused the same call before the user is
// notified, and how often again.
const stuckAfter = 5

// maxDepth is where the search for an agent's ancestors ends.
const maxDepth = 100

// judgeRequest judges a call before it is made, and says what decided each of its
// parts.
func (st *step) judgeRequest() {
	st.d.Parts = make([]Ruling, len(st.e.Tool.Parts))
	for i, part := range st.e.Tool.Parts {
		st.d.Parts[i].Part = part
	}
	st.judgeCall()
	st.settleParts()
	if st.d.Verdict == Deny && !st.isTrial {
		st.notifyOfRefusal()
	}
}

// notifyOfRefusal tells the person of the first refusal of a kind in a session, and of each
// fifth one.
func (st *step) notifyOfRefusal() {
	times := countRefusal(&st.s.Talk.Refused, st.d.Rule, st.e.Tool.Name, st.e.Tool.UseID)
	if st.isStuck || times > 1 && times%stuckAfter > 0 {
		return
	}
	st.d.notify(st.describeRefused(st.d, times))
}

// judgeCall asks first whether the call changes our own files, which no level and no
// bypass allows; then whether this agent may do anything; then the rules; then whether
// the agent that it starts may run here.
func (st *step) judgeCall() {
	var caller *Run
	if who := st.e.Agent; !who.IsMain() {
		if caller = st.s.Agents.find(who.ID); caller == nil { // its start was missed: it is checked here
			st.d.note("agent " + who.ID + " (" + who.Type + ") was not seen to start")
			caller = st.addAgent()
		}
	}
	for i, part := range st.e.Tool.Parts {
		if part.Guards != "" {
			st.d.Objections = append(st.d.Objections,
				Objection{Part: i, Rule: RuleProtect, Reason: protects(part.Guards), Verdict: Deny,
					StrictVerdict: Deny})
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
	if st.e.Tool.Starts != nil {
		planner{st}.readFile()
	}
	st.judgeParts()
	if prompt := st.e.Tool.Prompt; prompt != "" && !st.s.IsScheduled(prompt) &&
		len(st.s.Turn.Scheduled) >= maxScheduled {
		st.object(Objection{Part: WholeCall, Rule: RuleLimits, Reason: tooManyScheduled(maxScheduled),
			Verdict: st.soften(st.level, Deny), StrictVerdict: Deny})
	}
	for i, part := range st.e.Tool.Parts {
		if part.Client != "" {
			st.judgeStart(Start{How: ByShell, Type: part.Client}, i)
		}
	}
	if start := st.e.Tool.Starts; start != nil {
		st.judgeStart(*start, WholeCall)
	}
	st.settleBudgets()
	if st.d.Verdict < Deny {
		st.s.Turn.schedule(st.e.Tool.Prompt)
	}
}

// object records an objection and keeps the strictest; of equal ones the first.
func (st *step) object(o Objection) {
	if b, ok := st.findBypass(o.Rule); ok {
		st.recordBypass(o, b)
		o.Bypassed, o.Verdict = true, Pass
		st.d.Objections = append(st.d.Objections, o)
		return
	}
	st.d.Objections = append(st.d.Objections, o)
	st.d.StrictVerdict = max(st.d.StrictVerdict, o.StrictVerdict)
	if o.Verdict > st.d.Verdict || st.d.Rule == "" {
		st.d.Verdict, st.d.Reason, st.d.Proposed = o.Verdict, o.Reason, o.Proposed
		st.d.Rule, st.d.RuleType, st.d.Where = o.Rule, o.RuleType, o.Where
	}
}

// objectToQuarantined refuses every call of a quarantined agent, as far as the level
// goes. The user is not asked: the agent runs already.
func (st *step) objectToQuarantined(r Run) {
	v := st.level.soften(Deny)
	if v == Ask {
		v = Deny
	}
	st.object(Objection{Part: WholeCall, Rule: RulePipeline, Where: st.state().Place, Verdict: v, StrictVerdict: Deny,
		Reason: inQuarantine(r, st.describeNext(Agent{}))})
}

// isOrchestrator reports whether the orchestrator's rules bind the caller: the main
// agent, and a fork, which is a copy of it.
func (st *situation) isOrchestrator() bool {
	return st.e.Agent.IsMain() || strings.EqualFold(st.e.Agent.Type, "fork")
}

// callerRules are the project's for the caller, and the organisation's beside them. Where
// the project has none of its own, the organisation's stand in their place.
func (st *situation) callerRules() (own, locked *Rules) {
	own, locked = &st.p.Subagents, &st.p.Ceiling.Subagents
	if st.isOrchestrator() {
		own, locked = &st.p.Main, &st.p.Ceiling.Main
	}
	if own.Locked {
		return locked, &Rules{}
	}
	return own, locked
}

// judgeParts puts each part of the call before the caller's rules, and before those that
// are locked.
func (st *step) judgeParts() {
	set, locked := st.callerRules()
	for i := range st.d.Parts {
		part := st.d.Parts[i].Part
		st.d.Parts[i] = st.applyRule(st.findRule(set, part), i, part)
		if len(locked.List) > 0 {
			st.applyRule(st.findRule(locked, part), i, part)
		}
	}
}

// settleBudgets gives back what a call was charged that is denied, by whatever; only a
// call that may be made uses up a budget and counts for `within`.
func (st *step) settleBudgets() {
	if st.d.Verdict == Deny {
		st.s.Budgets.restore(st.usesBefore)
		return
	}
	back := 0
	set, locked := st.callerRules()
	for _, r := range slices.Concat(set.List, locked.List) {
		back = max(back, r.Within)
	}
	if back > 0 && len(st.d.Parts) > 0 {
		st.s.Budgets.addRecent(st.e.Agent.ID, st.e.Tool.Parts, back)
	}
}

// applyRule takes a call from the rule's budget, or raises its objection to a part.
func (st *step) applyRule(r *Rule, i int, part Part) Ruling {
	free, attempt := r.Budgeted && st.isCharged(r.Name), 0
	if r.Budgeted && !free {
		free, attempt = st.s.Budgets.charge(r, st.e.Agent.ID, st.e.Tool.UseID, part)
	}
	ruling := st.rulingOf(r, part, free)
	if free || r.Verdict == Pass {
		return ruling
	}
	o := Objection{Part: i, Rule: orDefault(r.Name), RuleType: r.Type, Where: r.Place,
		Verdict: st.soften(st.levelOf(r), r.Verdict), StrictVerdict: r.Verdict}
	times := 1 // a call that is not refused gets the same text each time
	if _, bypassed := st.findBypass(o.Rule); o.Verdict > Warn && !bypassed {
		times = countRefusal(&st.s.Budgets.Refusals, r.Name, st.describePart(part), st.e.Tool.UseID)
	}
	if !st.isTrial {
		o.Reason, o.Proposed = st.refusalText(r, part, attempt, times, o.Verdict)
		o.Reason += st.explainUnasked(st.levelOf(r), r.Verdict)
	}
	if times%stuckAfter == 0 && !st.isStuck {
		st.d.notify(st.agentIsStuck(st.describePart(part), r.Name, times))
		st.isStuck = true
	}
	st.object(o)
	return ruling
}

// findRule is the first rule that fits a part of the call.
func (st *situation) findRule(set *Rules, part Part) *Rule {
	for i := range set.List {
		r := &set.List[i]
		if !r.isOff() && r.fits(st, part) &&
			(r.Within == 0 || st.s.Budgets.hasRecent(st.e.Agent.ID, part.Tool, r.Within)) {
			return r
		}
	}
	return &set.Default
}

// rulingOf is what a rule makes of a part, before any objection.
func (st *situation) rulingOf(r *Rule, part Part, free bool) Ruling {
	out := Ruling{Part: part, Rule: orDefault(r.Name), RuleType: r.Type, Where: r.Place}
	if free {
		out.Free, out.SpentStrict = r.Budget, r.Verdict
		if _, bypassed := st.findBypass(out.Rule); !bypassed {
			out.Spent = st.soften(st.levelOf(r), r.Verdict)
		}
	}
	return out
}

// settleParts completes the rulings with the objections. If the call was refused before
// the rules were asked, it asks them here, which uses up no budget.
func (st *step) settleParts() {
	set, _ := st.callerRules()
	for i := range st.d.Parts {
		ruling := &st.d.Parts[i]
		var unasked *Rule
		if ruling.Rule == "" {
			unasked = st.findRule(set, ruling.Part)
			*ruling = st.rulingOf(unasked, ruling.Part, unasked.Budgeted && st.hasBudget(unasked))
		}
		for _, o := range st.d.Objections {
			if o.Part == i || o.Part == WholeCall {
				ruling.raise(o)
			}
		}
		if unasked != nil && unasked.Verdict > Pass && ruling.Free == 0 {
			ruling.raise(Objection{Rule: orDefault(unasked.Name), RuleType: unasked.Type, Where: unasked.Place,
				Verdict: st.soften(st.levelOf(unasked), unasked.Verdict), StrictVerdict: unasked.Verdict})
		}
	}
}

// hasBudget reports whether the rule would let this call pass by its budget.
func (st *situation) hasBudget(r *Rule) bool {
	b := st.s.Budgets.find(r.Name, st.e.Agent.ID)
	return st.isCharged(r.Name) || r.Budget > 0 && (b == nil || b.Used+len(b.Held) < r.Budget)
}

// isCharged reports whether an earlier event charged this very call: two registrations
// of our hooks may ask for it.
func (st *situation) isCharged(rule string) bool {
	use := st.e.Tool.UseID
	return use != "" && slices.ContainsFunc(st.usesBefore, func(b Budget) bool {
		return b.Rule == rule && b.Agent == st.e.Agent.ID && slices.Contains(b.Held, use)
	})
}

// judgeStart decides whether an agent may start, and if so leaves an admission for it.
func (st *step) judgeStart(start Start, part int) {
	in, m := st.state(), st.s.Machine
	a := Admission{UseID: st.e.Tool.UseID, How: start.How, Type: start.Type, Name: start.Name, By: st.e.Agent.ID,
		State: in.Name, Visit: m.Visit, Epoch: m.Epoch}
	if start.How == ByMessage {
		r := st.s.Agents.findByName(start.Name)
		if r == nil && st.mayBeForgotten(start.Name) {
			st.object(Objection{Part: part, Rule: RulePipeline, Where: in.Place, Reason: endedLongAgo(start.Name),
				Verdict: st.soften(st.level, Deny), StrictVerdict: Deny})
			return
		}
		if r == nil || r.isActive() {
			return
		}
		a.ID, a.Type = r.ID, r.Type
	}
	rule, reason := RulePipeline, st.whyNotAdmitted(in, start, a.Type)
	if reason == "" {
		rule, reason = RuleLimits, st.whyTooMany(a)
	}
	if reason == "" {
		rule, reason = RuleTasks, planner{st}.whyWaits(start, a.Type)
	}
	if reason == "" {
		rule, reason = RuleLimits, cmp.Or(st.whyOverLimit(), st.whyNotAlone())
	}
	if reason != "" {
		v := st.soften(st.level, Deny)
		if v == Ask {
			reason = askAboutStart(st.e.Agent, start, a.Type, reason)
		}
		reason += st.explainUnasked(st.level, Deny)
		st.object(Objection{Part: part, Rule: rule, Where: in.Place, Reason: reason, Verdict: v, StrictVerdict: Deny})
		a.DespiteObjection = true
	}
	if st.d.Verdict < Deny && start.How != ByShell {
		st.s.Agents.admit(a)
	}
}

// whyNotAdmitted is why the state does not admit the start; empty if it does.
func (st *situation) whyNotAdmitted(in State, start Start, agent string) string {
	if len(st.p.States) == 0 {
		return ""
	}
	if slices.ContainsFunc(st.startNames(start), func(name string) bool { _, ok := in.Admits(name); return ok }) {
		return ""
	}
	if st.isTrial {
		return "refused"
	}
	elsewhere := st.findLater(func(s Session) bool {
		at, _ := st.p.FindState(s.Machine.State)
		_, ok := at.Admits(agent)
		return ok && agent != "" && st.mayStart(s, agent)
	}).state
	return mayNotStart(in.Name, elsewhere, start, agent, st.describeNext(st.e.Agent))
}

// startNames lists the names by which states and rules mean what a call starts.
func (st *situation) startNames(start Start) []string {
	switch start.How {
	case BySkill:
		return []string{start.Name, start.Type}
	case ByWorkflow:
		return []string{"workflow-subagent"}
	case ByMessage:
		if r := st.s.Agents.findByName(start.Name); r != nil && !r.isActive() {
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

// mayBeForgotten reports whether a message may wake an agent that had ended and is no
// longer remembered. Members of a team may have names that we never saw.
func (st *situation) mayBeForgotten(name string) bool {
	return st.s.Agents.Forgotten > 0 && !st.s.Agents.hasTeam() &&
		!slices.Contains([]string{"", "*", "main", "team-lead"}, name)
}

// whyTooMany is why a start is refused when more agents are about to start than are
// remembered; empty if they are not. A limit of the config may be larger.
func (st *situation) whyTooMany(a Admission) string {
	n := len(st.s.Agents.Pending)
	again := slices.ContainsFunc(
		st.s.Agents.Pending,
		func(b Admission) bool { return a.UseID != "" && b.UseID == a.UseID },
	)
	if a.How == ByWorkflow || a.How == ByShell || again || n < max(maxPending, st.runningLimit()) {
		return ""
	}
	return tooManyPending(n)
}

// whyOverLimit is why one more agent may not start now; empty if it may.
func (st *situation) whyOverLimit() string {
	if most := st.runningLimit(); most > 0 {
		running := st.s.RunningAgents()
		n := len(running)
		for _, a := range st.s.Agents.Pending {
			if st.isExpected(a) {
				n++
			}
		}
		if n >= most {
			return tooMany(n, most, running)
		}
	}
	if deepest := st.p.Limits.Depth; deepest > 0 {
		if depth := st.depthOf(st.e.Agent.ID) + 1; depth > deepest {
			return tooDeep(depth, deepest)
		}
	}
	return ""
}

// isExpected reports whether an agent is still expected to start by an admission, other
// than that of this very call.
func (st *situation) isExpected(a Admission) bool {
	return st.s.Agents.isAwaited(a) && (a.UseID == "" || a.UseID != st.e.Tool.UseID)
}

// runningLimit is how many agents may run at once. The environment variable counts if
// it is a number above zero.
func (st *situation) runningLimit() int {
	if env := st.p.Limits.RunningEnv; env != "" {
		if n, err := strconv.Atoi(st.e.Facts.Env[env]); err == nil && n > 0 {
			return n
		}
	}
	return st.p.Limits.Running
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
		r := st.s.Agents.find(id)
		switch {
		case r == nil || r.By == UnknownCaller:
			return depth
		case r.Depth > 0:
			return r.Depth + depth - 1
		case r.By == "":
			return depth
		}
		id = r.By
	}
	return maxDepth
}
