package fsm

import (
	"cmp"
)

// Step is the transition function: the session after e, and the answer to e. It leaves
// s as it was.
func (p *Policy) Step(s Session, e Event) (Session, Decision) {
	st := newStep(p, s, e)
	st.Notes = append(st.Notes, e.Notes...)
	st.run()
	st.StrictVerdict = max(st.StrictVerdict, st.Verdict)
	st.limitTalk()
	return st.s, st.Decision
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
// becomes. Its own methods raise objections and speak to agents and persons.
type step struct {
	situation
	Decision

	asked    *Gate // the first gate whose result was asked for and is not there
	askedKey string
	counted  []string // what a call has counted
	isStuck  bool     // the user is notified that an agent makes the same call again and again
}

// The parts of a step, each with a task and files of its own.
type (
	handler struct{ tracker } // answers prompts, results and turns: step.go, calls.go, turn.go
	judge   struct{ tracker } // decides a call before it is made: judge.go
	tracker struct{ mover }   // follows the agents from their start to their end: agents.go, return.go
	mover   struct{ *step }   // moves the machine and says why it stays: move.go; keeps the order of work: graph.go
)

func newStep(p *Policy, s Session, e Event) handler {
	st := &step{situation: situation{p: p, s: s.clone(), e: s.Identify(e), before: s.Budgets}}
	return handler{tracker{mover{st}}}
}

func (h handler) run() {
	h.findLevel()
	if h.level == Off {
		if h.s.ID != "" && !h.s.Off {
			h.s.Off = true
			h.note("the level is off: nothing is tracked from here on")
		}
		return
	}
	h.openSession()
	switch h.e.Kind {
	case SessionStart:
		h.startSession()
	case Prompt:
		if h.e.Origin == Person && h.e.Agent.IsMain() {
			h.s.Began, h.s.Ended = h.e.Time, false
		}
		h.takePrompt()
	case PromptExpansion:
		h.takeCommand()
	case ToolRequest:
		judge(h).answerRequest()
	case ToolResult, ToolFailure:
		h.takeResult()
	case AgentStart:
		h.startAgent()
	case AgentStop:
		h.stopAgent()
	case AgentFailure:
		if r := h.caller(); r != nil {
			h.failAgent(r, "failed")
		} else {
			h.note("agent %s (%s) failed and was never seen to start", h.e.Agent.ID, h.e.Agent.Type)
		}
	case TurnStop:
		h.s.endTurn(h.e)
		h.stopTurn()
	case TurnFailure:
		h.s.endTurn(h.e)
		h.s.Turn.end()
		h.note("the main agent's turn failed: %s", short(h.e.Text, 80))
	case Compacted:
		h.repeatAfterCompaction()
	case SessionEnd:
		h.loseAllAgents("the session has ended")
	case Reset:
		h.resetMachine()
	case Approve, Reject:
		h.answerApproval()
	case ConfigChange: // the hooks keep running, when the file as it now stands would remove ours
		if why := h.e.Facts.Tampered; why != "" {
			h.Verdict, h.Rule, h.Reason = Deny, RuleProtect, why
		}
	}
	h.completeWaiting(func(r *Run) bool { return r.Delivered })
}

// completeWaiting completes the agents whose own agents have ended, of those that are meant, each with its last
// message. A completion may be what another one waits for.
func (tr tracker) completeWaiting(isMeant func(*Run) bool) {
	for again := true; again; {
		again = false
		for i := range tr.s.Runs {
			r := &tr.s.Runs[i]
			if r.Status != Waiting || tr.s.hasActiveChild(r.ID) || !isMeant(r) {
				continue
			}
			again = true
			text, ok := tr.e.Facts.Captured[r.ID]
			switch {
			case !ok:
				tr.failAgent(r, "left no text that could be found")
			case tr.isBinding() && tr.findBypass(RuleReturns) == nil &&
				tr.findFormMistake(tr.p.findReturns(r), text) != "":
				tr.failForForm(r)
			default:
				delivered := r.Delivered
				tr.completeAgent(r, text)
				r.Delivered = delivered
			}
		}
	}
}

// openSession makes sure that there is a session, and that it is in a state.
func (h handler) openSession() {
	isNew := h.s.ID == ""
	h.s.ID, h.s.Policy = h.e.Session, h.p.Fingerprint
	m := &h.s.Machine
	if m.Off {
		h.note("switched on again: the pipeline begins at %s", h.p.Initial)
		h.s = Session{ID: h.s.ID, Policy: h.s.Policy,
			Machine: Machine{Epoch: m.Epoch + 1, Visit: m.Visit, Level: m.Level, ActivatedBy: m.ActivatedBy,
				ActivatedByFile: m.ActivatedByFile},
			Turn: Turn{Scheduled: h.s.Scheduled}, Talk: Talk{Chars: h.s.Chars, Weaker: h.s.Weaker}, Counts: h.s.Counts}
	}
	if isNew && h.e.Kind != SessionStart {
		h.note("the session was under way before pipeline saw it")
	}
	if h.p.FindState(m.State).Name != m.State {
		h.notify("this session's state %s is in no config any more: it begins at %s again", m.State,
			cmp.Or(h.p.Initial, noState))
		h.note("state %s is unknown to the policy", m.State)
		m.State = ""
	}
	if m.State == "" && h.p.Initial != "" {
		h.enterState(h.p.Initial)
	}
}

// state is the session's state as the policy defines it.
func (st *situation) state() State { return st.p.FindState(st.s.State) }

// caller is the run of the agent that the event is about; nil for the main agent, and one that is not known.
func (st *situation) caller() *Run { return st.s.findRun(st.e.Agent.ID) }

// startSession begins, continues or forks a pipeline. What ran before no longer runs.
func (h handler) startSession() {
	if parent := h.e.Facts.Parent; parent != nil && h.s.Moves == 0 {
		h.forkSession(*parent)
	}
	h.loseAllAgents("the session was started again")
	if pr := h.s.Progress; pr != nil { // a fork continues its parent's progress, but not the parent's agents
		for _, run := range pr.Live() {
			h.s.freeAgent(run)
		}
	}
	h.s.Workflows = nil
	h.s.releaseBudgets("")
	h.s.Planned = false
	h.s.Turn.end()
	h.injectOpening(h.e.Source)
	h.readFile()
	if h.p.SelfCheck {
		h.inject(h.e.Say(h.p.SelfCheckText()))
	}
	if h.e.Source == "resume" && h.s.Moves > 0 {
		h.inject(h.whereItStands())
	}
	way, pipeline := h.e.Host.takesCommands("You can type ")
	h.notify("%s, %s. %s%s status, %[4]s once for a quick fix, %[4]s reset REASON to start over",
		cmp.Or(h.s.State, "no states"), h.level, way, pipeline)
}

// forkSession continues a forked conversation's pipeline: its state and captures, not
// its agents.
func (h handler) forkSession(parent Session) {
	from := parent.clone()
	h.ForkedFrom = parent.ID
	from.ID, from.Policy, from.Agents, from.Counts = h.s.ID, h.s.Policy, Agents{}, h.s.Counts
	from.Approval = nil // its text is the parent's
	for _, r := range parent.Runs {
		from.forgetUses(r.ID)
	}
	if h.p.Initial != "" && h.p.FindState(from.State).Name == "" {
		h.note("forked from %s, whose state %s this policy does not have", parent.ID, parent.State)
		return
	}
	h.s = from
	for name, text := range h.e.Facts.Captured {
		if ref, ok := from.Captures[name]; ok {
			h.Texts = append(h.Texts, Text{ref, text})
		}
	}
	h.note("forked from %s", parent.ID)
}

// repeatAfterCompaction injects again what the compaction has removed from the context.
func (h handler) repeatAfterCompaction() {
	if !h.e.Agent.IsMain() {
		if r := h.caller(); r != nil && r.Quarantined == "" {
			h.Inject = h.renderBrief(r.Type)
		}
		return
	}
	if h.s.State != "" {
		if text := h.renderInject(); text != "" {
			h.Inject = ifMain + text
		}
		h.s.AnnouncedVisit = h.s.Visit
	}
	h.injectOpening("compact")
}

// resetMachine is a person's command: back to the initial state, or to the one named. Agents
// of the epoch before move nothing any more.
func (h handler) resetMachine() {
	from, to := h.s.State, h.e.Source
	if to == "" {
		to = h.p.Initial
		h.s.dropGraph()
		h.s.Captures, h.s.GraphFile = nil, ""
	}
	h.s.Epoch++
	h.s.dropAdmitted(Run.isOfMain)
	h.s.Notices, h.s.Planned, h.s.Turn.Held = nil, false, 0
	h.s.clearEdited()
	if from == "" && to == "" {
		h.s.Uses = nil
		h.note("reset: budgets, captures and the task graph are forgotten")
		return
	}
	h.enterState(to)
	h.recordMove(Move{Trigger: "reset", From: from, To: to})
}
