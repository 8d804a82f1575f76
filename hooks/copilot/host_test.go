package copilot_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/copilot"
	"github.com/agent-pipeline/pipeline/hooks/hosttest"
)

const (
	mainSession = "af7de7a2-2516-4e6e-9a65-589123788a3e"
	nested      = "573916a2-9c6a-49e8-aec6-e634656344b3"
)

func recorded(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/1.0.102/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func host(event string) copilot.Host {
	return copilot.New(hooks.Surroundings{Home: "/home/user", Project: "/home/user/project", Event: event})
}

func TestHost(t *testing.T) {
	hosttest.Run(t, host("subagent-start"), hosttest.Cases{
		Start:      recorded(t, "SessionStart"),
		Prompt:     recorded(t, "UserPromptSubmit"),
		Request:    recorded(t, "PreToolUse.Bash"),
		SubRequest: recorded(t, "PreToolUse.Read.in-subagent"),
		AgentStart: recorded(t, "SubagentStart"),
		AgentStop:  recorded(t, "SubagentStop"),
		TurnStop:   recorded(t, "Stop"),
		Result:     recorded(t, "PostToolUse.Bash"),
		Others:     []string{recorded(t, "Stop.in-subagent")},
		Failed:     []string{recorded(t, "failed"), recorded(t, "failed.background")},

		RequestEvent: "pre-tool-use",
	})
}

// event reads a payload as the hook that is registered for it does.
func event(t *testing.T, name string) fsm.Event {
	t.Helper()
	called := map[string]string{"SubagentStart": "subagent-start"}[strings.Split(name, ".")[0]]
	call, err := host(called).Read(strings.NewReader(recorded(t, name)))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	e, ok := call.Event(time.Now())
	if !ok {
		t.Fatalf("%s does not concern us", name)
	}
	return e
}

// TestSessions: whatever an agent's payload calls its session, it is the main agent's. Of
// an agent below another one only its start and its end say which that is.
func TestSessions(t *testing.T) {
	for name, want := range map[string]string{
		"PreToolUse.Bash": mainSession, "PreToolUse.Read.in-subagent": mainSession, "SubagentStart": mainSession,
		"SubagentStop": mainSession, "PostToolUse.Read.in-subagent": mainSession, "SubagentStart.nested": nested,
		"SubagentStop.nested": nested, "PreToolUse.Read.nested": "37bc0708-defa-4272-8c01-c875b78d9378",
	} {
		e := event(t, name)
		if e.Session != want {
			t.Errorf("%s: session %s, want %s", name, e.Session, want)
		}
		if e.Agent.ID != "" && e.Agent.Parent == "" {
			t.Errorf("%s: the agent has no parent", name)
		}
	}
}

func TestTools(t *testing.T) {
	for name, want := range map[string]fsm.Tool{
		"PreToolUse.Bash":  {Name: "Bash", Command: "echo hi"},
		"PreToolUse.Write": {Name: "Write", Paths: []string{"/home/user/project/b.txt"}},
		"PreToolUse.Edit":  {Name: "Edit", Files: []fsm.FileUse{{Tool: "Write", Path: "p.txt"}}},
		"PreToolUse.Agent": {Name: "Agent", Starts: &fsm.Start{How: fsm.ByAgent, Type: "gatherer", Name: "gather"}},
		"PreToolUse.write_agent": {Name: "SendMessage", Message: "more",
			Starts: &fsm.Start{How: fsm.ByMessage, Name: "bg"}},
		"PreToolUse.Grep":   {Name: "Grep"},
		"PreToolUse.server": {Name: "mcp__my__demo-ping"},
		"PostToolUse.Agent.background": {Name: "Agent",
			Result: fsm.Result{AgentID: "b261e498-9f24-4ebc-989d-2eba12d278ee"}},
		"PostToolUse.Agent": {Name: "Agent"},
	} {
		e := event(t, name)
		got := e.Tool
		if got.Name != want.Name || got.Command != want.Command || got.Message != want.Message ||
			got.Result != want.Result ||
			strings.Join(got.Paths, " ") != strings.Join(want.Paths, " ") {
			t.Errorf("%s: %+v", name, got)
		}
		if want.Starts != nil && (got.Starts == nil || *got.Starts != *want.Starts) {
			t.Errorf("%s: starts %+v", name, got.Starts)
		}
		if len(want.Files) != len(got.Files) || len(want.Files) > 0 && got.Files[0] != want.Files[0] {
			t.Errorf("%s: files %+v", name, got.Files)
		}
		if len(e.Notes) > 0 {
			t.Errorf("%s: noted %q", name, e.Notes)
		}
	}
}

// TestPrompts: what Copilot says of its own agents is not a person's. That a prompt repeats
// what held the turn the session knows.
func TestPrompts(t *testing.T) {
	for name, want := range map[string]fsm.Origin{"UserPromptSubmit": fsm.Person,
		"UserPromptSubmit.notification": fsm.Notification, "UserPromptSubmit.held": fsm.Person} {
		if e := event(t, name); e.Origin != want || !e.Host.Echoes {
			t.Errorf("%s: origin %q, echoes %v", name, e.Origin, e.Host.Echoes)
		}
	}
	if e := event(t, "SessionStart"); e.Source != "startup" {
		t.Errorf("a new session starts by %q", e.Source)
	}
}

// TestText: text stands on top of an answer, where Copilot reads it.
func TestText(t *testing.T) {
	for name, want := range map[string]string{
		"SubagentStart":   `{"additionalContext":"read this"}`,
		"PreToolUse.Bash": `{"hookSpecificOutput":{"hookEventName":"PreToolUse","additionalContext":"read this"}}`,
	} {
		call, err := host("subagent-start").Read(strings.NewReader(recorded(t, name)))
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := call.Reply(&out, fsm.Decision{Inject: "read this"}); err != nil ||
			strings.TrimSpace(out.String()) != want {
			t.Errorf("%s: %s, %v", name, out.String(), err)
		}
	}
}

// TestPersonsFileStays: a file of the name that ours has may be a person's.
func TestPersonsFileStays(t *testing.T) {
	h, theirs := host(""), []byte(`{"version": 1, "hooks": {}}`)
	if _, _, err := h.Edit(theirs, h.Entries("/usr/bin/pipeline", false)); err == nil {
		t.Error("a person's file is overwritten")
	}
	if out, changed, err := h.Edit(theirs, nil); err != nil || changed || string(out) != string(theirs) {
		t.Errorf("a person's file is removed: %q, %v, %v", out, changed, err)
	}
	ours, _, err := h.Edit(nil, h.Entries("/usr/bin/pipeline", false))
	if err != nil {
		t.Fatal(err)
	}
	for old, changed := range map[string]string{`"timeoutSec": 30`: `"timeoutSec": 1`, `"PreToolUse"`: `"PreToolUsed"`,
		"/usr/bin/pipeline": "/usr/bin/true"} {
		if why := h.Blocks([]byte(strings.Replace(string(ours), old, changed, 1)),
			h.Entries("/usr/bin/pipeline", false)); why == "" {
			t.Errorf("%s in place of %s is not noticed", changed, old)
		}
	}
	if why := h.Blocks([]byte(strings.Join(strings.Fields(string(ours)), " ")),
		h.Entries("/usr/bin/pipeline", false)); why != "" {
		t.Errorf("its layout: %s", why)
	}
}

// TestGenuine: what a hook has and an agent's shell has not, and the other way round.
func TestGenuine(t *testing.T) {
	for name, row := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"hook":             {map[string]string{"COPILOT_CLI": "1", "COPILOT_HOOK_DIR": "/x"}, true},
		"shell":            {map[string]string{"COPILOT_CLI": "1", "COPILOT_AGENT_SESSION_ID": "s"}, false},
		"hook below shell": {map[string]string{"COPILOT_HOOK_DIR": "/x", "COPILOT_AGENT_SESSION_ID": "s"}, true},
	} {
		h := copilot.New(hooks.Surroundings{Environment: func(name string) string { return row.env[name] }})
		if h.IsGenuine() != row.want {
			t.Errorf("%s: genuine %v", name, h.IsGenuine())
		}
	}
}

// TestProbeSwitchedOff: settings of a repository that switch off the hooks of the user are named.
func TestProbeSwitchedOff(t *testing.T) {
	for file, isOff := range map[string]bool{".github/copilot/settings.json": true,
		".github/copilot/settings.local.json": true,
		".claude/settings.json":               true, ".claude/settings.local.json": true,
		".github/settings.json": false} {
		dir := t.TempDir()
		h := copilot.New(hooks.Surroundings{Home: dir, Project: dir})
		for text, want := range map[string]bool{`{"disableAllHooks": true}`: isOff,
			`{"disableAllHooks": false}`: false} {
			path := filepath.Join(dir, file)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
				os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
			found := h.Probe(dir)
			last := found[len(found)-1]
			if got := last.Status == hooks.Problem && strings.Contains(last.What, filepath.ToSlash(path)); got != want {
				t.Errorf("%s with %s: %+v", file, text, found)
			}
		}
	}
}

// TestWakes: a message may go to one agent, to a list or to a scope. None of them is left unjudged.
func TestWakes(t *testing.T) {
	several := fsm.Start{How: fsm.ByAgent, Type: "several agents at once"}
	for input, want := range map[string]fsm.Start{
		`{"agent_id":"a","message":"go"}`:         {How: fsm.ByMessage, Name: "a"},
		`{"agent_ids":["a"],"message":"go"}`:      {How: fsm.ByMessage, Name: "a"},
		`{"agent_ids":["a","b"],"message":"go"}`:  several,
		`{"scope":"children","message":"go"}`:     several,
		`{"agent_ids":"a","message":"go"}`:        {How: fsm.ByMessage, Name: "a"},
		`{"agent_id":"","message":"go"}`:          several,
		`{"agent_ids":{"x":"a"},"message":"now"}`: {How: fsm.ByMessage, Name: `{"x":"a"}`},
	} {
		call, err := copilot.New(hooks.Surroundings{Event: "pre-tool-use"}).Read(strings.NewReader(
			`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"write_agent","tool_input":` + input + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if e, _ := call.Event(time.Now()); e.Tool.Starts == nil || *e.Tool.Starts != want {
			t.Errorf("%s: %+v", input, e.Tool.Starts)
		}
	}
}
