package hooks

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

func write(t testing.TB, path, body string) {
	t.Helper()
	if err := os.MkdirAll(system.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(body), 0o755); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, to, path string) {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
}

func read(t testing.TB, path string) string {
	t.Helper()
	body, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// policy is a pipeline of two states: A, where agent "go" leads to B, and what A wants
// said.
func policy() *fsm.Policy {
	return &fsm.Policy{Level: fsm.Strict, Initial: "A", Fingerprint: "one", States: []fsm.State{
		{Name: "A", Inject: "Begin with go.", Brief: "You are first.",
			Triggers: []fsm.Trigger{{Name: "go", Agents: []string{"go"}, To: "B", Capture: "found"}}},
		{Name: "B", Inject: "Found: {{ .Context.found }}",
			Triggers: []fsm.Trigger{{Name: "back", Agents: []string{"back"}, To: "A"}}},
	}}
}

// handler answers for session s1 in a folder of its own.
func handler(t testing.TB) *Handler {
	dir := t.TempDir()
	return &Handler{Policy: policy(), Sessions: session.Store{Dir: system.Join(dir, "state"), Wait: time.Second},
		Root: system.Join(dir, "project")}
}

// A told call is one whose host knows something about it.
type told struct {
	NoCall
	spawn    *fsm.Spawn
	parent   string
	tampered string
}

func (c told) Spawn() *fsm.Spawn { return c.spawn }

func (c told) Parent() string { return c.parent }

func (c told) Tampered() string { return c.tampered }

// answer answers an event of session s1.
func (h *Handler) answer(t testing.TB, c Call, e fsm.Event) fsm.Decision {
	t.Helper()
	if e.Session == "" {
		e.Session = "s1"
	}
	e.Time = time.Unix(1_800_000_000, 0).UTC()
	d, err := h.Answer(c, e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// goes has agent go run from its request to its end.
func (h *Handler) goes(t testing.TB, id, says string) {
	t.Helper()
	h.answer(t, NoCall{}, request("go"))
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStart, Agent: fsm.Agent{ID: id, Type: "go"}})
	h.answer(t, NoCall{}, fsm.Event{Kind: fsm.AgentStop, Agent: fsm.Agent{ID: id, Type: "go"}, Text: says})
}

func request(agent string) fsm.Event {
	return fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: "Agent", UseID: "u-" + agent,
		Starts: &fsm.Start{How: fsm.ByAgent, Type: agent}}}
}

func prompt(text string) fsm.Event { return fsm.Event{Kind: fsm.Prompt, Text: text} }

func (h *Handler) records(t testing.TB, id string) (out []journal.Record) {
	t.Helper()
	if _, err := journal.Read(h.store().Path(id), func(r journal.Record) bool {
		out = append(out, r)
		return true
	}); err != nil && !strings.Contains(err.Error(), "no such file") {
		t.Fatal(err)
	}
	return out
}

func (h *Handler) in(t testing.TB, id, state string) fsm.Session {
	t.Helper()
	s, err := h.Sessions.Last(id)
	if err != nil || s.Machine.State != state {
		t.Fatalf("in %q, expected %q (%v)", s.Machine.State, state, err)
	}
	return s
}

func contains(t testing.TB, all []string, want string) {
	t.Helper()
	if text := strings.Join(all, "\n"); !strings.Contains(text, want) || want == "" && text != "" {
		t.Fatalf("%q, expected %q", all, want)
	}
}

// store is the disk that a test's handler keeps its sessions on.
func (h *Handler) store() session.Store {
	st, _ := h.Sessions.(session.Store)
	return st
}
