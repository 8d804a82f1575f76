package fsm

import "strings"

// HostInfo is in what the host of an event differs from Claude Code, as far as that
// decides something. It is zero for Claude Code.
type HostInfo struct {
	Name        string `json:"name,omitempty"`
	CannotAsk   bool   `json:"cannot_ask,omitempty"`   // it runs a tool about which a person should be asked
	HidesCaller bool   `json:"hides_caller,omitempty"` // its events do not say which agent calls
	Echoes      bool   `json:"echoes,omitempty"`       // what holds a turn comes back as a prompt
	NoOrders    bool   `json:"no_orders,omitempty"`    // a person cannot type /pipeline into it
}

// Identify completes an event with what its host leaves out and the session knows: the
// caller, an agent's type, and that a prompt is an agent's or repeats what held the turn. It changes
// nothing in an event that says these things itself.
func (s Session) Identify(e Event) Event {
	if e.Host == (HostInfo{}) {
		return e
	}
	if e.Host.HidesCaller && e.Agent.IsMain() && e.Tool.Name != "" {
		if running := s.RunningAgents(); len(running) > 0 {
			e.Agent = Agent{ID: running[0].ID, Type: running[0].Type, Basis: "the only agent that runs"}
		}
	}
	if e.Agent.ID != "" && e.Agent.Type == "" {
		if r := s.Agents.find(e.Agent.ID); r != nil {
			e.Agent.Type = r.Type
		}
	}
	if isEcho := e.Host.Echoes && s.Talk.Held != "" && s.Talk.Held == promptKey(e.Text); e.Kind == Prompt &&
		e.Origin == Person && (isEcho || !e.Agent.IsMain()) {
		e.Origin = Own
	}
	return e
}

// order is what a person types to give us a command.
func (h HostInfo) order(words string) string {
	if h.NoOrders {
		return "pipeline " + words + " in a terminal"
	}
	return "/pipeline " + words
}

// holdBack keeps a turn or an agent from ending, and remembers the reason where the host
// will give it back as a prompt.
func (st *step) holdBack(rule, reason string, times, most int) {
	st.d.hold(rule, reason, times, most)
	if st.e.Host.Echoes && st.e.Agent.IsMain() {
		st.s.Talk.Held = promptKey(reason)
	}
}

// soften reduces a verdict to what the level allows and the host can do. What it cannot
// ask is denied.
func (st *situation) soften(l Level, v Verdict) Verdict {
	if v = l.soften(v); v == Ask && st.e.Host.CannotAsk {
		return Deny
	}
	return v
}

// explainUnasked says of a denial that it was to be a question, "" of any other.
func (tx texts) explainUnasked(l Level, v Verdict) string {
	if !tx.e.Host.CannotAsk || l.soften(v) != Ask {
		return ""
	}
	return " The user is to be asked about this, and " + tx.e.Host.Name + " lets no hook ask: so it is refused."
}

// translate puts what a config says of starting agents into the words of the host: configs
// are written in Claude Code's.
func (t StartTool) translate(text string) string {
	const call = "Agent(subagent_type="
	if t.Tool == "" || t.Tool == "Agent" || !strings.Contains(text, "Agent") {
		return text
	}
	text = strings.ReplaceAll(text, "the Agent tool", "the tool "+t.Tool)
	for {
		before, rest, found := strings.Cut(text, call)
		if !found {
			return text
		}
		args, after, _ := strings.Cut(rest, ")")
		if head, tail, ok := strings.Cut(args, `description="`); ok && t.Describe != "" {
			args = head + t.Describe + `="` + tail
		} else if _, tail, closed := strings.Cut(tail, `", `); ok && closed {
			args = head + tail
		}
		text = before + t.Tool + "(" + t.Agent + "=" + strings.Replace(args, "prompt=", t.Prompt+"=", 1) + ")" + after
	}
}
