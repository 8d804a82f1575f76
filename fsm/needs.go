package fsm

import (
	"slices"
	"strings"
)

// A Need names a fact that Step may have to know. The caller gathers it and puts it into
// the event.
type Need int

// The needs, in the order in which they are gathered: the level decides whether a gate or
// a check is needed at all.
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
)

// needs is the table of facts: which events may need each, and in which sessions. Without
// a second condition it is needed in every session.
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
	NeedInput: {event: func(p *Policy, e Event) bool { return e.Kind == ToolRequest && p.asksInputs() }},
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

func (p *Policy) asksInputs() bool {
	for r := range p.everyRule {
		if len(r.Inputs) > 0 {
			return true
		}
	}
	return false
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
	return slices.Contains(p.Hold.Until, "checks") && len(s.Turn.Edited) > 0 && p.CanHoldTurn(s, e)
}

func (p *Policy) needsCaptured(s Session, e Event) bool {
	waits := slices.ContainsFunc(s.Agents.Runs, func(r Run) bool { return r.Status == Waiting })
	return waits || len(s.Machine.Captures) > 0 && p.quotes(s, e) || p.follows(s, e)
}

// canNeedEarlier: briefs may name what was captured earlier, and so may what a state says.
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
	in, announced := p.announced(s)
	switch {
	case e.Kind == Prompt && e.Origin == Notification: // it may move the machine
		return true
	case e.Kind == Compacted && !e.Agent.IsMain():
		return strings.Contains(in.Brief, ".Earlier")
	case e.Kind == AgentStart:
		expected := len(s.Agents.Pending) > 0 || len(s.Agents.Workflows) > 0 || s.run(e.Agent.ID) != nil
		return p.offersTo(e.Agent.Type) || expected && strings.Contains(in.Brief, ".Earlier")
	}
	return (!announced || e.Kind == Compacted) && strings.Contains(in.Inject, ".Earlier")
}

// announced is the state that a session is in, or begins in, and whether the main agent
// knows what it says.
func (p *Policy) announced(s Session) (in State, known bool) {
	if _, ok := p.FindState(s.Machine.State); !ok || s.Machine.Off {
		in, _ = p.FindState(p.Initial)
		return in, false
	}
	in, _ = p.FindState(s.Machine.State)
	return in, s.Talk.AnnouncedVisit == s.Machine.Visit
}

// quotes reports whether the answer to an event may quote a captured text.
func (p *Policy) quotes(s Session, e Event) bool {
	in, announced := p.announced(s)
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
