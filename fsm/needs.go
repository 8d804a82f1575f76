package fsm

import (
	"slices"
	"strings"
)

// Needs names what Step must know about the world to answer e. The caller gathers
// exactly these into e.Facts.
func (p *Policy) Needs(s Session, e Event) []Need {
	var out []Need
	if e.Kind == AgentStop && e.Agent.Type != "" ||
		p.Limits.Depth > 0 && e.Kind == ToolRequest && e.Tool.Starts != nil && !e.Agent.IsMain() {
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
	if e.Kind == AgentStart && p.offersEarlierTo(e.Agent.Type) {
		out = append(out, NeedEarlier)
	}
	if p.Tasks.Graph != "" &&
		(e.Kind == SessionStart || e.Kind == Prompt || e.Kind == ToolRequest && e.Tool.Starts != nil) {
		out = append(out, NeedGraph)
	}
	if (e.Kind == SessionStart || e.Kind == Compacted) && len(p.Opening.Files) > 0 {
		out = append(out, NeedOpening)
	}
	if len(s.Machine.Captures) > 0 && p.quotes(s, e) || s.Agents.hasWaiting() || s.concernsGraph(e) {
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

// concernsGraph reports whether an event may concern the task graph, so that its text
// must be at hand.
func (s *Session) concernsGraph(e Event) bool {
	if s.Tasks.Progress == nil {
		return false
	}
	switch e.Kind {
	case ToolRequest:
		return e.Tool.Starts != nil || !e.Agent.IsMain() && s.Agents.find(e.Agent.ID) == nil
	case ToolResult:
		return e.Tool.Task != nil || e.Tool.Plan != ""
	case AgentStart, AgentStop, TurnStop, SessionStart, Prompt:
		return true
	}
	return false
}

// asked are the facts that rules go by.
func (p *Policy) asked() (out []Need) {
	if len(p.ListEnvNames()) > 0 {
		out = append(out, NeedEnv)
	}
	for r := range p.everyRule {
		if len(r.Inputs) > 0 {
			return append(out, NeedInput)
		}
	}
	return out
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
	st.reconcileAgents()
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
		r = st.findOnDisk()
	}
	if r == nil || text == "" || st.reportsFailure(text) {
		return nil, ""
	}
	r.correctParent(e.Facts.Spawn)
	if !st.mayMove(r) || r.Quarantined != "" || st.s.Agents.hasActiveChild(r.ID) {
		return nil, ""
	}
	if t, ok := st.findMatchingTrigger(r, text); ok {
		return t.Gate, s.Machine.gateKey(t.Name)
	}
	return nil, ""
}
