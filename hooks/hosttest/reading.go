package hosttest

import (
	"errors"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

var now = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// role is a payload with what it must be read as, and what a host must be able to tell
// for it to be there.
type role struct {
	name    string
	payload string
	kind    fsm.Kind
	main    bool
	tells   hooks.Set
}

// roles lists the payloads that are given. missing is one that is missing without a reason.
func (c Cases) roles(can hooks.Set) (given []role, missing string) {
	for _, r := range []role{
		{"Start", c.Start, fsm.SessionStart, true, 0},
		{"Prompt", c.Prompt, fsm.Prompt, true, 0},
		{"Request", c.Request, fsm.ToolRequest, true, 0},
		{"SubRequest", c.SubRequest, fsm.ToolRequest, false, hooks.TellsCaller},
		{"AgentStart", c.AgentStart, fsm.AgentStart, false, hooks.TellsStart},
		{"AgentStop", c.AgentStop, fsm.AgentStop, false, hooks.TellsStop},
		{"TurnStop", c.TurnStop, fsm.TurnStop, true, 0},
	} {
		if r.payload != "" {
			given = append(given, r)
		} else if can.Has(r.tells) {
			missing = r.name
		}
	}
	return given, missing
}

// readRole gives the call and the event of a role, or reports why there is none.
func readRole(t testingT, h hooks.Host, r role) (hooks.Call, fsm.Event, bool) {
	t.Helper()
	call, err := h.Read(strings.NewReader(r.payload))
	if err != nil {
		t.Errorf("%s: %v", r.name, err)
		return nil, fsm.Event{}, false
	}
	e, ok := call.Event(now)
	if !ok {
		t.Errorf("%s: it does not concern the host", r.name)
	}
	return call, e, ok
}

func checkReads(t testingT, h hooks.Host, c Cases) {
	given, missing := c.roles(h.Can())
	if missing != "" {
		t.Errorf("%s: the host can tell it, and there is no payload", missing)
	}
	for _, r := range given {
		_, e, ok := readRole(t, h, r)
		if !ok {
			continue
		}
		if e.Kind != r.kind {
			t.Errorf("%s: it is read as %v, not %v", r.name, e.Kind, r.kind)
		}
		if e.Session == "" || !e.Time.Equal(now) {
			t.Errorf("%s: session %q at %v", r.name, e.Session, e.Time)
		}
		if e.Kind == fsm.ToolRequest && e.Tool.Name == "" {
			t.Errorf("%s: the tool has no name", r.name)
		}
		if e.Kind == fsm.Prompt && (e.Origin != fsm.Person || e.Text == "") {
			t.Errorf("%s: origin %v, text %q", r.name, e.Origin, e.Text)
		}
	}
}

func checkCallers(t testingT, h hooks.Host, c Cases) {
	given, _ := c.roles(h.Can())
	started := "" // the agent whose type its start has named
	for _, r := range given {
		if _, e, ok := readRole(t, h, r); ok && e.Kind == fsm.AgentStart && e.Agent.Type != "" {
			started = e.Agent.ID
		}
	}
	for _, r := range given {
		_, e, ok := readRole(t, h, r)
		if !ok {
			continue
		}
		if e.Agent.IsMain() != r.main {
			t.Errorf("%s: the main agent's: %v", r.name, e.Agent.IsMain())
		}
		if !r.main && e.Agent.Type == "" && (e.Kind == fsm.AgentStart || e.Agent.ID != started) {
			t.Errorf("%s: agent %s has no type", r.name, e.Agent.ID)
		}
		if e.Agent.Basis == "" {
			t.Errorf("%s: the basis for the caller is missing", r.name)
		}
	}
}

func checkOthers(t testingT, h hooks.Host, c Cases) {
	for _, payload := range c.Others {
		call, err := h.Read(strings.NewReader(payload))
		if err != nil {
			t.Errorf("%v: %s", err, payload)
			continue
		}
		if _, ok := call.Event(now); ok {
			t.Errorf("it does not concern us: %s", payload)
		}
	}
}

// checkForeign: a payload of another client is no error, since an error is answered too.
func checkForeign(t testingT, h hooks.Host, c Cases) {
	for _, payload := range c.Foreign {
		call, err := h.Read(strings.NewReader(payload))
		if err != nil {
			t.Errorf("%v: %s", err, payload)
			continue
		}
		if e, ok := call.Event(now); ok {
			t.Errorf("another client's was read as %v: %s", e.Kind, payload)
		}
	}
}

func checkGarbage(t testingT, h hooks.Host, c Cases) {
	garbage := []string{"", " \n", "null", "{}", "[]", "42", `"x"`, "hello", "\x00\xff", strings.Repeat("[", 20_000)}
	given, _ := c.roles(h.Can())
	for _, r := range given {
		garbage = append(garbage, r.payload[:len(r.payload)/2], "["+r.payload+"]", r.payload+"}")
	}
	for _, payload := range garbage {
		_, err := h.Read(strings.NewReader(payload))
		if err == nil {
			t.Errorf("it was read: %.80q", payload)
		} else if strings.ContainsAny(err.Error(), "\r\n") {
			t.Errorf("the error has more than one line: %q", err)
		}
	}
}

var errBroken = errors.New("the pipe broke")

type broken struct{}

func (broken) Read([]byte) (int, error)  { return 0, errBroken }
func (broken) Write([]byte) (int, error) { return 0, errBroken }

func checkReadError(t testingT, h hooks.Host, _ Cases) {
	if _, err := h.Read(broken{}); !errors.Is(err, errBroken) {
		t.Errorf("got %v", err)
	}
}

// checkNoFacts: nothing is known of a call that could not be read.
func checkNoFacts(t testingT, h hooks.Host, c Cases) {
	call := h.Bare(c.RequestEvent)
	if s := call.Spawn(); s != nil {
		t.Errorf("started: %+v", *s)
	}
	if in := call.Input(); len(in) > 0 {
		t.Errorf("input: %v", in)
	}
	if p, why := call.Parent(), call.Tampered(); p != "" || why != "" {
		t.Errorf("parent %q, tampered %q", p, why)
	}
}

// checkSurroundings: a call belongs to some project, comes from the client where nothing
// says otherwise, and the client has settings that can be guarded.
func checkSurroundings(t testingT, h hooks.Host, _ Cases) {
	if h.Root("/work") == "" {
		t.Errorf("a call belongs to no project")
	}
	if !h.IsGenuine() {
		t.Errorf("the client is taken for an agent")
	}
	places := h.Places()
	if places.Project == "" || places.User == "" || len(places.Settings) == 0 {
		t.Errorf("places are missing: %+v", places)
	}
}
