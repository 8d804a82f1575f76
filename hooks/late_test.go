package hooks

import (
	"errors"
	"os"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// waits has an event put aside because another has the session's lock.
func (h *Handler) waits(t *testing.T, c Call, e fsm.Event) {
	t.Helper()
	f, err := system.Open(system.Join(h.store().Path("s1"), "lock"), os.O_RDWR|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.TryLock(); err != nil {
		t.Fatal(err)
	}
	before := h.store()
	h.Sessions = session.Store{Dir: before.Dir}
	e.Session = "s1"
	if d, err := h.Answer(c, e); !errors.Is(err, session.ErrBusy) || d.Verdict >= fsm.Ask {
		t.Fatalf("%+v, %v", d, err)
	}
	h.Sessions = before
}

// TestLateFacts: an event that had to wait is played with what its own call knew, not
// with what the next one knows. Here it is the host's word that the main agent started
// an agent whose start was not seen.
func TestLateFacts(t *testing.T) {
	h := handler(t)
	agent := fsm.Agent{ID: "a1", Type: "go"}
	h.answer(t, NoCall{}, request("go"))
	h.waits(t, told{spawn: &fsm.Spawn{Type: "go", UseID: "u-go", Depth: 1}},
		fsm.Event{Kind: fsm.AgentStop, Agent: agent, Text: "found it"})
	h.answer(t, told{spawn: &fsm.Spawn{Type: "x", ParentID: "somebody", Depth: 2}}, prompt("and?"))
	h.in(t, "s1", "B")
	late := h.records(t, "s1")[1]
	contains(t, late.Notes, "it had to wait for the lock")
	if late.Event.Agent.ID != "a1" || len(late.Moves) != 1 {
		t.Errorf("%+v", late)
	}
}

// TestLateIsNotTold: what a late event would have said reached no one, so it is said to
// the next call.
func TestLateIsNotTold(t *testing.T) {
	h := handler(t)
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart})
	h.waits(t, NoCall{}, prompt("hello"))
	if d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolResult,
		Tool: fsm.Tool{Name: "Read"}}); d.Inject != "Begin with go." {
		t.Errorf("told %q", d.Inject)
	}
	if d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Read"}}); d.Inject != "" {
		t.Errorf("told again: %q", d.Inject)
	}
}

// TestLateOwed: so is what the main agent was still owed.
func TestLateOwed(t *testing.T) {
	h := handler(t)
	agent := fsm.Agent{ID: "a1", Type: "go"}
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: agent})
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentFailure, Agent: agent})
	h.waits(t, NoCall{}, fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Read"}})
	contains(t, []string{h.answer(t, NoCall{}, prompt("hello")).Inject},
		`Agent "go" failed, so the pipeline stays in A.`)
}

// TestFork: a forked session goes on where its parent stood; one that has gone on by
// itself does not start over.
func TestFork(t *testing.T) {
	h := handler(t)
	h.goes(t, "a1", "found it")
	fork := fsm.Event{Kind: fsm.SessionStart, Source: "fork", Session: "s2"}
	h.answer(t, told{parent: "s1"}, fork)
	h.in(t, "s2", "B")
	if got := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.Prompt, Session: "s2"}).Inject; got != "Found: found it" {
		t.Errorf("told %q", got)
	}
	for _, parent := range []string{"", "unknown", "../x"} {
		e := fork
		e.Session = "s3"
		d := h.answer(t, told{parent: parent}, e)
		h.in(t, "s3", "A")
		contains(t, d.Notes, "")
	}
	e := fork
	e.Session = "s3"
	h.answer(t, told{parent: "s1"}, e)
	h.in(t, "s3", "A")
}

// TestTampered: what the call knows of a changed settings file is judged.
func TestTampered(t *testing.T) {
	h := handler(t)
	d := h.answer(t, told{tampered: "our hooks are gone"}, fsm.Event{Kind: fsm.ConfigChange})
	if d.Verdict != fsm.Deny || d.Reason != "our hooks are gone" {
		t.Errorf("%+v", d)
	}
	if d := h.answer(t, told{tampered: "our hooks are gone"}, prompt("x")); d.Verdict != fsm.Pass {
		t.Errorf("%+v", d)
	}
}

// TestGuarded: a part that is ours is refused, for every caller and whatever the level.
func TestGuarded(t *testing.T) {
	h := handler(t)
	h.Guards = guard.Guards{Root: h.Root}
	write(t, system.Join(h.Root, "configs", "pipeline.yaml"), "")
	h.Policy.Level = fsm.Guidance
	e := fsm.Event{Kind: fsm.ToolRequest, Dir: h.Guards.Root,
		Tool: fsm.Tool{Name: "Bash", Command: "ls; cd configs; sed -i s/a/b/ pipeline.yaml"}}
	if d := h.answer(t, NoCall{}, e); d.Verdict != fsm.Deny || d.Rule != fsm.RuleProtect {
		t.Errorf("%+v", d)
	}
	e.Tool.Command = "ls; cat configs/pipeline.yaml"
	if d := h.answer(t, NoCall{}, e); d.Verdict != fsm.Pass {
		t.Errorf("%+v", d)
	}
}

// TestLateIsNotInHand: what was decided of an event that had to wait is no answer to the call that records it.
func TestLateIsNotInHand(t *testing.T) {
	h := handler(t)
	h.answer(t, NoCall{}, prompt("hello"))
	h.waits(t, NoCall{}, fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Read"}})
	var got []fsm.Verdict
	h.InHand = func(d *fsm.Decision) { got = append(got, d.Verdict) }
	h.answer(t, NoCall{}, request("stranger"))
	if len(got) != 1 || got[0] != fsm.Deny {
		t.Errorf("in hand: %v", got)
	}
}

// TestLateForkOfABegunSession: a session that has begun before its start could be recorded does not start over where
// its parent stands.
func TestLateForkOfABegunSession(t *testing.T) {
	h := handler(t)
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.SessionStart, Session: "s0"})
	for _, e := range []fsm.Event{request("go"),
		{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: "a1", Type: "go"}},
		{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: "a1", Type: "go"}, Text: "found it"}} {
		e.Session = "s0"
		h.answer(t, NoCall{}, e)
	}
	h.in(t, "s0", "B")
	h.folder(t)
	h.waits(t, NoCall{}, prompt("hello"))
	h.waits(t, told{parent: "s0"}, fsm.Event{Kind: fsm.SessionStart, Source: "fork"})
	h.answer(t, NoCall{}, prompt("and?"))
	h.in(t, "s1", "A")
}

// folder makes the folder of session s1, as its first call does.
func (h *Handler) folder(t *testing.T) {
	t.Helper()
	if err := os.MkdirAll(h.store().Path("s1"), 0o700); err != nil {
		t.Fatal(err)
	}
}

// TestLateSaysNothing: a late event that had nothing to say leaves what was said as said.
func TestLateSaysNothing(t *testing.T) {
	h := handler(t)
	if d := h.answer(t, NoCall{}, prompt("hello")); d.Inject != "Begin with go." {
		t.Fatalf("told %q", d.Inject)
	}
	h.waits(t, NoCall{}, fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Read"}})
	if d := h.answer(t, NoCall{}, fsm.Event{Kind: fsm.ToolResult, Tool: fsm.Tool{Name: "Read"}}); d.Inject != "" {
		t.Errorf("told again: %q", d.Inject)
	}
}
