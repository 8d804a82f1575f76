package fsm

import (
	"slices"
	"strings"
)

// A Need names a fact that Step may have to know. The caller gathers it and puts it
// into the event.
type Need int

// The needs, in the order in which they are gathered: the level decides whether a gate
// or a check is needed at all.
const (
	NeedOverrides Need = iota // Facts.Overrides
	NeedPresent               // Facts.Present
	NeedEnv                   // Facts.Env
	NeedInput                 // Tool.Input
	NeedSpawn                 // Facts.Spawn
	NeedParent                // Facts.Parent, and Facts.Captured of the parent
	NeedEarlier               // Facts.Earlier
	NeedGraph                 // Facts.Graph
	NeedOpening               // Facts.Opening
	NeedScratch               // Facts.Scratch
	NeedKernel                // Facts.Kernel
	NeedWorktrees             // Facts.Worktrees
	NeedTokens                // Facts.Tokens
	NeedTicket                // Facts.Ticket
	NeedTampered              // Facts.Tampered
	NeedJudged                // Facts.Judged
	NeedAbsent                // Facts.Absent
	NeedGate                  // Facts.Gate
	NeedChecks                // Facts.Checks
	NeedCaptured              // Facts.Captured
	NeedAgents                // Facts.Agents
)

// An inquiry is what the need of a fact depends on.
type inquiry struct {
	p *Policy
	s Session
	e Event
}

// needs is the table of facts: which events may need each, and in which sessions.
// Without a second condition it is needed in every session.
var needs = [...]struct{ event, session func(q inquiry) bool }{
	NeedOverrides: {event: always},
	NeedPresent:   {event: func(q inquiry) bool { return q.e.Kind == SessionStart && len(q.p.Activate.When) > 0 }},
	NeedEnv:       {event: func(q inquiry) bool { return q.e.Kind == ToolRequest && len(q.p.ListEnvNames()) > 0 }},
	NeedInput:     {event: func(q inquiry) bool { return q.e.Kind == ToolRequest && len(q.p.ListInputNames()) > 0 }},
	NeedSpawn:     {event: inquiry.needsSpawn},
	NeedParent: {
		event:   func(q inquiry) bool { return q.e.Kind == SessionStart && q.e.Source == "fork" },
		session: func(q inquiry) bool { return q.s.ID == "" },
	},
	NeedEarlier: {event: inquiry.canNeedEarlier, session: inquiry.needsEarlier},
	NeedGraph: {event: func(q inquiry) bool {
		return q.p.Tasks.Graph != "" && (q.e.Kind == SessionStart || q.e.Kind == Prompt ||
			q.e.Kind == ToolRequest && q.e.Tool.Starts != nil)
	}},
	NeedOpening: {event: func(q inquiry) bool {
		return (q.e.Kind == SessionStart || q.e.Kind == Compacted) && len(q.p.Opening.Files) > 0
	}},
	NeedScratch: {event: func(q inquiry) bool { return q.p.Scratch }},
	NeedKernel: {event: func(q inquiry) bool {
		return (q.p.confines() || len(q.p.Limits.OwnWorktree) > 0) &&
			(q.e.Kind == AgentStart || q.e.Kind == ToolRequest && q.e.Tool.Command != "")
	}},
	NeedWorktrees: {event: func(q inquiry) bool {
		return q.e.Kind == ToolRequest && q.p.holdsToWorktree(q.e.Agent)
	}},
	NeedTokens: {event: func(q inquiry) bool {
		return q.p.Limits.Tokens > 0 && !q.e.Agent.IsMain() && (q.e.Kind == ToolRequest || q.e.Kind == ToolResult)
	}},
	NeedTicket: {event: func(q inquiry) bool {
		return (q.e.Kind == ToolResult || q.e.Kind == ToolFailure) && q.e.Tool.Command != ""
	}},
	NeedTampered: {event: func(q inquiry) bool { return q.e.Kind == ConfigChange }},
	NeedJudged:   {event: always, session: inquiry.isJudgedAnew},
	NeedAbsent: {event: func(q inquiry) bool {
		return q.e.Kind == AgentStop && q.p.FindReturnedFile(q.e.Agent.Type, q.e.Text) != ""
	}},
	NeedGate: {
		event:   func(q inquiry) bool { return (q.e.Kind == AgentStop || q.e.Kind == TurnStop) && q.p.hasGates() },
		session: inquiry.needsGate,
	},
	NeedChecks: {
		event: func(q inquiry) bool {
			return len(q.p.Checks) > 0 && (q.e.Kind == ToolResult || q.e.Kind == TurnStop)
		},
		session: inquiry.needsChecks,
	},
	NeedCaptured: {event: always, session: inquiry.needsCaptured},
	NeedAgents: {
		event:   func(q inquiry) bool { return q.e.Kind == ToolRequest && !q.e.Late },
		session: inquiry.isRefused,
	},
}

func always(inquiry) bool { return true }

// AllNeeds lists every need.
func AllNeeds() []Need {
	out := make([]Need, len(needs))
	for i := range out {
		out[i] = Need(i)
	}
	return out
}

// CanNeed reports whether an event may need a fact, whatever session it meets.
func (p *Policy) CanNeed(n Need, e Event) bool { return needs[n].event(inquiry{p: p, e: e}) }

// DependsOnSession reports whether a fact is needed in some sessions and not in others.
func (n Need) DependsOnSession() bool { return needs[n].session != nil }

// IsNeeded reports whether Step must know a fact to answer an event.
func (p *Policy) IsNeeded(n Need, s Session, e Event) bool {
	return p.CanNeed(n, e) && (needs[n].session == nil || needs[n].session(inquiry{p, s, e}))
}

// Needs lists the facts that Step must know to answer an event.
func (p *Policy) Needs(s Session, e Event) []Need {
	return slices.DeleteFunc(AllNeeds(), func(n Need) bool { return !p.IsNeeded(n, s, e) })
}

// ListInputNames lists the inputs of tools that rules ask for.
func (p *Policy) ListInputNames() (names []string) {
	for r := range p.EveryRule {
		for _, in := range r.Inputs {
			names = append(names, in.Name)
		}
	}
	return names
}

// isRefused reports whether anything objects to a call; then the objection names what can be
// done instead.
func (q inquiry) isRefused() bool {
	st := newStep(q.p, q.s, q.e)
	if st.findLevel(); st.level == Off {
		return false
	}
	st.verdictOnly = true
	st.openSession()
	st.judge().answerRequest()
	return len(st.d.Objections) > 0 && st.d.Rule != RuleProtect
}

// isJudgedAnew reports whether a session begins, or goes on under another policy.
func (q inquiry) isJudgedAnew() bool {
	return q.s.ID == "" && q.e.Kind == SessionStart || q.s.ID != "" && q.s.Policy != q.p.Fingerprint
}

func (q inquiry) needsSpawn() bool {
	switch q.e.Kind {
	case AgentStop:
		return q.e.Agent.Type != ""
	case ToolRequest:
		starts := q.e.Tool.Starts != nil ||
			slices.ContainsFunc(q.e.Tool.Parts, func(part Part) bool { return part.Client != "" })
		return q.p.Limits.Depth > 0 && starts && !q.e.Agent.IsMain()
	}
	return false
}

// needsGate: a gate is run only for a session that is known, and at a level at which it
// can hold anything.
func (q inquiry) needsGate() bool {
	if q.s.ID == "" || q.p.EffectiveLevel(q.s, q.e) < Guidance {
		return false
	}
	gate, _ := q.p.SelectGate(q.s, q.e)
	return gate != nil
}

func (q inquiry) needsChecks() bool {
	if q.p.EffectiveLevel(q.s, q.e) < Guidance {
		return false
	}
	if q.e.Kind == ToolResult {
		return len(EditedFiles(q.e.Tool)) > 0
	}
	return slices.Contains(q.p.Hold.Until, "checks") && q.s.Turn.HasEdited() && q.p.canHoldTurn(q.s, q.e)
}

// needsCaptured: texts of the config quote what was captured, and the task graph is one of these texts. Few
// calls of tools ask for either.
func (q inquiry) needsCaptured() bool {
	if q.s.Agents.hasWaiting() || q.e.Kind == Approve {
		return true
	}
	if len(q.s.Machine.Captures) == 0 {
		return false
	}
	t, byMain := q.e.Tool, q.e.Agent.IsMain()
	switch q.e.Kind {
	case ToolRequest:
		return q.s.Tasks.Progress != nil &&
			(t.Starts != nil || !byMain && q.s.Agents.find(q.e.Agent.ID) == nil || q.isRefused())
	case ToolResult, ToolFailure: // what is announced may say who may start
		_, announced := q.findAnnounced()
		return t.Task != nil || byMain &&
			(t.Plan != "" || t.Starts != nil || !announced || len(q.s.Talk.Notices) > 0)
	}
	return true
}

// canNeedEarlier: briefs may name what was captured earlier, and so may what a state
// says.
func (q inquiry) canNeedEarlier() bool {
	switch q.e.Kind {
	case AgentStart, Compacted, Prompt, ToolResult, ToolFailure:
		return q.p.OffersEarlier("")
	}
	return false
}

func (q inquiry) needsEarlier() bool {
	in, announced := q.findAnnounced()
	switch q.e.Kind {
	case AgentStart:
		a := q.s.Agents
		isExpected := len(a.listAdmitted()) > 0 || len(a.Workflows) > 0 || a.find(q.e.Agent.ID) != nil
		return isExpected && strings.Contains(in.Brief, earlierField) || q.p.offersEarlierTo(q.e.Agent.Type)
	case Prompt:
		return !announced || q.e.Origin == Notification // which may move the machine
	}
	return !announced || q.e.Kind == Compacted
}

// findAnnounced is the state that a session is in, or begins in, and whether the main agent
// knows what it says. An approved plan leads to the next before that is announced.
func (q inquiry) findAnnounced() (in State, known bool) {
	in, ok := q.p.FindState(q.s.Machine.State)
	switch {
	case !ok || q.s.Machine.Off:
		in, _ = q.p.FindState(q.p.Initial)
		return in, false
	case q.e.Tool.Planned && q.e.Agent.IsMain() && in.OnPlan != "":
		in, _ = q.p.FindState(in.OnPlan)
		return in, false
	}
	return in, q.s.Talk.AnnouncedVisit == q.s.Machine.Visit
}

// ListEnvNames lists the environment variables that rules ask for.
func (p *Policy) ListEnvNames() []string {
	var out []string
	for r := range p.EveryRule {
		for _, c := range slices.Concat(r.Env, r.UnlessEnv) {
			out = append(out, c.Name)
		}
	}
	if v := p.Limits.RunningEnv; v != "" {
		out = append(out, v)
	}
	return out
}

// SelectChecks lists the checks to be run, each with its files. The variables are the
// client's.
func (p *Policy) SelectChecks(when string, files []string, env map[string]string) (out []Check, on [][]string) {
	for _, c := range p.Checks {
		if !slices.Contains(c.At, when) || !allHold(c.Env, env) || anyHolds(c.UnlessEnv, env) {
			continue
		}
		var these []string
		for _, f := range files {
			if matchPath(c.Files, f) {
				these = append(these, f)
			}
		}
		if len(these) > 0 {
			out, on = append(out, c), append(on, these)
		}
	}
	return out, on
}

// canHoldTurn reports whether a turn that is about to end may be held. If not, no
// checks are needed for it.
func (p *Policy) canHoldTurn(s Session, e Event) bool {
	st := newStep(p, s, e)
	st.tracker().reconcileAgents()
	return e.Kind == TurnStop && st.canHold()
}

// SelectGate is the command that must be run before an event is decided, and the key
// for its result; nil for none. The session may move before the event is decided; then
// the result does not count.
func (p *Policy) SelectGate(s Session, e Event) (*Gate, string) {
	if e.Kind == TurnStop && p.Hold.Gate != nil && p.canHoldTurn(s, e) {
		return p.Hold.Gate, s.Machine.gateKey(TurnEnds)
	}
	if e.Kind != AgentStop {
		return nil, ""
	}
	st, text := newStep(p, s, e), strings.TrimSpace(e.Text)
	r := st.s.Agents.find(e.Agent.ID)
	if r == nil {
		r = st.tracker().findOnDisk()
	}
	if r == nil || text == "" || st.tracker().reportsFailure(text) {
		return nil, ""
	}
	r.correctParent(e.Facts.Spawn)
	if !st.mover().mayMove(r) || r.Quarantined != "" || st.s.Agents.hasActiveChild(r.ID) {
		return nil, ""
	}
	if leads := st.mover().listMatching(r, text); len(leads) > 0 && leads[0].Gate.runs() {
		return leads[0].Gate, s.Machine.gateKey(leads[0].Name)
	}
	return nil, ""
}
