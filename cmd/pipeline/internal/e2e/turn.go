package e2e

import (
	"context"
	"time"
)

// Input is what a tool is called with.
type Input map[string]any

// ToolCall is one call that the model makes.
type ToolCall struct {
	Name  string
	Input Input
	Space string // Codex: the namespace of the tool
	Raw   string // not "": the input of a tool that takes a text in place of an object
}

// Turn is one answer of the model. The zero Turn is an answer without text.
type Turn struct {
	Text   string
	Calls  []ToolCall
	Delay  time.Duration
	Hold   Cond                // the answer waits until it is true
	Status int                 // not 0: an API error, with Body
	Body   string              // the error's message
	Make   func(*Request) Turn // makes the turn from what was asked
}

// Text is a turn that ends the agent with these words.
func Text(text string) Turn { return Turn{Text: text} }

// Call is a turn that calls one tool.
func Call(name string, in Input) Turn {
	return Turn{Calls: []ToolCall{{Name: name, Input: in}}}
}

// Start is a turn that starts an agent and lets the client choose whether in
// the background: the older one does not, the newer one does.
func Start(agent, prompt string) Turn {
	return Call("Agent", Input{"subagent_type": agent, "description": "run " + agent, "prompt": prompt})
}

// StartWait is Start, in the foreground with both clients.
func StartWait(agent, prompt string) Turn {
	return Start(agent, prompt).With("run_in_background", false)
}

// StartAside is Start, in the background with both clients.
func StartAside(agent, prompt string) Turn {
	return Start(agent, prompt).With("run_in_background", true)
}

// Fail is a turn that is an API error, such as Fail(400, "prompt is too long").
func Fail(status int, message string) Turn { return Turn{Status: status, Body: message} }

// Given is a turn that depends on what was asked, such as on an agent's id.
func Given(answer func(*Request) Turn) Turn { return Turn{Make: answer} }

// Together is one turn that says and calls what the given ones do.
func Together(turns ...Turn) Turn {
	var whole Turn
	for _, t := range turns {
		whole.Text += t.Text
		whole.Calls = append(whole.Calls, t.Calls...)
	}
	return whole
}

// With is the turn with one more input key in its last call.
func (t Turn) With(key string, value any) Turn {
	calls := append([]ToolCall(nil), t.Calls...)
	last := &calls[len(calls)-1]
	in := Input{key: value}
	for k, v := range last.Input {
		if k != key {
			in[k] = v
		}
	}
	last.Input = in
	t.Calls = calls
	return t
}

// After is the turn, given no sooner than d after it was asked for.
func (t Turn) After(d time.Duration) Turn {
	t.Delay = d
	return t
}

// Until is the turn, given no sooner than the condition holds.
func (t Turn) Until(c Cond) Turn {
	t.Hold = c
	return t
}

func (t Turn) resolve(req *Request) Turn {
	if t.Make == nil {
		return t
	}
	return t.Make(req)
}

// wait returns false when the client has gone away meanwhile.
func (t Turn) wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(t.Delay):
	}
	return t.Hold == nil || t.Hold.wait(ctx)
}
