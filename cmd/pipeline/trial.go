package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

// A trial is a session that is played in memory: what the hooks would be called with, read and judged as they do it, and
// recorded nowhere.
type trial struct {
	policy  fsm.Policy // a copy: a scenario may change its level
	host    hooks.Host
	guards  hooks.Guards
	dir     string // where the calls are made
	getenv  func(string) string
	session fsm.Session
	texts   map[string]string // what was captured, by hash
	now     time.Time
	ids     int
	asked   fsm.Event   // the latest call that was put to the policy,
	before  fsm.Session // and the session that it was put to
}

// trial begins a session under the policy.
func (p *program) trial(o config.Opened, getenv func(string) string) (*trial, error) {
	host, _ := p.host("", o)
	t := &trial{policy: *o.Policy, host: host, guards: p.guards(o), dir: o.Project.Root, getenv: getenv,
		texts: map[string]string{}, now: time.Now().UTC()}
	_, err := t.send("SessionStart", map[string]any{"source": "startup"})
	return t, err
}

// id makes one of the form that the client gives.
func (t *trial) id(prefix string) string {
	t.ids++
	return fmt.Sprintf("%s%016x", prefix, t.ids)
}

// send is one call of a hook, from its payload on.
func (t *trial) send(event string, with map[string]any) (fsm.Decision, error) {
	payload := map[string]any{"session_id": "trial", "cwd": t.dir, "hook_event_name": event}
	maps.Copy(payload, with)
	body, err := json.Marshal(payload)
	if err != nil {
		return fsm.Decision{}, fmt.Errorf("encode payload: %w", err)
	}
	call, err := t.host.Read(bytes.NewReader(body))
	if err != nil {
		return fsm.Decision{}, err
	}
	e, _ := call.Event(t.now)
	return t.step(call, e), nil
}

// step adds the facts to an event and takes it.
func (t *trial) step(c hooks.Call, e fsm.Event) fsm.Decision {
	t.now = t.now.Add(time.Second)
	e.Time, e.Session = t.now, "trial"
	e.Tool.Parts = t.guards.Parts(e.Tool, e.Dir)
	e.Agent = hooks.Role(t.policy.Caller, t.getenv, e.Agent)
	if l, ok := hooks.Lifted(t.policy.Bypass, t.getenv); ok {
		e.Facts.Overrides.Bypasses = []fsm.Bypass{l}
	}
	for _, need := range t.policy.Needs(t.session, e) {
		switch need {
		case fsm.NeedCaptured:
			e.Facts.Captured = t.captured()
		case fsm.NeedEnv:
			e.Facts.Env = t.environment()
		case fsm.NeedInput:
			e.Tool.Input = c.Input()
		}
	}
	return t.take(e)
}

func (t *trial) take(e fsm.Event) fsm.Decision {
	if e.Kind == fsm.ToolRequest {
		t.asked, t.before = e, t.session
	}
	s, d := t.policy.Step(t.session, e)
	t.session = s
	for _, x := range d.Texts {
		t.texts[x.Ref.Hash] = x.Text
	}
	return d
}

func (t *trial) captured() map[string]string {
	out := map[string]string{}
	for name, ref := range t.session.Machine.Captures {
		out[name] = t.texts[ref.Hash]
	}
	for _, r := range t.session.Agents.Runs {
		if r.Final != nil {
			out[r.ID] = t.texts[r.Final.Hash]
		}
	}
	return out
}

func (t *trial) environment() map[string]string {
	out := map[string]string{}
	for _, name := range t.policy.ListEnvNames() {
		if v := t.getenv(name); v != "" {
			out[name] = v
		}
	}
	return out
}

// move puts the session into a state, as a person's reset does; to "" is to the initial one.
func (t *trial) move(to string) fsm.Decision {
	return t.step(hooks.NoCall{}, fsm.Event{Kind: fsm.Reset, Source: to, Text: "trial"})
}

// enlist makes an agent of this type one that the main agent has started and that runs, whatever the state says.
func (t *trial) enlist(id, agent, use string) {
	t.session.Agents.Runs = append(t.session.Agents.Runs, fsm.Run{ID: id, Type: agent, How: fsm.ByAgent, UseID: use,
		Status: fsm.Running, Visit: t.session.Machine.Visit, Epoch: t.session.Machine.Epoch})
}

// callPayload is what the client says of a call before it is made.
func callPayload(c toolCall, use string) map[string]any {
	return map[string]any{"tool_name": c.tool, "tool_use_id": use, "tool_input": c.input()}
}
