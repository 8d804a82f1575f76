package fsm

import (
	"fmt"
	"strings"
)

// Step is the transition function: the session after e, and the answer to e. It leaves s as it was.
func (p *Policy) Step(s Session, e Event) (Session, Decision) {
	st := &step{p: p, s: s.clone(), e: e, was: s.Budgets.Uses}
	st.d.Notes = append(st.d.Notes, e.Notes...)
	st.run()
	st.d.StrictVerdict = max(st.d.StrictVerdict, st.d.Verdict)
	st.measure()
	return st.s, st.d
}

// step is one run of the transition function: the session as it becomes, and the decision as it is made.
type step struct {
	p *Policy
	s Session
	e Event
	d Decision

	was    []Budget // as they were before the event
	capped bool     // a person has set the level
}

func (st *step) run() {
	st.levelled()
	if st.d.Level == Off {
		st.rest()
		return
	}
	st.begin()
	switch st.e.Kind {
	case SessionStart:
		st.sessionStart()
	case Prompt:
		st.prompt()
	case PromptExpansion:
		st.promptExpansion()
	case ToolRequest:
		st.toolRequest()
	case ToolResult:
		st.toolResult()
	case ToolFailure:
		st.toolFailure()
	case AgentStart:
		st.agentStart()
	case AgentStop:
		st.agentStop()
	case AgentFailure:
		st.agentFailure()
	case TurnStop:
		st.turnStop()
	case TurnFailure:
		st.turnOver()
		st.d.note("the main agent's turn failed: " + short(st.e.Text, 80))
	case Compacted:
		st.compacted()
	case SessionEnd:
		st.s.drop(func(Admission) bool { return true })
	case Reset:
		st.reset()
	case ConfigChange:
		st.configChange()
	}
}

// configChange keeps the hooks that run, when the file as it now stands would take ours away.
func (st *step) configChange() {
	if why := st.e.Facts.Tampered; why != "" {
		st.d.Verdict, st.d.Rule, st.d.Reason = Deny, RuleProtect, why
	}
}

// rest is what happens while the level is off: nothing is tracked.
func (st *step) rest() {
	if st.s.ID == "" || st.s.Machine.Off {
		return
	}
	st.s.Machine.Off = true
	st.d.note("the level is off: nothing is tracked from here on")
}

// begin makes sure that there is a session, and that it is in a state.
func (st *step) begin() {
	fresh := st.s.ID == ""
	st.s.ID = st.e.Session
	st.s.Policy = st.p.Fingerprint
	if st.s.Machine.Off {
		st.d.note("switched on again: the pipeline begins at " + st.p.Initial)
		st.s = Session{ID: st.s.ID, Policy: st.p.Fingerprint, Machine: Machine{Epoch: st.s.Machine.Epoch + 1, Visit: st.s.Machine.Visit, Level: st.s.Machine.Level, ActivatedBy: st.s.Machine.ActivatedBy, ActivatedByFile: st.s.Machine.ActivatedByFile}, Talk: Talk{Chars: st.s.Talk.Chars}, Turn: Turn{Scheduled: st.s.Turn.Scheduled}}
	}
	if fresh && st.e.Kind != SessionStart {
		st.d.note("the session was under way before pipeline saw it")
	}
	if _, known := st.p.FindState(st.s.Machine.State); st.s.Machine.State != "" && !known {
		st.d.tell(fmt.Sprintf("this session's state %s is in no config that is left: it begins at %s again", st.s.Machine.State, orNone(st.p.Initial)))
		st.d.note("state " + st.s.Machine.State + " is unknown to the policy")
		st.s.Machine.State = ""
	}
	if st.s.Machine.State == "" && st.p.Initial != "" {
		st.enter(st.p.Initial)
	}
}

func (st *step) enter(name string) {
	if to, ok := st.p.FindState(name); ok {
		st.s.enter(to, st.e.Time)
		st.refill("state", "")
	}
}

func (st *step) state() State {
	s, _ := st.p.FindState(st.s.Machine.State)
	return s
}

// sessionStart begins, continues or copies a pipeline. Nothing that ran before it runs still.
func (st *step) sessionStart() {
	if parent := st.e.Facts.Parent; parent != nil && st.s.Machine.Moves == 0 {
		st.inherit(*parent)
	}
	for i := range st.s.Agents.Runs {
		if r := &st.s.Agents.Runs[i]; r.active() {
			st.lose(r, "the session was started anew")
		}
	}
	st.freeAll()
	st.s.Agents.Pending, st.s.Agents.Workflows = nil, nil
	st.release("")
	st.s.Tasks.Planned = false
	st.turnOver()
	st.opens(st.e.Source)
	st.fromFile()
	if st.p.SelfCheck {
		st.inject(st.p.SelfCheckText())
	}
	if st.e.Source == "resume" && st.s.Machine.Moves > 0 {
		st.inject(stands(st.s.Machine.State, st.p.NextAgents(st.s.Machine.State)))
	}
}

// inherit carries a forked conversation's pipeline on: the state and what was found, not who was running.
func (st *step) inherit(parent Session) {
	from := parent.clone()
	from.ID, from.Agents.Runs, from.Agents.Pending, from.Agents.Workflows = st.s.ID, nil, nil, nil
	from.Policy = st.s.Policy
	st.d.ForkedFrom = parent.ID
	if _, ok := st.p.FindState(from.Machine.State); !ok && st.p.Initial != "" {
		st.d.note("forked from " + parent.ID + ", whose state " + parent.Machine.State + " this policy does not have")
		return
	}
	st.s = from
	for name, text := range st.e.Facts.Captured {
		if ref, ok := from.Machine.Captures[name]; ok {
			st.d.Texts = append(st.d.Texts, Text{ref, text})
		}
	}
	st.d.note("forked from " + parent.ID)
}

// compacted tells again what the compaction has taken from the context.
func (st *step) compacted() {
	if st.e.Agent.IsMain() {
		if st.s.Machine.State != "" {
			st.d.Inject = ifMain(st.said())
			st.s.Talk.AnnouncedVisit = st.s.Machine.Visit
		}
		st.opens("compact")
		return
	}
	if r := st.s.run(st.e.Agent.ID); r != nil && r.Quarantined == "" {
		st.d.Inject = st.brief(st.s.Machine.State, r.Type)
	}
}

// reset is a person's word: back to the initial state, or to the one named. What ran before moves nothing any more.
func (st *step) reset() {
	from, to := st.s.Machine.State, st.e.Source
	if to == "" {
		to = st.p.Initial
		st.s.Machine.Captures, st.s.Tasks.Progress, st.s.Tasks.GraphFile = nil, nil, ""
	}
	st.s.Machine.Epoch++
	st.s.Talk.PendingNotice, st.s.Tasks.Planned, st.s.Turn.Held, st.s.Turn.Edited = "", false, 0, nil
	if from == "" && to == "" {
		st.d.note("reset: what was captured and the task graph are forgotten")
		return
	}
	st.enter(to)
	st.moved(Move{Trigger: "reset", From: from, To: to})
}

func (st *step) moved(m Move) {
	st.s.Machine.Moves++
	st.d.Moves = append(st.d.Moves, m)
}

// speak gives the main agent what the state wants said, once, and what it is still owed.
func (st *step) speak() {
	var parts []string
	if st.s.Talk.PendingNotice != "" {
		parts = append(parts, st.s.Talk.PendingNotice)
		st.s.Talk.PendingNotice = ""
	}
	if st.s.Machine.State != "" && st.s.Talk.AnnouncedVisit != st.s.Machine.Visit {
		st.s.Talk.AnnouncedVisit = st.s.Machine.Visit
		parts = append(parts, st.said())
	}
	st.inject(parts...)
}

// owe keeps a sentence for the next chance to tell the main agent.
func (st *step) owe(s string) {
	st.s.Talk.PendingNotice = short(strings.TrimSpace(st.s.Talk.PendingNotice+" "+s), 500)
}

func (st *step) inject(parts ...string) {
	for _, s := range parts {
		if s = strings.TrimSpace(s); s != "" {
			st.d.Inject = strings.TrimSpace(st.d.Inject + "\n" + s)
		}
	}
}

// Needs names what Step must be told about the world to answer e. The caller gathers exactly these into e.Facts.
func (p *Policy) Needs(s Session, e Event) []Need {
	var out []Need
	if e.Kind == AgentStop && e.Agent.Type != "" || p.Limits.Depth > 0 && e.Kind == ToolRequest && e.Tool.Starts != nil && !e.Agent.IsMain() {
		out = append(out, NeedSpawn)
	}
	if e.Kind == SessionStart && len(p.Activate.When) > 0 {
		out = append(out, NeedPresent)
	}
	if e.Kind == SessionStart && e.Source == "fork" && s.ID == "" {
		out = append(out, NeedParent)
	}
	if e.Kind == ToolRequest {
		out = append(out, p.asked()...)
	}
	if e.Kind == AgentStart && p.offersTo(e.Agent.Type) {
		out = append(out, NeedEarlier)
	}
	if p.Tasks.Graph != "" && (e.Kind == SessionStart || e.Kind == Prompt || e.Kind == ToolRequest && e.Tool.Starts != nil) {
		out = append(out, NeedGraph)
	}
	if (e.Kind == SessionStart || e.Kind == Compacted) && len(p.Opening.Files) > 0 {
		out = append(out, NeedOpening)
	}
	if len(s.Machine.Captures) > 0 && p.quotes(s, e) || s.waits() || p.follows(s, e) {
		out = append(out, NeedCaptured)
	}
	return out
}

// quotes reports whether answering e may quote a captured text.
func (p *Policy) quotes(s Session, e Event) bool {
	switch e.Kind {
	case AgentStart, Compacted:
		return true
	case Prompt, ToolResult, ToolFailure:
		st, _ := p.FindState(s.Machine.State)
		return s.Talk.AnnouncedVisit != s.Machine.Visit && strings.Contains(st.Inject, "{{")
	}
	return false
}

func (s Session) waits() bool {
	for _, r := range s.Agents.Runs {
		if r.Status == Waiting {
			return true
		}
	}
	return false
}
