package fsm

import (
	"cmp"
	"slices"
	"strings"
)

// startAgent takes up an agent that has started. It can no longer be refused; an agent
// that was not admitted is quarantined, and its tool calls are refused.
func (tr tracker) startAgent() {
	r, isNew := tr.caller(), true
	if r == nil {
		r = tr.addAgent()
	} else { // the same id starts once more, woken by a message or by an agent that it had started
		a, isWoken := tr.s.Agents.takeAdmitted(func(a Run) bool { return a.Wakes == tr.e.Agent.ID })
		r, isNew = tr.caller(), false
		if isWoken {
			isNew = r.Visit != a.Visit
			r.Quarantined, r.Returned, r.State = "", 0, cmp.Or(a.State, r.State)
			r.Calls, r.Since, r.Warned = 0, tr.e.Time, false // it has more to do
			if !r.Fired {
				r.Visit, r.Epoch = a.Visit, a.Epoch
			}
		}
		tr.reviveRun(r)
		r.Status, r.Final = Running, nil
		if pr := tr.s.Progress; pr != nil && pr.MayResume(r.ID) {
			tr.beginPhase(r)
		}
	}
	if r.Quarantined != "" {
		if tr.objectToQuarantined(*r); tr.Verdict > Pass {
			tr.inject(tr.Reason)
		}
		return
	}
	if r.By != "" && r.By != unknownCaller {
		return
	}
	tr.s.Planned = false
	if isNew {
		if r.By == "" {
			tr.s.refillBudgets(tr.p, "delegate")
		}
		tr.inject(tr.renderBrief(r.Type))
		if tr.isConfined() {
			tr.inject(tr.describeConfined())
		}
	}
}

// reviveRun: a sign of life of a run that was given up. It was not over.
func (tr tracker) reviveRun(r *Run) {
	if r.Status == Lost || r.Status == Failed {
		tr.noteRun(r, "was given up as %s and runs", r.Status)
		r.Status = Running
	}
}

// noteRun notes something of a run for the record.
func (st *step) noteRun(r *Run, format string, args ...any) {
	st.note("agent %s (%s) "+format, append([]any{r.ID, r.Type}, args...)...)
}

// addAgent makes a run of an agent that was not seen before, by the admission it fits
// or by what the state allows.
func (tr tracker) addAgent() *Run {
	who := tr.e.Agent
	r, found := tr.s.takeAdmitted(who)
	if !found {
		r = Run{By: unknownCaller, State: tr.s.State, Visit: tr.s.Visit, Epoch: tr.s.Epoch}
	}
	if !found || r.How != ByAgent || sameAgent(r.Type, who.Type) {
		r.Type = who.Type // else a teammate: its host gives its name as its type
	}
	r.ID, r.Teammate, r.Status, r.Since = who.ID, who.Teammate, Running, tr.e.Time
	if r.By == unknownCaller && who.Parent != "" {
		if r.By = who.Parent; who.Parent == tr.s.ID {
			r.By = ""
		}
	}
	if r.By != unknownCaller {
		r.Depth = tr.depthOf(r.By) + 1
	}
	// once more by the canonical name: a spelling that passed as a request must not admit another agent
	if (!found || !r.DespiteObjection && r.How == ByAgent) && len(tr.p.States) > 0 &&
		tr.table().Admits(r.State, r.Type) == nil {
		r.Quarantined = cmp.Or(tr.s.State, noState)
		tr.noteRun(&r, "started without admission")
	}
	if !found && tr.s.Forgotten > 0 { // it may be one of those: it moves nothing twice, and may no more
		r.Fired, r.State = true, tr.p.Initial
	}
	tr.s.addRun(r)
	added := tr.s.findRun(r.ID)
	tr.beginPhase(added)
	return added
}

// stopAgent: an agent has come back. The evidence decides whether that completes it.
func (tr tracker) stopAgent() {
	who, r := tr.e.Agent, tr.caller()
	switch {
	case r != nil:
	case tr.e.Facts.Spawn == nil || who.Type == "":
		tr.note("phantom: agent %s (%q) stopped and was never started", who.ID, who.Type)
		return
	default:
		tr.note("agent %s (%s) was not seen to start; the host's files name it", who.ID, who.Type)
		r = tr.addAgent()
	}
	if spawn := tr.e.Facts.Spawn; spawn != nil && r.How != ByWorkflow { // the host's own note of who started it
		switch {
		case spawn.ParentID != "":
			r.By = spawn.ParentID
		case spawn.Depth == 1 && spawn.UseID != "":
			r.By = ""
		case spawn.Depth > 1 && r.By == "":
			r.By = unknownCaller
		}
		r.UseID, r.Depth = cmp.Or(spawn.UseID, r.UseID), cmp.Or(max(spawn.Depth, 0), r.Depth)
	}
	switch text := strings.TrimSpace(tr.e.Text); {
	case r.Quarantined != "":
		r.Status = Done
		tr.noteRun(r, "was not admitted: it moves nothing")
		tr.reportUncounted(r, "it was not admitted when it started")
	case text == "":
		tr.failAgent(r, "returned nothing")
	case slices.ContainsFunc(tr.p.Fails, func(f string) bool { return findSubmatch(f, text) != nil }):
		tr.failAgent(r, "reported a failure")
	case tr.s.hasActiveChild(r.ID):
		ref := tr.keepText(text, r.ID)
		r.Status, r.Final = Waiting, &ref
		tr.noteRun(r, "stopped while an agent of its own runs")
	case tr.sendBack(r, text):
		if tr.Hold {
			return // it goes on
		}
	default:
		tr.completeAgent(r, text)
		if r.By == "" {
			why := tr.remind("remind.after_agent", tr.p.Remind.AfterAgent, r.Type)
			tr.queueNotice(PendingNotice{Why: why})
		}
	}
	id := r.ID
	tr.s.dropAdmitted(func(a Run) bool { return a.By == id })
	tr.s.releaseBudgets(id)
}

// failAgent ends a run that moves nothing, and says so where it could have moved
// something.
func (tr tracker) failAgent(r *Run, why string) {
	r.Status, r.Final = Failed, nil
	tr.s.finishAgent(r.ID, false)
	tr.noteRun(r, "%s: it moves nothing", why)
	if tr.table().HasWorker(tr.s.State, r.Type) && r.By == "" && r.Quarantined == "" {
		tr.queueNotice(PendingNotice{About: agentFailed, Agent: r.Type, Why: why, Visit: tr.s.Visit})
	}
	tr.loseChildren(r.ID)
}

// endReported ends the agents that a host reports to have failed or to be gone, by id, by name or else by type: the
// first that runs, or the latest that was let in and has not begun.
func (tr tracker) endReported() {
	for _, name := range tr.e.Tool.Over {
		a := &tr.s.Agents
		r := a.findByName(name)
		if r == nil || !r.isActive() {
			r = a.findRunBy(func(r *Run) bool { return r.isActive() && sameAgent(r.Type, name) })
		}
		if r != nil {
			tr.failAgent(r, "failed or is gone, as the host reports")
		} else {
			a.takeAdmitted(func(r Run) bool { return r.Name == name || sameAgent(r.Type, name) })
		}
	}
}

// loseChildren gives up what an agent had started that is over itself. In the background it goes on.
func (tr tracker) loseChildren(id string) {
	tr.loseAgents(func(r *Run) bool { return r.By == id && !r.Background }, "the agent that started it is over")
}

// loseAllAgents gives up what runs and what is to start.
func (tr tracker) loseAllAgents(why string) {
	tr.s.dropAdmitted(func(Run) bool { return true })
	tr.loseAgents(func(*Run) bool { return true }, why)
}

// loseAgents gives up the agents that run and are meant. A sign of life revives them.
func (tr tracker) loseAgents(isMeant func(*Run) bool, why string) {
	for i := range tr.s.Runs {
		if r := &tr.s.Runs[i]; r.isActive() && isMeant(r) {
			tr.loseAgent(r, why)
		}
	}
}

func (tr tracker) loseAgent(r *Run, why string) {
	r.Status, r.Final = Lost, nil
	tr.s.freeAgent(r.ID)
	tr.noteRun(r, "is lost: %s", why)
	tr.loseChildren(r.ID)
}

// takeAdmitted finds the admitted run that an agent is: by its id, or else the newest by its type, its
// name, a skill. One that is still awaited comes first, then one of this visit and epoch. Else a
// start by the main agent would count as another one, and move nothing.
func (s *Session) takeAdmitted(who Agent) (Run, bool) {
	best, at := 0, -1
	for i, r := range s.Runs {
		var score int
		switch sameType := sameAgent(r.Type, who.Type); { // how surely it is the agent's
		case r.Status != Admitted || r.ID != "" && r.ID != who.ID:
			continue
		case r.ID != "":
			score = 100
		case r.How == ByAgent && sameType:
			score = 3
		case r.How == ByAgent && r.Name != "" && sameAgent(r.Name, who.Type):
			score = 2
		case r.How == BySkill && sameType:
			score = 1
		default:
			continue
		}
		if s.isAwaited(r) {
			score += 20
		}
		if r.Visit == s.Visit && r.Epoch == s.Epoch {
			score += 10
		}
		if score >= best {
			best, at = score, i
		}
	}
	if at >= 0 {
		r := s.Runs[at]
		s.Runs = slices.Delete(s.Runs, at, at+1)
		return r, true
	}
	unasked := Run{How: ByPerson, State: s.State, Visit: s.Visit, Epoch: s.Epoch}
	if len(s.Workflows) > 0 {
		unasked.How, unasked.UseID, unasked.By = ByWorkflow, s.Workflows[0].UseID, unknownCaller
		return unasked, true
	}
	if r, ok := s.Agents.takeAdmitted(func(r Run) bool { return r.How == ByPerson }); ok {
		return r, true
	}
	// the model requests its own forks at PreToolUse; any other fork is the user's
	return unasked, who.Type == "fork"
}

// reconcileAgents gives up agents that the host no longer lists. They become active
// again if they show up.
func (tr tracker) reconcileAgents() {
	listed := tr.e.Tasks
	if listed == nil {
		return
	}
	if !listed.Workflow {
		tr.s.Workflows = nil
	}
	tr.loseAgents(func(r *Run) bool {
		neverListed := listed.Workflow && (r.How == ByWorkflow || r.By == unknownCaller) ||
			listed.Team && r.Name != ""
		return r.Status == Running && !slices.Contains(listed.IDs, r.ID) && !neverListed
	}, "the host no longer lists it")
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
	if r := a.findRun(t.Result.AgentID); r != nil {
		if t.Starts.How == ByAgent {
			r.UseID, r.By = t.UseID, tr.e.Agent.ID
		}
		r.Background = !t.Result.Done
		if t.Result.Done {
			r.Delivered = true
			if r.Status == Running { // the call is over, and we saw no end of the agent
				tr.failAgent(r, "was cut short")
			}
		}
		return
	}
	for i := range a.Runs { // without a call's id it is not known which
		if r := &a.Runs[i]; r.Status == Admitted && t.UseID != "" && r.UseID == t.UseID && !t.Result.Done {
			r.ID, r.Background = t.Result.AgentID, true
		}
	}
}
