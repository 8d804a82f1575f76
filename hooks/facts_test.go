package hooks

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestEveryNeedIsGathered: a fact that is added without a gatherer fails here.
func TestEveryNeedIsGathered(t *testing.T) {
	if len(gatherers) != int(fsm.NeedAgents)+1 {
		t.Errorf("%d gatherers for %d needs", len(gatherers), fsm.NeedAgents+1)
	}
	for n := range fsm.NeedAgents + 1 {
		if int(n) >= len(gatherers) || gatherers[n].gather == nil {
			t.Errorf("need %d has no gatherer", n)
		}
	}
}

// TestGivenFactsAreNotGathered: what the event brings stands, whatever the disk says.
func TestGivenFactsAreNotGathered(t *testing.T) {
	h := gated(t)
	h.Given = func(n fsm.Need) bool { return n == fsm.NeedGate }
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a1", Type: "go"}})
	s := h.in(t, "s1", "A")
	stop := fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a1", Type: "go"}, Text: "found"}
	_, key := h.Policy.SelectGate(s, stop)
	stop.Facts.Gate = &fsm.GateResult{Key: key, OK: true}
	if h.answer(t, NoCall{}, stop); exists(t, h.Root+"/tries") {
		t.Error("the gate was run")
	}
	h.in(t, "s1", "B")
}

// TestTextsAreCapturedForHolds: hold.say may quote what was captured.
func TestTextsAreCapturedForHolds(t *testing.T) {
	h := runner(t)
	h.goes(t, "a1", "what it found")
	h.Policy.Hold = fsm.Hold{Gate: &fsm.Gate{Run: "false", Timeout: soon}, Tries: 1, Say: "Found: {{ .Context.found }}"}
	d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.TurnStop, Tasks: &fsm.Background{}})
	contains(t, []string{d.Reason}, "Found: what it found")
}

// inputCall is a call whose tool was given something.
type inputCall struct {
	NoCall
	in map[string]string
}

func (c inputCall) Input() map[string]string { return c.in }

// TestLongInput: a rule meets the whole of an input that it asks for. What no rule asks
// for is kept only if it is short, and the record has no more than the beginning.
func TestLongInput(t *testing.T) {
	h := handler(t)
	h.Policy.Main.List = []fsm.Rule{{Name: "no-query", Verdict: fsm.Deny, Tools: []string{"mcp__db__*"},
		Inputs: []fsm.Input{{Name: "query", Value: "*drop table*"}}}}
	long := strings.Repeat("select 1; ", 100)
	e := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "mcp__db__run", UseID: "u1"}}
	d := h.answer(t, inputCall{in: map[string]string{"query": long + "drop table x", "note": long, "mode": "fast"}}, e)
	if d.Verdict != fsm.Deny || d.Rule != "no-query" {
		t.Errorf("%s by rule %q", d.Verdict, d.Rule)
	}
	r := h.records(t, "s1")[0]
	in := r.Event.Tool.Input
	if len(in["query"]) != maxInput || in["note"] != "" || in["mode"] != "fast" || !r.Cut {
		t.Errorf("recorded %q, cut %t", in, r.Cut)
	}
}

// runner runs commands in a project's folder.
func runner(t testing.TB) *Handler {
	t.Helper()
	h := handler(t)
	if err := os.MkdirAll(h.Root, 0o755); err != nil {
		t.Fatal(err)
	}
	return h
}

const soon = 20 * time.Second // more than any of these commands takes
