package verify

import (
	"maps"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm"
)

// A situation is what the answer to the start of an agent depends on, beside the agent and how the call is written.
type situation struct {
	session fsm.Session
	env     map[string]string
}

// situations are all that a session can be met in, as far as rules can tell them apart: by what was called lately (no
// agent, one, one and others since), and by the environment (nothing is set, all is, or one variable).
func (x *explored) situations(s fsm.Session) []situation {
	var out []situation
	for _, env := range x.environments() {
		out = append(out, situation{s, env})
		for n := range x.looksBack() {
			late := s
			late.Budgets.Recent = []fsm.RecentTools{{Tools: append([]string{"Agent"}, slices.Repeat([]string{"other"}, n)...)}}
			out = append(out, situation{late, env})
		}
	}
	return out
}

func (x *explored) environments() []map[string]string {
	all, out := map[string]string{}, []map[string]string{nil}
	for _, r := range x.p.Main.List {
		for _, c := range slices.Concat(r.Env, r.UnlessEnv) {
			all[c.Name] = witness(c.Value)
			out = append(out, map[string]string{c.Name: all[c.Name]})
		}
	}
	if len(all) > 1 {
		out = append(out, all)
	}
	return out
}

func (x *explored) looksBack() (n int) {
	for _, r := range x.p.Main.List {
		n = max(n, r.Within)
	}
	return n
}

// easiest is the most lenient answer to the start of an agent, in whatever situation.
func (x *explored) easiest(s fsm.Session, agent string) fsm.Verdict {
	least := fsm.Deny
	for _, in := range x.situations(s) {
		least = min(least, x.start(in, agent).Verdict)
	}
	return least
}

// start is the most lenient answer to the main agent that wants to start an agent, however it writes the call.
func (x *explored) start(in situation, agent string) fsm.Decision {
	var best fsm.Decision
	for i, input := range x.inputs() {
		e := request(fsm.Agent{}, agent)
		maps.Copy(e.Tool.Input, input)
		e.Facts.Env = in.env
		if _, d := x.p.Step(in.session, e); i == 0 || d.Verdict < best.Verdict {
			best = d
		}
	}
	return best
}

// inputs are the ways of writing a call that rules tell apart: without anything, and as each rule asks for it.
func (x *explored) inputs() []map[string]string {
	out := []map[string]string{nil}
	for _, r := range x.p.Main.List {
		input := map[string]string{}
		for _, c := range r.Inputs {
			if c.Name != agentInput {
				input[c.Name] = witness(c.Value)
			}
		}
		if len(input) > 0 && r.CoversTool("Agent") {
			out = append(out, input)
		}
	}
	return out
}

// agentInput is the input of the Agent tool that names whom to start (Claude Code 2.1.197 and 2.1.329).
const agentInput = "subagent_type"

func request(by fsm.Agent, agent string) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Session: "verify", Agent: by, Tool: fsm.Tool{Name: "Agent", UseID: "verify",
		Parts: []fsm.Part{{Tool: "Agent"}}, Input: map[string]string{agentInput: agent},
		Starts: &fsm.Start{How: fsm.ByAgent, Type: agent}}}
}
