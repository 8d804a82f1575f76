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
	NeedTampered              // Facts.Tampered
	NeedAbsent                // Facts.Absent
	NeedGate                  // Facts.Gate
	NeedChecks                // Facts.Checks
	NeedCaptured              // Facts.Captured
	NeedAgents                // Facts.Agents
)

// needs is the table of facts: which events may need each, and in which sessions.
// Without a second condition it is needed in every session.
var needs = [...]struct {
	event   func(p *Policy, e Event) bool
	session func(p *Policy, s Session, e Event) bool
}{
	NeedOverrides: {event: func(*Policy, Event) bool { return true }},
	NeedPresent: {event: func(p *Policy, e Event) bool {
		return e.Kind == SessionStart && len(p.Activate.When) > 0
	}},
	NeedEnv: {event: func(p *Policy, e Event) bool {
		return e.Kind == ToolRequest && len(p.ListEnvNames()) > 0
	}},
	NeedInput: {event: func(p *Policy, e Event) bool { return e.Kind == ToolRequest && len(p.ListInputNames()) > 0 }},
	NeedSpawn: {event: (*Policy).needsSpawn},
	NeedParent: {
		event:   func(_ *Policy, e Event) bool { return e.Kind == SessionStart && e.Source == "fork" },
		session: func(_ *Policy, s Session, _ Event) bool { return s.ID == "" },
	},
	NeedEarlier: {event: (*Policy).canNeedEarlier, session: (*Policy).needsEarlier},
	NeedGraph: {event: func(p *Policy, e Event) bool {
		return p.Tasks.Graph != "" &&
			(e.Kind == SessionStart || e.Kind == Prompt || e.Kind == ToolRequest && e.Tool.Starts != nil)
	}},
	NeedOpening: {event: func(p *Policy, e Event) bool {
		return (e.Kind == SessionStart || e.Kind == Compacted) && len(p.Opening.Files) > 0
	}},
	NeedScratch:  {event: func(p *Policy, _ Event) bool { return p.Scratch }},
	NeedTampered: {event: func(_ *Policy, e Event) bool { return e.Kind == ConfigChange }},
	NeedAbsent: {event: func(p *Policy, e Event) bool {
		return e.Kind == AgentStop && p.FindReturnedFile(e.Agent.Type, e.Text) != ""
	}},
	NeedGate: {
		event:   func(p *Policy, e Event) bool { return (e.Kind == AgentStop || e.Kind == TurnStop) && p.HasGates() },
		session: (*Policy).needsGate,
	},
	NeedChecks: {
		event: func(p *Policy, e Event) bool {
			return len(p.Checks) > 0 && (e.Kind == ToolResult || e.Kind == TurnStop)
		},
		session: (*Policy).needsChecks,
	},
	NeedCaptured: {
		event:   func(*Policy, Event) bool { return true },
		session: (*Policy).needsCaptured,
	},
	NeedAgents: {
		event:   func(_ *Policy, e Event) bool { return e.Kind == ToolRequest && !e.Late },
		session: (*Policy).isRefused,
	},
}

// AllNeeds lists every need.
func AllNeeds() []Need {
	out := make([]Need, len(needs))
	for i := range out {
		out[i] = Need(i)
	}
	return out
}

// CanNeed reports whether an event may need a fact, whatever session it meets.
func (p *Policy) CanNeed(n Need, e Event) bool { return needs[n].event(p, e) }

// DependsOnSession reports whether a fact is needed in some sessions and not in others.
func (n Need) DependsOnSession() bool { return needs[n].session != nil }

// IsNeeded reports whether Step must know a fact to answer an event.
func (p *Policy) IsNeeded(n Need, s Session, e Event) bool {
	return p.CanNeed(n, e) && (needs[n].session == nil || needs[n].session(p, s, e))
}

// Needs lists the facts that Step must know to answer an event.
func (p *Policy) Needs(s Session, e Event) []Need {
	return slices.DeleteFunc(AllNeeds(), func(n Need) bool { return !p.IsNeeded(n, s, e) })
}

// ListInputNames lists the inputs of tools that rules ask for.
func (p *Policy) ListInputNames() (names []string) {
	for r := range p.everyRule {
		for _, in := range r.Inputs {
			names = append(names, in.Name)
		}
	}
	return names
}

// isRefused reports whether anything objects to a call; then the objection names what can be
// done instead.
func (p *Policy) isRefused(s Session, e Event) bool {
	st := newStep(p, s, e)
	if st.findLevel(); st.level == Off {
		return false
	}
	st.isTrial = true
	st.openSession()
	st.judge().answerRequest()
	return len(st.d.Objections) > 0 && st.d.Rule != RuleProtect
}

func (p *Policy) needsSpawn(e Event) bool {
	switch e.Kind {
	case AgentStop:
		return e.Agent.Type != ""
	case ToolRequest:
		starts := e.Tool.Starts != nil ||
			slices.ContainsFunc(e.Tool.Parts, func(part Part) bool { return part.Client != "" })
		return p.Limits.Depth > 0 && starts && !e.Agent.IsMain()
	}
	return false
}

// needsGate: a gate is run only for a session that is known, and at a level at which it
// can hold anything.
func (p *Policy) needsGate(s Session, e Event) bool {
	if s.ID == "" || p.EffectiveLevel(s, e) < Guidance {
		return false
	}
	gate, _ := p.SelectGate(s, e)
	return gate != nil
}

func (p *Policy) needsChecks(s Session, e Event) bool {
	if p.EffectiveLevel(s, e) < Guidance {
		return false
	}
	if e.Kind == ToolResult {
		return len(EditedFiles(e.Tool)) > 0
	}
	return slices.Contains(p.Hold.Until, "checks") && s.Turn.HasEdited() && p.CanHoldTurn(s, e)
}

func (p *Policy) needsCaptured(s Session, e Event) bool {
	return s.Agents.hasWaiting() || len(s.Machine.Captures) > 0 && p.quotes(s, e) || p.concernsGraph(&s, e)
}

// canNeedEarlier: briefs may name what was captured earlier, and so may what a state
// says.
func (p *Policy) canNeedEarlier(e Event) bool {
	switch e.Kind {
	case AgentStart, Compacted, Prompt, ToolResult, ToolFailure:
		return slices.ContainsFunc(p.States, func(s State) bool {
			return strings.Contains(s.Brief, ".Earlier") || strings.Contains(s.Inject, ".Earlier")
		})
	}
	return false
}

func (p *Policy) needsEarlier(s Session, e Event) bool {
	in, announced := p.announced(s, e)
	switch {
	case e.Kind == Prompt && e.Origin == Notification: // it may move the machine
		return true
	case e.Kind == Compacted && !e.Agent.IsMain():
		return strings.Contains(in.Brief, ".Earlier")
	case e.Kind == AgentStart:
		expected := len(s.Agents.Pending) > 0 || len(s.Agents.Workflows) > 0 || s.Agents.find(e.Agent.ID) != nil
		return p.offersEarlierTo(e.Agent.Type) || expected && strings.Contains(in.Brief, ".Earlier")
	}
	return (!announced || e.Kind == Compacted) && strings.Contains(in.Inject, ".Earlier")
}

// announced is the state that a session is in, or begins in, and whether the main agent
// knows what it says. An approved plan leads to the next before that is announced.
func (p *Policy) announced(s Session, e Event) (in State, known bool) {
	if _, ok := p.FindState(s.Machine.State); !ok || s.Machine.Off {
		in, _ = p.FindState(p.Initial)
		return in, false
	}
	in, _ = p.FindState(s.Machine.State)
	if e.Tool.Planned && e.Agent.IsMain() && in.OnPlan != "" {
		in, _ = p.FindState(in.OnPlan)
		return in, false
	}
	return in, s.Talk.AnnouncedVisit == s.Machine.Visit
}

// quotes reports whether the answer to an event may quote a captured text.
func (p *Policy) quotes(s Session, e Event) bool {
	in, announced := p.announced(s, e)
	announces := !announced && isTemplate(in.Inject)
	switch e.Kind {
	case AgentStart, Compacted:
		return true
	case SessionStart:
		return isTemplate(p.Opening.Inject)
	case Prompt:
		return announces || isTemplate(p.Planning.Say)
	case ToolResult:
		return announces || isTemplate(p.Remind.AfterDelegation)
	case ToolFailure:
		return announces
	case AgentStop:
		return isTemplate(p.Remind.AfterAgent)
	case TurnStop:
		return isTemplate(p.Hold.Say)
	}
	return false
}

func isTemplate(text string) bool { return strings.Contains(text, "{{") }

// concernsGraph reports whether an event may concern the task graph, so that its text
// must be at hand.
func (p *Policy) concernsGraph(s *Session, e Event) bool {
	if s.Tasks.Progress == nil {
		return false
	}
	switch e.Kind {
	case ToolRequest:
		return e.Tool.Starts != nil || !e.Agent.IsMain() && s.Agents.find(e.Agent.ID) == nil || p.isRefused(*s, e)
	case ToolResult:
		return e.Tool.Task != nil || e.Tool.Plan != ""
	case AgentStart, AgentStop, TurnStop, SessionStart, Prompt:
		return true
	}
	return false
}

// ListEnvNames lists the environment variables that rules ask for.
func (p *Policy) ListEnvNames() []string {
	var out []string
	for r := range p.everyRule {
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

// CanHoldTurn reports whether a turn that is about to end may be held. If not, no
// checks are needed for it.
func (p *Policy) CanHoldTurn(s Session, e Event) bool {
	st := newStep(p, s, e)
	st.tracker().reconcileAgents()
	return e.Kind == TurnStop && st.canHold()
}

// SelectGate is the command that must be run before an event is decided, and the key
// for its result; nil for none. The session may move before the event is decided; then
// the result does not count.
func (p *Policy) SelectGate(s Session, e Event) (*Gate, string) {
	if e.Kind == TurnStop && p.Hold.Gate != nil && p.CanHoldTurn(s, e) {
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
	if t, ok := st.mover().findMatchingTrigger(r, text); ok && t.Gate.runs() {
		return t.Gate, s.Machine.gateKey(t.Name)
	}
	return nil, ""
}
