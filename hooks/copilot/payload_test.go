package copilot_test

import (
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/copilot"
)

// TestFields: what a payload says in Copilot's own words, and where it says it.
func TestFields(t *testing.T) {
	const transcript = `"transcript_path":"/h/session-state/main/events.jsonl"`
	for name, c := range map[string]struct {
		fields string
		want   fsm.Event
	}{
		"the transcript's session":         {`"session_id":"a1","agent_id":"a1","parent_agent_id":"b1",` + transcript, fsm.Event{Session: "main"}},
		"of an agent without a transcript": {`"session_id":"a1","agent_id":"a1","parent_agent_id":"b1"`, fsm.Event{Session: "b1"}},
		"of an agent without a parent":     {`"session_id":"a1","agent_id":"a1"`, fsm.Event{Session: "a1"}},
		"of the main agent":                {`"session_id":"s","parent_agent_id":"b1"`, fsm.Event{Session: "s"}},
		"a transcript of another name":     {`"session_id":"s","transcript_path":"/h/session-state/main/other.jsonl"`, fsm.Event{Session: "s"}},
		"a transcript in another folder":   {`"session_id":"s","transcript_path":"/h/sessions/main/events.jsonl"`, fsm.Event{Session: "s"}},
		"a session that is resumed": {`"session_id":"s","hook_event_name":"SessionStart","source":"resume"`,
			fsm.Event{Session: "s", Source: "resume"}},
		"a result that begins as a notification": {`"session_id":"s","hook_event_name":"Stop","last_assistant_message":"<system_notification>"`,
			fsm.Event{Session: "s", Text: "<system_notification>"}},
		"an agent in the background": {`"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Agent","tool_input":{},` +
			`"tool_result":{"text_result_for_llm":"Agent started in background with agent_id: b1. Wait."}`,
			fsm.Event{Session: "s", Tool: fsm.Tool{Result: fsm.Result{AgentID: "b1"}}}},
		"a command that prints the same": {`"session_id":"s","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{},` +
			`"tool_result":{"text_result_for_llm":"Agent started in background with agent_id: b1. Wait."}`, fsm.Event{Session: "s"}},
		"a request that has a result": {`"session_id":"s","tool_name":"Agent","tool_input":{},` +
			`"tool_result":{"text_result_for_llm":"Agent started in background with agent_id: b1. Wait."}`, fsm.Event{Session: "s"}},
	} {
		fields := c.fields
		if !strings.Contains(fields, "hook_event_name") {
			fields = `"hook_event_name":"PreToolUse",` + fields
		}
		call, err := host("").Read(strings.NewReader("{" + fields + "}"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		e, ok := call.Event(time.Now())
		if !ok || e.Session != c.want.Session || e.Source != c.want.Source || e.Text != c.want.Text || e.Origin != "" ||
			e.Tool.Result != c.want.Tool.Result {
			t.Errorf("%s: %v, %+v", name, ok, e)
		}
	}
}

// TestNotes: a field of another type is noted, but for the text of a patch.
func TestNotes(t *testing.T) {
	for fields, noted := range map[string]bool{
		`"tool_name":"Edit","tool_input":"*** Begin Patch","cwd":5`:     false,
		`"tool_name":"Edit","tool_input":{"path":"a"},"cwd":5`:          true,
		`"tool_name":"Bash","tool_input":"ls","cwd":5`:                  true,
		`"tool_name":"Bash","tool_input":{"command":"ls"},"cwd":["/p"]`: true,
	} {
		call, err := host("").Read(strings.NewReader(`{"session_id":"s","hook_event_name":"PreToolUse",` + fields +
			`}`))
		if err != nil {
			t.Fatal(err)
		}
		if e, _ := call.Event(time.Now()); (len(e.Notes) > 0) != noted {
			t.Errorf("%s: noted %q", fields, e.Notes)
		}
	}
}

// TestBareHook: Copilot runs a hook of Claude Code's without its arguments; in an agent's shell nothing is a hook.
func TestBareHook(t *testing.T) {
	for name, row := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"hook":             {map[string]string{"COPILOT_HOOK_DIR": "/x"}, true},
		"terminal":         {nil, false},
		"shell":            {map[string]string{"COPILOT_AGENT_SESSION_ID": "s"}, false},
		"hook below shell": {map[string]string{"COPILOT_HOOK_DIR": "/x", "COPILOT_AGENT_SESSION_ID": "s"}, false},
	} {
		if got := copilot.IsBareHook(func(name string) string { return row.env[name] }); got != row.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// TestUnattended: no payload says that a person typed a command, so none is taken.
func TestUnattended(t *testing.T) {
	if host("").CheckAttended() == nil {
		t.Error("a person was reported")
	}
}

// TestFile: the file is ours as install writes it, or it does nothing for us.
func TestFile(t *testing.T) {
	h := host("")
	want := h.Entries("/usr/bin/pipeline", false)
	want[0].Args = append(want[0].Args, "a&b")
	ours, changed, err := h.Edit(nil, want)
	if err != nil || !changed || !strings.Contains(string(ours), "a&b") {
		t.Fatalf("%v, %v: %s", changed, err, ours)
	}
	if _, changed, err := h.Edit(ours, want); err != nil || changed {
		t.Errorf("the same again: %v, %v", changed, err)
	}
	if out, changed, err := h.Edit(ours, nil); err != nil || !changed || len(out) > 0 {
		t.Errorf("uninstalled: %q, %v, %v", out, changed, err)
	}
	for src, why := range map[string]string{"": "no such file", "{": "not JSON", "{}": "not as pipeline install"} {
		if got := h.Blocks([]byte(src), want); !strings.Contains(got, why) {
			t.Errorf("%q: %q", src, got)
		}
	}
	if h.After("/home/user/.copilot/hooks/pipeline.json") != nil ||
		len(h.After("/home/user/project/.github/hooks/pipeline.json")) != 1 {
		t.Error("only a project's file needs a folder that is trusted")
	}
}

// TestWindowsShell: on Windows the tool that payloads call Bash runs lines in PowerShell.
func TestWindowsShell(t *testing.T) {
	c, err := copilot.New(hooks.Surroundings{Event: "pre-tool-use"}).Read(strings.NewReader(
		`{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}`))
	if err != nil {
		t.Fatal(err)
	}
	if e, _ := c.Event(time.Unix(0, 0)); e.Tool.AnyShell != (runtime.GOOS == "windows") {
		t.Errorf("in any shell: %v", e.Tool.AnyShell)
	}
}
