package fsm

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// HostInfo is in what the host of an event differs from Claude Code, as far as that
// decides something. It is zero for Claude Code.
type HostInfo struct {
	Name        string `json:"name,omitempty"`
	CannotAsk   bool   `json:"cannot_ask,omitempty"`   // it runs a tool about which a person should be asked
	HidesCaller bool   `json:"hides_caller,omitempty"` // its events do not say which agent calls
	Echoes      bool   `json:"echoes,omitempty"`       // what holds a turn comes back as a prompt
	NoCommands  bool   `json:"no_orders,omitempty"`    // a person cannot type /pipeline into it
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

// takesCommands says where a person gives us commands, and what they begin with.
func (h HostInfo) takesCommands(typed string) (way, pipeline string) {
	if h.NoCommands {
		return "In a terminal: ", "pipeline"
	}
	return typed, "/pipeline"
}

// holdBack keeps a turn or an agent from ending, and remembers the reason where the host
// will give it back as a prompt.
func (st *step) holdBack(rule, reason string, times, most int) {
	st.d.Hold, st.d.Rule, st.d.Reason = true, rule, reason
	st.d.note(fmt.Sprintf("held by %s, %d of %d times", rule, times, most))
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
func (st *situation) explainUnasked(l Level, v Verdict) string {
	if !st.e.Host.CannotAsk || l.soften(v) != Ask {
		return ""
	}
	return " The user is to be asked about this, and " + st.e.Host.Name + " lets no hook ask: so it is refused."
}

// Say puts a text of the config into the words of the event's host: configs are written in
// Claude Code's.
func (e Event) Say(text string) string {
	if e.Host.Name == "" {
		return text
	}
	return e.Words.Translate(e.Starter.translate(text))
}

// Words are what the model of a host calls its tools.
type Words []Word

// A Word is a tool's canonical name, and the host's.
type Word struct{ Tool, Said string }

// Translate puts the host's names of tools into a text. One that it lacks is left out of a
// list, and where it stands in parentheses. A name that is one word, such as Read, stays as
// it is, and so does what a template has in braces.
func (w Words) Translate(text string) string {
	if w == nil {
		return text
	}
	out := make([]byte, 0, len(text))
	for text != "" {
		end := strings.IndexFunc(text,
			func(r rune) bool { return r != '_' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if _, action, ok := strings.Cut(text, "}}"); strings.HasPrefix(text, "{{") && ok {
			end = len(text) - len(action)
		} else if end < 0 {
			end = len(text)
		}
		end = max(end, 1)
		word, rest := text[:end], text[end:]
		text = rest
		if strings.IndexFunc(word[1:], unicode.IsUpper) <= 0 || findTool(word).Name == "" {
			out = append(out, word...)
			continue
		}
		native := "" // the host may have one tool in place of several, for a list of tasks
		for _, name := range append([]string{word}, otherNames(word)...) {
			if i := slices.IndexFunc(w, func(w Word) bool { return w.Tool == name }); i >= 0 {
				native = w[i].Said
				break
			}
		}
		before, inParentheses := bytes.CutSuffix(out, []byte("("))
		items, inList := bytes.CutSuffix(out, []byte(", "))
		switch {
		case native == "" && inParentheses && strings.HasPrefix(rest, ")"):
			out, text = bytes.TrimRight(before, " \n"), rest[1:]
		case native == "" && inList && strings.IndexAny(strings.TrimLeft(rest, " "), ",.(") == 0:
			out = items
		default:
			out = append(out, cmp.Or(native, word)...)
		}
	}
	return string(out)
}

// translate puts what a text says of starting agents into the words of the host.
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
