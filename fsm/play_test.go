package fsm_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
)

// shipped is a shipped config, compiled.
func shipped(t testing.TB, file string) *fsm.Policy {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("..", "configs", file))
	if err != nil {
		t.Fatal(err)
	}
	w := config.World{Dir: filepath.Dir(path), Config: path}
	proj, _, err := config.Find(w)
	if err != nil {
		t.Fatal(err)
	}
	c, origins, problems, err := config.Load(proj, w)
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	p, problems := config.Compile(c, origins)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	p.Fingerprint = "test"
	return p
}

// A play is a session under way: each method is one event, as the client would send it.
type play struct {
	testing.TB
	p     *fsm.Policy
	s     fsm.Session
	d     fsm.Decision // the last answer
	texts map[string]string
	now   time.Time
	spawn *fsm.Spawn // what the host's files say at the next stop

	orders fsm.Overrides // what persons have ordered
}

func begin(t testing.TB, p *fsm.Policy) *play {
	pl := &play{TB: t, p: p, texts: map[string]string{}, now: time.Unix(1_800_000_000, 0).UTC()}
	pl.do(fsm.Event{Kind: fsm.SessionStart, Source: "startup"})
	return pl
}

// defaults is a session under the default pipeline's states; its rules about tools have tests of their own.
func defaults(t testing.TB) *play { return begin(t, states(t)) }

func states(t testing.TB) *fsm.Policy {
	p := *shipped(t, "pipeline.yaml")
	p.Main, p.Subagents, p.Limits = fsm.Rules{}, fsm.Rules{}, fsm.Limits{}
	return &p
}

// starter is the words of the client that most tests speak as.
var starter = fsm.StartTool{Tool: "Agent", Agent: "subagent_type", Describe: "description", Prompt: "prompt"}

// do takes one step, and holds Step to its promise that what it is given stays as it was.
func (pl *play) do(e fsm.Event) *play {
	pl.Helper()
	pl.now = pl.now.Add(time.Second)
	e.Session, e.Time, e.Starter = "s1", pl.now, starter
	if e.Facts.Overrides.Mode == nil && e.Facts.Overrides.Bypasses == nil {
		e.Facts.Overrides = pl.orders
	}
	if pl.p.IsNeeded(fsm.NeedCaptured, pl.s, e) {
		e.Facts.Captured = pl.captured()
	}
	if pl.p.IsNeeded(fsm.NeedSpawn, pl.s, e) {
		e.Facts.Spawn = pl.spawn
	}
	before, facts := written(pl, pl.s), maps.Clone(e.Facts.Captured)
	after, d := pl.p.Step(pl.s, e)
	if before != written(pl, pl.s) || !maps.Equal(facts, e.Facts.Captured) {
		pl.Fatalf("%s changed the session or the facts it was given", e.Kind)
	}
	for _, x := range d.Texts {
		pl.texts[x.Ref.Hash] = x.Text
	}
	pl.agrees(e, d)
	pl.s, pl.d, pl.spawn = after, d, nil
	return pl
}

// agrees: the rulings on the parts of a call come to the decision on the whole.
func (pl *play) agrees(e fsm.Event, d fsm.Decision) {
	pl.Helper()
	if e.Kind != fsm.ToolRequest || d.Level == fsm.Off || len(e.Tool.Parts) == 0 {
		return
	}
	var verdict, strict fsm.Verdict
	for _, r := range d.Parts {
		verdict, strict = max(verdict, r.Verdict), max(strict, r.StrictVerdict)
	}
	if len(d.Parts) != len(e.Tool.Parts) || verdict != d.Verdict || strict != d.StrictVerdict {
		pl.Fatalf("decided %s (strict %s) by the parts %+v", d.Verdict, d.StrictVerdict, d.Parts)
	}
}

// written is a session as the journal has it.
func written(t interface{ Fatal(...any) }, s fsm.Session) string {
	body, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func (pl *play) captured() map[string]string {
	out := map[string]string{}
	for name, ref := range pl.s.Machine.Captures {
		out[name] = pl.texts[ref.Hash]
	}
	for _, r := range pl.s.Agents.Runs {
		if r.Final != nil {
			out[r.ID] = pl.texts[r.Final.Hash]
		}
	}
	if a := pl.s.Machine.Approval; a != nil {
		out[a.AgentID] = pl.texts[a.Text.Hash]
	}
	return out
}

// run is the agent with that id.
func (pl *play) run(id string) fsm.Run {
	pl.Helper()
	for _, r := range pl.s.Agents.Runs {
		if r.ID == id && r.Status != fsm.Admitted {
			return r
		}
	}
	pl.Fatalf("no agent %s in %+v", id, pl.s.Agents.Runs)
	return fsm.Run{}
}

// pending are the agents that were admitted and have not started.
func (pl *play) pending() (out []fsm.Run) {
	for _, r := range pl.s.Agents.Runs {
		if r.Status == fsm.Admitted {
			out = append(out, r)
		}
	}
	return out
}

func main() fsm.Agent { return fsm.Agent{Basis: "no agent_id"} }

// sub is an agent; with an @ in its id a member of a team.
func sub(id, typ string) fsm.Agent {
	return fsm.Agent{ID: id, Type: typ, Teammate: strings.Contains(id, "@"), Basis: "agent_id"}
}

// asks: an agent wants to start another.
func (pl *play) asks(by fsm.Agent, agent, use string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: by, Tool: agentTool(agent, use)})
}

func agentTool(agent, use string) fsm.Tool {
	return fsm.Tool{Name: "Agent", UseID: use, Starts: &fsm.Start{How: fsm.ByAgent, Type: agent},
		Parts: []fsm.Part{{Tool: "Agent"}}}
}

func (pl *play) starts(id, agent string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.AgentStart, Agent: sub(id, agent)})
}

func (pl *play) stops(id, agent, says string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.AgentStop, Agent: sub(id, agent), Text: says})
}

// result: the call that started an agent is over and the main agent has its result.
func (pl *play) result(agent, use, id string) *play {
	pl.Helper()
	tool := agentTool(agent, use)
	tool.Result = fsm.Result{AgentID: id, Done: true}
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(), Tool: tool})
}

// launched: the call came back at once, the agent runs in the background.
func (pl *play) launched(agent, use, id string) *play {
	pl.Helper()
	tool := agentTool(agent, use)
	tool.Result = fsm.Result{AgentID: id}
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(), Tool: tool})
}

// runs plays an agent of the main agent from its request to its result.
func (pl *play) runs(id, agent, says string) *play {
	pl.Helper()
	pl.asks(main(), agent, "use-"+id).passes()
	return pl.starts(id, agent).stops(id, agent, says).result(agent, "use-"+id, id)
}

func (pl *play) uses(by fsm.Agent, tool string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolRequest, Agent: by,
		Tool: fsm.Tool{Name: tool, UseID: "u", Parts: []fsm.Part{{Tool: tool}}}})
}

func (pl *play) used(tool string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.ToolResult, Agent: main(), Tool: fsm.Tool{Name: tool, UseID: "u"}})
}

func (pl *play) says(text string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.Prompt, Text: text})
}

func (pl *play) notified(id, status string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.Prompt, Origin: fsm.Notification, Notice: fsm.Notice{Task: id, Status: status}})
}

// ends the main agent's turn while these agents run in the background.
func (pl *play) ends(running ...string) *play {
	pl.Helper()
	return pl.do(fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{IDs: running}})
}

func (pl *play) in(state string) *play {
	pl.Helper()
	if pl.s.Machine.State != state {
		pl.Fatalf("in %s, expected %s; notes: %q", pl.s.Machine.State, state, pl.d.Notes)
	}
	return pl
}

func (pl *play) passes() *play {
	pl.Helper()
	if pl.d.Verdict != fsm.Pass {
		pl.Fatalf("%s: %s, expected to pass", pl.d.Verdict, pl.d.Reason)
	}
	return pl
}

func (pl *play) gets(v fsm.Verdict, reason string) *play {
	pl.Helper()
	if pl.d.Verdict != v || !strings.Contains(pl.d.Reason, reason) {
		pl.Fatalf("%s: %q, expected %s: %q", pl.d.Verdict, pl.d.Reason, v, reason)
	}
	return pl
}

func (pl *play) denied(reason string) *play { pl.Helper(); return pl.gets(fsm.Deny, reason) }

func (pl *play) told(text string) *play {
	pl.Helper()
	if text == "" && pl.d.Inject != "" || !strings.Contains(pl.d.Inject, text) {
		pl.Fatalf("told %q, expected %q", pl.d.Inject, text)
	}
	return pl
}

func (pl *play) noted(text string) *play {
	pl.Helper()
	if !strings.Contains(strings.Join(pl.d.Notes, "\n"), text) {
		pl.Fatalf("noted %q, expected %q", pl.d.Notes, text)
	}
	return pl
}

func (pl *play) holds(capture, text string) *play {
	pl.Helper()
	ref, ok := pl.s.Machine.Captures[capture]
	if text == "" && ok || text != "" && pl.texts[ref.Hash] != text {
		pl.Fatalf("%s holds %q, expected %q", capture, pl.texts[ref.Hash], text)
	}
	return pl
}

// executing brings the default pipeline to EXECUTING.
func (pl *play) executing() *play {
	pl.Helper()
	return pl.runs("g", "context-gatherer", "gathered 42").runs("r", "context-refiner", "refined 42").
		runs("o", "strategic-orchestrator", "the plan").in("EXECUTING")
}
