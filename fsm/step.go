package fsm

import (
	"cmp"
	"fmt"
)

// Step is the transition function: the session after e, and the answer to e. It leaves
// s as it was.
func (p *Policy) Step(s Session, e Event) (Session, Decision) {
	st := newStep(p, s, e)
	st.d.Notes = append(st.d.Notes, e.Notes...)
	st.run()
	st.d.StrictVerdict = max(st.d.StrictVerdict, st.d.Verdict)
	st.limitTalk()
	return st.s, st.d
}

// A situation is what a step goes by: the policy, the session as it becomes, the event
// and the level. Its methods are questions; they change nothing.
type situation struct {
	p *Policy
	s Session
	e Event

	level       Level
	ruleCap     Level   // no rule's own level counts for more: a person has set it
	before      Budgets // as they were before the event
	verdictOnly bool    // nothing is put into words
	states      *Table  // who may start where; see table
}

// table answers who may start in a state, and what moves the machine there.
func (st *situation) table() *Table {
	if st.states == nil {
		st.states = st.p.NewTable()
	}
	return st.states
}

// A step is one run of the transition function: the situation, and the decision as it
// becomes. Its own methods open the session, answer prompts, results and turns, and speak to agents.
type step struct {
	situation
	d Decision

	asked    *Gate // the first gate whose result was asked for and is not there
	askedKey string
}

// The parts of a step, each with a task and a file of its own.
type (
	judge struct { // decides a call before it is made: judge.go
		tracker
		isStuck bool     // the user is notified that the agent makes the same call again and again
		counted []string // what this call has counted
	}
	tracker struct{ mover } // follows the agents from their start to their end: agents.go, return.go
	mover   struct{ *step } // moves the machine and says why it stays: move.go; keeps the order of work: graph.go
)

func (st *step) judge() *judge    { return &judge{tracker: st.tracker()} }
func (st *step) tracker() tracker { return tracker{st.mover()} }
func (st *step) mover() mover     { return mover{st} }

func newStep(p *Policy, s Session, e Event) *step {
	return &step{situation: situation{p: p, s: s.clone(), e: s.Identify(e), before: s.Budgets}}
}

func (st *step) run() {
	st.findLevel()
	if st.level == Off {
		if st.s.ID != "" && !st.s.Off {
			st.s.Off = true
			st.d.note("the level is off: nothing is tracked from here on")
		}
		return
	}
	st.openSession()
	st.s.Counts.countTurn(st.e)
	switch st.e.Kind {
	case SessionStart:
		st.startSession()
	case Prompt:
		st.takePrompt()
	case PromptExpansion:
		st.takeCommand()
	case ToolRequest:
		st.judge().answerRequest()
	case ToolResult, ToolFailure:
		st.takeResult()
	case AgentStart:
		st.tracker().startAgent()
	case AgentStop:
		st.tracker().stopAgent()
	case AgentFailure:
		if r := st.caller(); r != nil {
			st.tracker().failAgent(r, "failed")
		} else {
			st.d.note(fmt.Sprintf("agent %s (%s) failed and was never seen to start", st.e.Agent.ID, st.e.Agent.Type))
		}
	case TurnStop:
		st.stopTurn()
	case TurnFailure:
		st.s.Turn.end()
		st.d.note("the main agent's turn failed: " + short(st.e.Text, 80))
	case Compacted:
		st.repeatAfterCompaction()
	case SessionEnd:
		st.s.Agents.dropAdmitted(func(Run) bool { return true })
		st.tracker().loseAllAgents("the session has ended")
	case Reset:
		st.resetMachine()
	case Approve, Reject:
		st.mover().answerApproval()
	case ConfigChange: // the hooks keep running, when the file as it now stands would remove ours
		if why := st.e.Facts.Tampered; why != "" {
			st.d.Verdict, st.d.Rule, st.d.Reason = Deny, RuleProtect, why
		}
	}
	st.tracker().completeWaiting(func(r *Run) bool { return r.Delivered })
}

// openSession makes sure that there is a session, and that it is in a state.
func (st *step) openSession() {
	isNew := st.s.ID == ""
	st.s.ID, st.s.Policy = st.e.Session, st.p.Fingerprint
	m := &st.s.Machine
	if m.Off {
		st.d.note("switched on again: the pipeline begins at " + st.p.Initial)
		st.s = Session{ID: st.s.ID, Policy: st.s.Policy,
			Machine: Machine{Epoch: m.Epoch + 1, Visit: m.Visit, Level: m.Level, ActivatedBy: m.ActivatedBy,
				ActivatedByFile: m.ActivatedByFile},
			Turn: Turn{Scheduled: st.s.Turn.Scheduled}, Talk: Talk{Chars: st.s.Talk.Chars}, Counts: st.s.Counts}
	}
	if isNew && st.e.Kind != SessionStart {
		st.d.note("the session was under way before pipeline saw it")
	}
	if _, known := st.p.FindState(m.State); m.State != "" && !known {
		st.d.notify(fmt.Sprintf("this session's state %s is in no config any more: it begins at %s again", m.State,
			cmp.Or(st.p.Initial, noState)))
		st.d.note("state " + m.State + " is unknown to the policy")
		m.State = ""
	}
	if m.State == "" && st.p.Initial != "" {
		st.mover().enterState(st.p.Initial)
	}
}

// state is the session's state as the policy defines it.
func (st *situation) state() State {
	s, _ := st.p.FindState(st.s.State)
	return s
}

// caller is the run of the agent that the event is about; nil for the main agent, and one that is not known.
func (st *situation) caller() *Run { return st.s.Agents.find(st.e.Agent.ID) }

// startSession begins, continues or forks a pipeline. What ran before no longer runs.
func (st *step) startSession() {
	if parent := st.e.Facts.Parent; parent != nil && st.s.Moves == 0 {
		st.forkSession(*parent)
	}
	st.tracker().loseAllAgents("the session was started again")
	if pr := st.s.Tasks.Progress; pr != nil { // a fork continues its parent's progress, but not the parent's agents
		for _, run := range pr.Live() {
			st.s.Tasks.freeAgent(run)
		}
	}
	st.s.Agents.dropAdmitted(func(Run) bool { return true })
	st.s.Agents.Workflows = nil
	st.s.Budgets.release("")
	st.s.Tasks.Planned = false
	st.s.Turn.end()
	st.injectOpening(st.e.Source)
	st.mover().readFile()
	if st.p.SelfCheck {
		st.d.inject(st.e.Say(st.p.SelfCheckText()))
	}
	if st.e.Source == "resume" && st.s.Moves > 0 {
		st.d.inject(st.whereItStands())
	}
	way, pipeline := st.e.Host.takesCommands("You can type ")
	st.d.notify(fmt.Sprintf("%s, %s. %s%s status, %[4]s once for a quick fix, %[4]s reset REASON to start over",
		cmp.Or(st.s.State, "no states"), st.level, way, pipeline))
}

// forkSession continues a forked conversation's pipeline: its state and captures, not
// its agents.
func (st *step) forkSession(parent Session) {
	from := parent.clone()
	st.d.ForkedFrom = parent.ID
	from.ID, from.Policy, from.Agents, from.Counts = st.s.ID, st.s.Policy, Agents{}, st.s.Counts
	from.Approval = nil // its text is the parent's
	for _, r := range parent.Agents.Runs {
		from.Budgets.forget(r.ID)
	}
	if _, ok := st.p.FindState(from.State); !ok && st.p.Initial != "" {
		st.d.note("forked from " + parent.ID + ", whose state " + parent.State + " this policy does not have")
		return
	}
	st.s = from
	for name, text := range st.e.Facts.Captured {
		if ref, ok := from.Captures[name]; ok {
			st.d.Texts = append(st.d.Texts, Text{ref, text})
		}
	}
	st.d.note("forked from " + parent.ID)
}

// repeatAfterCompaction injects again what the compaction has removed from the context.
func (st *step) repeatAfterCompaction() {
	if !st.e.Agent.IsMain() {
		if r := st.caller(); r != nil && r.Quarantined == "" {
			st.d.Inject = st.renderBrief(r.Type)
		}
		return
	}
	if st.s.State != "" {
		if text := st.renderInject(); text != "" {
			st.d.Inject = ifMain + text
		}
		st.s.Talk.AnnouncedVisit = st.s.Visit
	}
	st.injectOpening("compact")
}

// resetMachine is a person's command: back to the initial state, or to the one named. Agents
// of the epoch before move nothing any more.
func (st *step) resetMachine() {
	from, to := st.s.State, st.e.Source
	if to == "" {
		to = st.p.Initial
		st.s.dropGraph()
		st.s.Captures, st.s.Tasks.GraphFile = nil, ""
	}
	st.s.Epoch++
	st.s.Agents.dropAdmitted(Run.isOfMain)
	st.s.Talk.Notices, st.s.Tasks.Planned, st.s.Turn.Held = nil, false, 0
	st.s.Turn.clearEdited()
	if from == "" && to == "" {
		st.s.Budgets.Uses = nil
		st.d.note("reset: budgets, captures and the task graph are forgotten")
		return
	}
	st.mover().enterState(to)
	st.mover().recordMove(Move{Trigger: "reset", From: from, To: to})
}
