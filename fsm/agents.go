package fsm

import (
	"fmt"
	"regexp"
	"strings"
)

// agentStart takes up an agent that has started. It cannot be refused any more; who was not let in is barred, and every
// tool call it makes is refused.
func (st *step) agentStart() {
	fresh := true
	if r := st.s.run(st.e.Agent.ID); r != nil {
		fresh = st.again(r)
	} else {
		st.started()
	}
	r := st.s.run(st.e.Agent.ID)
	st.begun(r)
	if r.Quarantined == "" && (r.By == "" || r.By == UnknownCaller) {
		st.s.Tasks.Planned = false
	}
	switch {
	case r.Quarantined != "":
		st.objectToQuarantined(*r)
		if st.d.Verdict > Pass {
			st.inject(st.d.Reason)
		}
	case fresh && (r.By == "" || r.By == UnknownCaller):
		if r.By == "" {
			st.refill("delegate", "")
		}
		st.inject(st.brief(st.s.Machine.State, r.Type))
	}
}

// again: the same id starts once more, woken by a message or by an agent that it had started. It reports whether there
// is something new to brief it on.
func (st *step) again(r *Run) (news bool) {
	if a, ok := st.s.take(func(a Admission) bool { return a.ID == r.ID }); ok {
		news = r.Visit != a.Visit
		r.Quarantined, r.Returned = "", 0
		if !r.Fired {
			r.Visit, r.Epoch = a.Visit, a.Epoch
		}
	}
	if r.Status == Lost {
		st.d.note(fmt.Sprintf("agent %s (%s) was thought lost and runs", r.ID, r.Type))
	}
	r.Status, r.Final = Running, nil
	return news
}

// started makes a run of an agent that was not seen before, by the admission it fits or by what the state allows.
func (st *step) started() {
	who := st.e.Agent
	r := Run{ID: who.ID, Type: who.Type, Status: Running, By: UnknownCaller, Visit: st.s.Machine.Visit, Epoch: st.s.Machine.Epoch}
	a, ok := st.admission(who)
	if ok {
		r.How, r.By, r.UseID, r.Visit, r.Epoch = a.How, a.By, a.UseID, a.Visit, a.Epoch
		r.Name = a.Name
		if a.How == ByAgent && !sameAgent(a.Type, who.Type) {
			r.Type = a.Type // a teammate, whose host says its name for its type
		}
	}
	r.Teammate = who.Teammate
	if r.By != UnknownCaller {
		r.Depth = st.depth(r.By) + 1
	}
	if !st.admitted(a, ok, r.Type) {
		r.Quarantined = orNone(st.s.Machine.State)
		st.d.note(fmt.Sprintf("agent %s (%s) started without being let in", r.ID, r.Type))
	}
	st.s.add(r)
}

// admission finds what let the agent in, the surest first: its id, its type, its name, a script, a person. Whom somebody
// had asked for that is gone comes after those that are still wanted: else what the main agent has started would count
// as that one's, and move nothing.
func (st *step) admission(who Agent) (Admission, bool) {
	fits := []func(Admission) bool{
		func(a Admission) bool { return a.ID != "" && a.ID == who.ID },
		func(a Admission) bool { return a.ID == "" && a.How == ByAgent && sameAgent(a.Type, who.Type) },
		func(a Admission) bool {
			return a.ID == "" && a.How == ByAgent && a.Name != "" && sameAgent(a.Name, who.Type)
		},
		func(a Admission) bool { return a.How == BySkill && sameAgent(a.Type, who.Type) },
	}
	for _, wanted := range []func(Admission) bool{st.wanted, func(Admission) bool { return true }} {
		for _, fit := range fits {
			if a, ok := st.s.take(func(a Admission) bool { return fit(a) && wanted(a) }); ok {
				return a, true
			}
		}
	}
	if len(st.s.Agents.Workflows) > 0 {
		return Admission{How: ByWorkflow, UseID: st.s.Agents.Workflows[0].UseID, By: UnknownCaller, Visit: st.s.Machine.Visit, Epoch: st.s.Machine.Epoch}, true
	}
	if a, ok := st.s.take(func(a Admission) bool { return a.How == ByPerson }); ok {
		return a, true
	}
	if who.Type == "fork" { // the model's own forks ask at PreToolUse; one that did not ask is the user's
		return Admission{How: ByPerson, Visit: st.s.Machine.Visit, Epoch: st.s.Machine.Epoch}, true
	}
	return Admission{}, false
}

// admitted checks once more under the canonical name: a spelling that passed as a request must not let another agent in.
func (st *step) admitted(a Admission, found bool, agent string) bool {
	if len(st.p.States) == 0 {
		return true
	}
	if found && (a.DespiteObjection || a.How != ByAgent) {
		return true
	}
	in := st.state()
	if found {
		in, _ = st.p.FindState(a.State)
	}
	_, ok := in.Admits(agent)
	return ok
}

// agentStop: an agent has come back. Whether that completes it is a matter of evidence.
func (st *step) agentStop() {
	r := st.s.run(st.e.Agent.ID)
	if r == nil {
		if r = st.onDisk(); r == nil {
			st.d.note(fmt.Sprintf("phantom: agent %s (%q) stopped and was never started", st.e.Agent.ID, st.e.Agent.Type))
			return
		}
	}
	st.parentage(r)
	switch text := strings.TrimSpace(st.e.Text); {
	case r.Quarantined != "":
		r.Status = Done
		st.d.note(fmt.Sprintf("agent %s (%s) was not let in: it moves nothing", r.ID, r.Type))
	case text == "":
		st.fail(r, "returned nothing")
	case st.failing(text):
		st.fail(r, "reported a failure")
	case st.s.parents(r.ID):
		r.Status, r.Final = Waiting, st.keep(text, r.ID)
		st.d.note(fmt.Sprintf("agent %s (%s) stopped while an agent of its own runs", r.ID, r.Type))
	case st.sentBack(r, text):
		if st.d.Hold {
			return // it goes on
		}
	default:
		st.complete(r, text)
		st.adoptFrom(r, text)
		if r.By == "" {
			st.owe(st.remind("remind.after_agent", st.p.Remind.AfterAgent, r.Type))
		}
	}
	st.s.drop(func(a Admission) bool { return a.By == r.ID })
	st.release(r.ID)
}

// onDisk makes a run of an agent whose start we missed and that the host's files name.
func (st *step) onDisk() *Run {
	spawn := st.e.Facts.Spawn
	if spawn == nil || st.e.Agent.Type == "" {
		return nil
	}
	st.d.note(fmt.Sprintf("agent %s (%s) was not seen to start; the host's files name it", st.e.Agent.ID, st.e.Agent.Type))
	st.started()
	r := st.s.run(st.e.Agent.ID)
	st.begun(r)
	return r
}

// parentage corrects who started a run by what the host has written down.
func (st *step) parentage(r *Run) {
	spawn := st.e.Facts.Spawn
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

func (st *step) failing(text string) bool {
	for _, f := range st.p.Fails {
		if re, err := regexp.Compile(f); err == nil && re.MatchString(text) {
			return true
		}
	}
	return false
}

// fail ends a run that moved nothing, and says so where it would have moved something.
func (st *step) fail(r *Run, why string) {
	r.Status, r.Final = Failed, nil
	st.ended(r, false)
	st.d.note(fmt.Sprintf("agent %s (%s) %s: it moves nothing", r.ID, r.Type, why))
	if t, ok := st.state().Admits(r.Type); ok && !t.Helper && r.By == "" && r.Quarantined == "" {
		st.owe(stayed(r.Type, why, st.s.Machine.State) + " Start it again, or another that may run here.")
	}
}

func (st *step) lose(r *Run, why string) {
	r.Status, r.Final = Lost, nil
	st.freed(r.ID)
	st.d.note(fmt.Sprintf("agent %s (%s) is lost: %s", r.ID, r.Type, why))
}

// agentFailure: the host says that an agent ended in an error.
func (st *step) agentFailure() {
	r := st.s.run(st.e.Agent.ID)
	if r == nil {
		st.d.note(fmt.Sprintf("agent %s (%s) failed and was never seen to start", st.e.Agent.ID, st.e.Agent.Type))
		return
	}
	st.fail(r, "failed")
}
