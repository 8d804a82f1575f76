package claude_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// TestTool: what a call is, by the name and the input that it comes with.
func TestTool(t *testing.T) {
	for name, test := range map[string]struct {
		tool, input string
		want        string
	}{
		"a file":            {"Write", `{"file_path":"/a","content":"x"}`, "Write u | path /a"},
		"two files":         {"mcp__x__move", `{"file_path":"/a","path":"b"}`, "mcp__x__move u | path /a | path b"},
		"a shell of others": {"mcp__x__run", `{"command":"rm -r x"}`, `mcp__x__run u | command "rm -r x"`},
		"nothing":           {"TaskList", ``, "TaskList u"},
		"no object":         {"mcp__x__y", `[1,2]`, "mcp__x__y u"},
		"null":              {"mcp__x__y", `null`, "mcp__x__y u"},
		"others' types": {"mcp__x__y",
			`{"command":5,"path":[],"file_path":{},"notebook_path":true,"name":1,"to":[1]}`, "mcp__x__y u"},
		"Bash with a number": {"Bash", `{"command":5}`, "Bash u"},
		"another spelling": {"Bash", `{"command":"rm x","COMMAND":"ls","Command":"ls"}`,
			`Bash u | command "rm x"`},
		"another spelling, MCP": {"mcp__x__y", `{"File_Path":"/a","Path":"/b"}`, "mcp__x__y u"},

		"an agent": {"Agent", `{"subagent_type":"c-dev","name":"jo"}`,
			`Agent u | starts by agent type "c-dev" name "jo"`},
		"an agent, the old name": {"Task", `{"subagent_type":"c-dev"}`,
			`Agent u | starts by agent type "c-dev" name ""`},
		"an agent without a type": {"Agent", `{"prompt":"x"}`,
			`Agent u | starts by agent type "general-purpose" name ""`},
		"an agent with a null type": {"Agent", `{"subagent_type":null}`,
			`Agent u | starts by agent type "general-purpose" name ""`},
		"an agent of no type":      {"Agent", `{"subagent_type":""}`, `Agent u | starts by agent type "" name ""`},
		"an agent of a wrong type": {"Agent", `{"subagent_type":7}`, `Agent u | starts by agent type "" name ""`},
		"an agent spelt twice": {"Agent", `{"subagent_type":"bad","SUBAGENT_TYPE":"good"}`,
			`Agent u | starts by agent type "bad" name ""`},
		"an agent without input": {"Agent", ``, `Agent u | starts by agent type "general-purpose" name ""`},
		"a raw spelling": {"Agent", `{"subagent_type":" Code–Writer"}`,
			`Agent u | starts by agent type " Code–Writer" name ""`},

		"a skill that forks": {"Skill", `{"skill":"forky"}`,
			`Skill u | starts by skill type "general-purpose" name "forky"`},
		"a skill with a slash": {"Skill", `{"skill":" /forky "}`,
			`Skill u | starts by skill type "general-purpose" name "forky"`},
		"a skill that does not": {"Skill", `{"skill":"demo-skill"}`, "Skill u"},
		"a skill, the old form": {"SlashCommand", `{"command":"/forky now"}`,
			`Skill u | starts by skill type "general-purpose" name "forky"`},
		"a command, the old form":   {"SlashCommand", `{"command":"/hello now"}`, "Skill u"},
		"a skill that is not known": {"Skill", `{"skill":"plug:forky"}`, "Skill u"},
		"a skill without a name":    {"Skill", `{}`, "Skill u"},
		"a workflow": {"Workflow", `{"name":"x"}`,
			`Workflow u | starts by workflow type "workflow-subagent" name ""`},
		"a message": {"SendMessage", `{"to":"a1","message":"x"}`,
			`SendMessage u | starts by message type "" name "a1"`},
		"a message without a recipient": {"SendMessage", `{"message":"x"}`,
			`SendMessage u | starts by message type "" name ""`},
		"a shell killed by its name": {"KillShell", `{"shell_id":"b1"}`, "TaskStop u"},
	} {
		fields := `"tool_use_id":"u","tool_name":"` + test.tool + `"`
		if test.input != "" {
			fields += `,"tool_input":` + test.input
		}
		e := event(t, host(nil), payload("PreToolUse", fields))
		if got := text(fsm.Event{Kind: e.Kind, Tool: e.Tool, Dir: "/home/user/project"},
			true); got != "tool-request | main () | "+test.want {
			t.Errorf("%s: got %s\nwant %s", name, got, test.want)
		}
	}
}

// A missing type is recorded, once: at the request.
// TestServerInputs: of a server's tool, and of one that we do not know, all texts are read.
func TestServerInputs(t *testing.T) {
	for tool, want := range map[string]string{
		"mcp__x__y": "path=a files.path=b files.path=c deep.er.list=d deep.er.list=e ",
		"NewTool":   "path=a files.path=b files.path=c deep.er.list=d deep.er.list=e ",
		"Write":     "",
	} {
		e := event(t, host(nil), payload("PreToolUse", `"tool_name":"`+tool+`","tool_input":{"path":"a","n":1,`+
			`"files":[{"path":"b"},{"path":"c","x":null}],"deep":{"er":{"list":["d",["e"],true]}}}`))
		got := ""
		for _, a := range e.Tool.Args {
			got += a.Name + "=" + a.Text + " "
		}
		if got != want {
			t.Errorf("%s: %q, expected %q", tool, got, want)
		}
	}
}

func TestMissingTypeIsNoted(t *testing.T) {
	want := []string{"no subagent_type was given: the client takes general-purpose"}
	fields := `"tool_name":"Agent","tool_input":{"prompt":"x"}`
	if got := event(t, host(nil), payload("PreToolUse", fields)).Notes; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if got := event(t, host(nil), payload("PostToolUse", fields)).Notes; got != nil {
		t.Errorf("the result: got %q", got)
	}
}

// TestResult: which agent or task a finished call names.
func TestResult(t *testing.T) {
	for name, test := range map[string]struct {
		tool, input, response string
		want                  fsm.Result
	}{
		"completed": {"Agent", `{}`, `{"status":"completed","agentId":"a1"}`, fsm.Result{AgentID: "a1",
			Done: true}},
		"launched": {"Agent", `{}`, `{"status":"async_launched","agentId":"a1"}`,
			fsm.Result{AgentID: "a1"}},
		"a teammate, 2.1.197": {"Agent", `{}`, `{"status":"teammate_spawned","agent_id":"alice@session-1"}`,
			fsm.Result{}},
		"a fork of a skill": {"Skill", `{"skill":"forky"}`, `{"status":"forked","agentId":"a1"}`,
			fsm.Result{AgentID: "a1", Done: true}},
		"a skill that does not": {"Skill", `{"skill":"demo-skill"}`, `{"status":"forked","agentId":"a1"}`,
			fsm.Result{}},
		"a workflow": {"Workflow", `{}`, `{"status":"async_launched","taskId":"w1"}`,
			fsm.Result{Task: "w1"}},
		"woken": {"SendMessage", `{"to":"jo"}`, `{"resumedAgentId":"a1"}`, fsm.Result{AgentID: "a1"}},
		"woken and finished": {"SendMessage", `{"to":"jo"}`, `{"inlineHandback":{},"pin":{"id":"a1"}}`,
			fsm.Result{AgentID: "a1", Done: true}},
		"finished, no pin": {"SendMessage", `{"to":"a1"}`, `{"inlineHandback":{}}`, fsm.Result{AgentID: "a1",
			Done: true}},
		"queued": {"SendMessage", `{"to":"a1"}`, `{"success":true,"pin":{"id":"a1"}}`, fsm.Result{}},
		"queued, a null": {"SendMessage", `{"to":"a1"}`, `{"inlineHandback":null,"pin":{"id":"a1"}}`,
			fsm.Result{}},
		"stopped":              {"TaskStop", `{"task_id":"a1"}`, `{}`, fsm.Result{Task: "a1"}},
		"stopped, by shell_id": {"TaskStop", `{"shell_id":"b1"}`, `{}`, fsm.Result{Task: "b1"}},
		"no agent's":           {"Bash", `{"command":"x"}`, `{"status":"completed","agentId":"a1"}`, fsm.Result{}},
		"an MCP tool's":        {"mcp__x__Agent", `{}`, `[{"type":"text","text":"x"}]`, fsm.Result{}},
		"no answer":            {"Agent", `{}`, `null`, fsm.Result{}},
		"a text":               {"Agent", `{}`, `"done"`, fsm.Result{}},
		"other types":          {"Agent", `{}`, `{"status":1,"agentId":{}}`, fsm.Result{}},
	} {
		e := event(t, host(nil), payload("PostToolUse",
			`"tool_name":"`+test.tool+`","tool_input":`+test.input+`,"tool_response":`+test.response))
		if e.Tool.Result != test.want {
			t.Errorf("%s: got %+v, want %+v", name, e.Tool.Result, test.want)
		}
	}
}

// A failure's reason may be of any type: it is told where it is words.
func TestFailure(t *testing.T) {
	for raw, want := range map[string]string{`"Exit code 3"`: "Exit code 3", `{"code":3}`: "", `null`: "", `7`: ""} {
		if got := event(t, host(nil), payload("PostToolUseFailure",
			`"tool_name":"Bash","error":`+raw)).Text; got != want {
			t.Errorf("%s: got %q", raw, got)
		}
	}
}

// TestInput: what a rule may ask for of a tool's input.
func TestInput(t *testing.T) {
	long := strings.Repeat("x", 300)
	for name, test := range map[string]struct {
		input string
		want  map[string]string
	}{
		"texts": {`{"model":"opus","a\u0062":"\"c\"\n"}`, map[string]string{"model": "opus", "ab": "\"c\"\n"}},
		"switches": {`{"run_in_background":true,"x":false}`, map[string]string{"run_in_background": "true",
			"x": "false"}},
		"numbers":    {`{"timeout":1000,"x":-1.5}`, map[string]string{"timeout": "1000", "x": "-1.5"}},
		"structures": {`{"a":{"b":"c"},"d":["e"],"f":null}`, nil},
		"long texts": {`{"prompt":"` + long + `"}`, map[string]string{"prompt": long}},
		"spellings":  {`{"Model":"haiku","model":"opus"}`, map[string]string{"Model": "haiku", "model": "opus"}},
		"nothing":    {`{}`, nil},
		"null":       {`null`, nil},
		"an array":   {`["x"]`, nil},
		"a text":     {`"x"`, nil},
		"a number":   {`5`, nil},
	} {
		got := call(t, host(nil), payload("PreToolUse", `"tool_name":"Agent","tool_input":`+test.input)).Input()
		if !maps.Equal(got, test.want) {
			t.Errorf("%s: got %q", name, got)
		}
	}
	if got := call(t, host(nil), payload("Stop", "")).Input(); len(got) > 0 {
		t.Errorf("no tool: got %q", got)
	}
}

func TestUnknownTool(t *testing.T) {
	for name, want := range map[string]bool{"Read": false, "mcp__github__list": false, "SubagentTask": false,
		"FileRead": true} {
		c, err := claude.Host{}.Read(strings.NewReader(`{"session_id":"s","transcript_path":"/t","hook_event_name":"PreToolUse","tool_name":"` + name + `","tool_input":{"subagent_type":"x"}}`))
		if err != nil {
			t.Fatal(err)
		}
		e, _ := c.Event(time.Time{})
		if got := strings.Contains(strings.Join(e.Notes, " "), "unknown tool"); got != want {
			t.Errorf("%s: noted %q, expected unknown=%v", name, e.Notes, want)
		}
	}
}
