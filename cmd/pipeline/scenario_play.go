package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A player plays a scenario: each step becomes the hook calls that the client would make.
type player struct {
	*trial
	env  map[string]string
	runs []*agentRun
}

// An agentRun is an agent of the scenario, from the call that asks for it to its result.
type agentRun struct {
	agent string
	by    map[string]any // who asked for it, as payloads name him
	call  map[string]any // the call that asked for it, nil when nobody did
	id    string         // once it has started
	over  bool
}

// An outcome is what a step came to.
type outcome struct {
	fsm.Decision        // of the request, or of whatever the step is about
	told         string // what was injected, by any of its calls
	from, to     string // the state before and after
	notes        []string
	judged       bool // a call was put to the policy
}

// play takes one step.
func (pl *player) play(st scriptStep) (outcome, error) {
	o := outcome{from: pl.session.Machine.State, judged: st.verb == actCall}
	err := pl.act(st, &o)
	o.to = pl.session.Machine.State
	return o, err
}

func (pl *player) act(st scriptStep, o *outcome) error {
	switch st.verb {
	case actCall:
		return pl.calls(st, o)
	case actStarts:
		return pl.starts(pl.waiting(st.actor), o)
	case actDone:
		return pl.comes(st, o, func(r *agentRun) error { return pl.returns(r, st.arg, o) })
	case actFails:
		return pl.comes(st, o, func(r *agentRun) error { return pl.breaks(r, o) })
	case actSays:
		return pl.tell(o, "UserPromptSubmit", map[string]any{"prompt": st.arg})
	case actEnds:
		return pl.tell(o, "Stop", map[string]any{"background_tasks": pl.tasks()})
	case actReset:
		o.merge(pl.move(st.arg))
	case actLevel:
		pl.policy.Level, _ = fsm.ParseLevel(st.arg) // it was read before
	case actEnv:
		name, value, _ := strings.Cut(st.arg, "=")
		pl.env[name] = value
	}
	return nil
}

// merge adds what an event brought. The strictest answer is the step's.
func (o *outcome) merge(d fsm.Decision) {
	o.told = strings.TrimSpace(o.told + "\n" + d.Inject)
	o.notes = append(o.notes, d.Notes...)
	if d.StrictVerdict > o.StrictVerdict {
		o.Decision = d
	}
}

func (pl *player) tell(o *outcome, event string, with ...map[string]any) error {
	all := map[string]any{}
	for _, w := range with {
		maps.Copy(all, w)
	}
	d, err := pl.send(event, all)
	o.merge(d)
	return err
}

// calls makes a call: asks, and if nothing stands against it, goes on to its result. An agent's result comes later.
func (pl *player) calls(st scriptStep, o *outcome) error {
	who := pl.caller(st.actor)
	call := callPayload(st.call, pl.id("toolu_"))
	resumed := pl.addressed(st.call, call)
	if err := pl.tell(o, "PreToolUse", who, call); err != nil || o.Verdict > fsm.Warn {
		return err
	}
	if start := pl.asked.Tool.Starts; start != nil && start.How != fsm.ByWorkflow {
		if resumed == nil {
			resumed = &agentRun{agent: start.Type}
			pl.runs = append(pl.runs, resumed)
		}
		resumed.by, resumed.call, resumed.over = who, call, false
		return nil
	}
	return pl.tell(o, "PostToolUse", who, call, map[string]any{"tool_response": map[string]any{}})
}

// caller is who makes a call. An agent that was not started is taken for one that was started earlier.
func (pl *player) caller(actor string) map[string]any {
	if actor == "main" {
		return nil
	}
	r := pl.running(actor)
	if r == nil {
		r = &agentRun{agent: actor, id: pl.id("a"), call: pl.order(actor)}
		pl.runs = append(pl.runs, r)
		pl.enlist(r.id, actor, r.call["tool_use_id"].(string))
	}
	return r.who()
}

// order is the call that asks for an agent.
func (pl *player) order(agent string) map[string]any {
	return callPayload(toolCall{"Agent", agent}, pl.id("toolu_"))
}

func (r *agentRun) who() map[string]any {
	return map[string]any{"agent_id": r.id, "agent_type": r.agent}
}

// addressed is the finished agent that a message wakes; scenarios name it by its type, clients by its id.
func (pl *player) addressed(c toolCall, call map[string]any) *agentRun {
	in := call["tool_input"].(map[string]any)
	if c.tool != "SendMessage" {
		return nil
	}
	for _, r := range slices.Backward(pl.runs) {
		if r.over && in["to"] == r.agent {
			in["to"] = r.id
			return r
		}
	}
	return nil
}

// running is the oldest agent of this type that runs.
func (pl *player) running(agent string) *agentRun {
	return pl.first(func(r *agentRun) bool { return r.id != "" && !r.over && strings.EqualFold(r.agent, agent) })
}

// waiting is the oldest agent of this type that was asked for and has not begun; else one that nobody asked for.
func (pl *player) waiting(agent string) *agentRun {
	r := pl.first(func(r *agentRun) bool { return r.id == "" && strings.EqualFold(r.agent, agent) })
	if r == nil {
		r = &agentRun{agent: agent}
		pl.runs = append(pl.runs, r)
	}
	return r
}

func (pl *player) first(is func(*agentRun) bool) *agentRun {
	if i := slices.IndexFunc(pl.runs, is); i >= 0 {
		return pl.runs[i]
	}
	return nil
}

func (pl *player) starts(r *agentRun, o *outcome) error {
	if r.id == "" {
		r.id = pl.id("a")
	}
	return pl.tell(o, "SubagentStart", r.who())
}

// comes brings an agent to its end. One that has not started is asked for and started first.
func (pl *player) comes(st scriptStep, o *outcome, end func(*agentRun) error) error {
	r := pl.running(st.actor)
	if r == nil {
		if r = pl.waiting(st.actor); r.call == nil {
			r.call = pl.order(st.actor)
			o.judged = true
			if err := pl.tell(o, "PreToolUse", r.call); err != nil || o.Verdict > fsm.Warn {
				r.over, r.id = true, "refused"
				return err
			}
		}
		if err := pl.starts(r, o); err != nil {
			return err
		}
	}
	r.over = true
	return end(r)
}

// returns is the end of an agent, and then the result of the call that asked for it.
func (pl *player) returns(r *agentRun, says string, o *outcome) error {
	err := pl.tell(o, "SubagentStop", r.who(), map[string]any{"last_assistant_message": says})
	if err != nil || r.call == nil {
		return err
	}
	return pl.tell(o, "PostToolUse", r.by, r.call, map[string]any{"tool_response": map[string]any{"status": "completed", "agentId": r.id}})
}

// breaks is the end of an agent in an error of the client.
func (pl *player) breaks(r *agentRun, o *outcome) error {
	err := pl.tell(o, "StopFailure", r.who(), map[string]any{"last_assistant_message": "API Error"})
	if err != nil || r.call == nil {
		return err
	}
	return pl.tell(o, "PostToolUseFailure", r.by, r.call, map[string]any{"error": "the agent failed"})
}

// tasks are what the client lists as running in the background.
func (pl *player) tasks() []map[string]any {
	out := []map[string]any{}
	for _, r := range pl.runs {
		if r.id != "" && !r.over {
			out = append(out, map[string]any{"id": r.id, "type": "subagent", "status": "running"})
		}
	}
	return out
}

// decides is what decided the step, with its place.
func (pl *player) decides(o outcome) ruling {
	if o.StrictVerdict == fsm.Pass && o.judged {
		e := pl.asked
		if len(e.Tool.Parts) > 0 {
			e.Tool.Parts = e.Tool.Parts[:1]
		}
		return pl.ruling(e)
	}
	return ruling{Rule: o.Rule, Where: o.Where, Verdict: o.Verdict.String(), Strict: o.StrictVerdict.String()}
}

// String is where a decision comes from.
func (r ruling) String() string {
	if r.Where == "" {
		return r.Rule
	}
	return fmt.Sprintf("%s (%s)", r.Rule, r.Where)
}
