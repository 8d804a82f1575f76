package claude_test

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestReadRefuses: what cannot be a payload is refused in one line that says why.
func TestReadRefuses(t *testing.T) {
	whole := recorded(t, "2.1.197/PreToolUse.Bash")
	for name, test := range map[string]struct{ body, want string }{
		"empty":           {"", "it is empty"},
		"blank":           {" \n", "not JSON: unexpected end of JSON input"},
		"no JSON":         {"hello\nworld", "not JSON: invalid character 'h' looking for beginning of value"},
		"cut off":         {whole[:len(whole)/2], "not JSON: unexpected end of JSON input"},
		"cut in a text":   {`{"session_id":"s` + "\n", `not JSON: invalid character '\n' in string literal`},
		"two of them":     {whole + whole, "not JSON: invalid character '{' after top-level value"},
		"an array":        {"[" + whole + "]", "found array, expected an object"},
		"a number":        {"42", "found number, expected an object"},
		"a text":          {`"x"`, "found string, expected an object"},
		"null":            {"null", "it has no session_id or no hook_event_name"},
		"an empty object": {"{}", "it has no session_id or no hook_event_name"},
		"no session":      {`{"hook_event_name":"Stop"}`, "it has no session_id or no hook_event_name"},
		"a null session": {`{"session_id":null,"hook_event_name":"Stop"}`,
			"it has no session_id or no hook_event_name"},
		"no event": {`{"session_id":"s"}`, "it has no session_id or no hook_event_name"},
		"event, object": {`{"session_id":"s","hook_event_name":{}}`, // registered for none
			"it has no session_id or no hook_event_name"},
	} {
		_, err := host(nil).Read(strings.NewReader(test.body))
		if err == nil || err.Error() != "read payload: "+test.want {
			t.Errorf("%s: got %v\nwant read payload: %s", name, err, test.want)
		}
	}
}

// TestReadTakes: what is odd and yet a payload.
func TestReadTakes(t *testing.T) {
	deep := strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)
	for name, test := range map[string]struct{ body, want string }{
		"a deep input": {payload("PreToolUse", `"tool_name":"Bash","tool_input":{"x":`+deep+`,"command":"ls"}`),
			"tool-request | main (no agent_id) | Bash  | command \"ls\""},
		"a deep unknown": {payload("PreToolUse", `"x":`+deep+`,"tool_name":"Bash","tool_input":{"command":"ls"}`),
			"tool-request | main (no agent_id) | Bash  | command \"ls\""},
		"nulls": {payload("PreToolUse",
			`"agent_id":null,"tool_name":null,"tool_input":null,"tool_response":null,"background_tasks":null,"error":null`),
			"tool-request | main (no agent_id) | note: found null in agent_id, expected a string: ignored" +
				" | note: found null in tool_name, expected a string: ignored"},
		"a key twice: the last counts, as for the client": {payload("PreToolUse",
			`"tool_name":"Bash","tool_name":"Read"`),
			"tool-request | main (no agent_id) | Read "},
		"unknown keys": {payload("Stop", `"new":{"a":[1,{}]},"effort":{"level":"high"}`),
			"turn-stop | main (no agent_id)"},
		"a failure that is no text": {payload("PostToolUseFailure", `"tool_name":"Read","error":{"code":1}`),
			"tool-failure | main (no agent_id) | Read "},
		"others' input": {payload("PreToolUse",
			`"tool_name":"mcp__x__y","tool_input":{"command":5,"path":[],"file_path":{},"subagent_type":[]}`),
			"tool-request | main (no agent_id) | mcp__x__y "},
		"a session that is a number": {`{"session_id":5,"cwd":"/home/user/project","hook_event_name":"Stop"}`,
			"turn-stop | main (no agent_id) | note: found number in session_id, expected a string: ignored"},
		"a caller that is a number": {payload("PreToolUse", `"agent_id":1`),
			`tool-request | ? "" (agent_id) | note: found number in agent_id, expected a string: ignored`},
		"a tool that is an array": {payload("PreToolUse", `"tool_name":[]`),
			"tool-request | main (no agent_id) | ?  | note: found array in tool_name, expected a string: ignored" +
				" | note: unknown tool ?: it follows the default"},
		"held, as a text": {payload("Stop", `"stop_hook_active":"yes"`),
			"turn-stop | main (no agent_id) | note: found string in stop_hook_active, expected true or false: ignored"},
		"tasks, as a text": {payload("Stop", `"background_tasks":"none"`),
			"turn-stop | main (no agent_id) | note: found string in background_tasks, expected an array of tasks: " +
				"ignored"},
		"a task that is a text": {payload("Stop", `"background_tasks":["x"]`),
			"turn-stop | main (no agent_id) | note: found array in background_tasks, expected an array of tasks: " +
				"ignored"},
		"a task whose id is a number": {payload("Stop", `"background_tasks":[{"id":7}]`),
			"turn-stop | main (no agent_id) | note: found array in background_tasks, expected an array of tasks: " +
				"ignored"},
		"an input that is no object": {payload("PreToolUse", `"tool_name":"Edit","tool_input":["x"]`),
			"tool-request | main (no agent_id) | Edit  | note: found array in tool_input, expected an object: " +
				"judged by the tool's name alone"},
		"invalid UTF-8": {payload("UserPromptSubmit", "\"prompt\":\"a\xffb\""),
			"prompt | main (no agent_id) | a person's | text \"a\ufffdb\""},
		"blanks around":  {"\r\n\t " + payload("Stop", "") + " \n\n", "turn-stop | main (no agent_id)"},
		"no such event":  {payload("PreToolUze", `"tool_name":"Bash"`), "none of our business"},
		"a future event": {payload("DirectoryAdded", ""), "none of our business"},
	} {
		e, ok := call(t, host(nil), test.body).Event(now)
		if got := text(e, ok); got != test.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, test.want)
		}
	}
}

// The client does not cut what it sends.
func TestReadTakes20MB(t *testing.T) {
	content := strings.Repeat("x", 20<<20)
	e := event(t, host(nil), payload("PreToolUse",
		`"tool_name":"Write","tool_input":{"file_path":"/a","content":"`+content+`"}`))
	if e.Tool.Name != "Write" || len(e.Tool.Paths) != 1 || e.Tool.Paths[0] != "/a" {
		t.Errorf("got %+v", e.Tool)
	}
}

// endless is a client that never stops sending.
type endless struct{ sent *int }

func (r endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = ' '
	}
	*r.sent += len(p)
	return len(p), nil
}

func TestReadEnds(t *testing.T) {
	sent := 0
	_, err := host(nil).Read(endless{&sent})
	if err == nil || err.Error() != "read payload: it is larger than 64 MB" {
		t.Errorf("got %v", err)
	}
	if sent > 100<<20 {
		t.Errorf("%d bytes were read", sent)
	}
}

func TestReadPassesErrorsOn(t *testing.T) {
	broken := errors.New("broken pipe")
	_, err := host(nil).Read(io.MultiReader(strings.NewReader(`{"session_id":`), failing{broken}))
	if !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// FuzzRead: nothing that comes in can break us, and nothing that we then write approves anything.
func FuzzRead(f *testing.F) {
	for _, folder := range []string{"2.1.197", "2.1.329", "copilot"} {
		for _, name := range all(f, folder) {
			f.Add([]byte(recorded(f, name)), byte(3))
		}
	}
	f.Add([]byte(payload("PreToolUse", `"tool_name":"SlashCommand","tool_input":{"command":"/../x y"}`)), byte(1))
	f.Add([]byte(payload("UserPromptSubmit", `"prompt":"<task-notification><task-id>a</task-id><summary>"`)), byte(0))
	f.Add([]byte(`{"timestamp":1}`), byte(2))
	env := map[string]string{"COPILOT_CLI": "1", "CLAUDE_ENV_FILE": "/c/session-env/x/hook.sh"}
	f.Fuzz(func(t *testing.T, body []byte, verdict byte) {
		c, err := host(env).Read(bytes.NewReader(body))
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") {
				t.Errorf("an error of more than one line: %q", err)
			}
			return
		}
		e, ok := c.Event(now)
		if ok && (e.Session == "" || e.Kind == fsm.Unknown || e.Agent.Basis == "") {
			t.Errorf("an event that cannot be used: %+v", e)
		}
		for k, v := range c.Input() {
			if len(v) > len(body) {
				t.Errorf("input %q is %q", k, v)
			}
		}
		d := fsm.Decision{Verdict: fsm.Verdict(verdict % 4), Reason: e.Text, Inject: e.Tool.Command,
			Notices: e.Tool.Paths}
		var out bytes.Buffer
		if err := c.Reply(&out, d); err != nil {
			t.Error(err)
		}
		if ok {
			parse(t, clientEvent(e.Kind), out.String())
		}
	})
}

// clientEvent is the client's name of what became an event of ours.
func clientEvent(k fsm.Kind) string {
	names := map[fsm.Kind]string{fsm.Compacted: "SessionStart", fsm.Prompt: "UserPromptSubmit",
		fsm.ToolRequest: "PreToolUse",
		fsm.ToolResult:  "PostToolUse", fsm.ToolFailure: "PostToolUseFailure", fsm.AgentStart: "SubagentStart",
		fsm.SessionStart: "SessionStart", fsm.ConfigChange: "ConfigChange"}
	return names[k]
}

// TestCrons: what the client says of scheduled prompts is taken as far as it can be read, and never costs the rest.
func TestCrons(t *testing.T) {
	for crons, want := range map[string]string{`[]`: "",
		`[{"prompt":"a"},{"id":"1"},{"prompt":7},{"prompt":"b"}]`: "a b", `"no"`: "", `{"x":{"prompt":"c"}}`: "c",
		`null`: "", `["a"]`: ""} {
		e := event(t, host(nil), payload("Stop", `"session_crons":`+crons+`,"last_assistant_message":"done"`))
		if got := strings.Join(e.Crons, " "); got != want || e.Text != "done" || e.Kind != fsm.TurnStop {
			t.Errorf("%s: %q of %v, want %q", crons, got, e.Kind, want)
		}
	}
}
