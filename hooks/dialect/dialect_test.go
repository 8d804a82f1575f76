package dialect

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks"
)

// some is a host with a tool of each kind.
func some(event string) Adapter {
	return Adapter{Surroundings: hooks.Surroundings{Event: event}, Dialect: &Dialect{Host: "some",
		Voice: Voice{Can: hooks.Everything}, Default: "worker",
		Tools: "Bash run\nown said=said Bash\nBash type\nEdit patch\nAgent starts=kind spawn\nTaskStop stop"}}
}

// event reads the fields of a payload.
func event(t *testing.T, fields string) (fsm.Event, bool) {
	t.Helper()
	c, err := some("pre-tool-use").Read(strings.NewReader(`{"session_id":"s",` + fields + `}`))
	if err != nil {
		t.Fatalf("%s: %v", fields, err)
	}
	return c.Event(time.Unix(0, 0))
}

// TestTool: what a call comes to, by the table of the host's tools and by what it is given.
func TestTool(t *testing.T) {
	for fields, want := range map[string]fsm.Tool{
		`"tool_name":"run","tool_input":{"command":"ls"}`:    {Name: "Bash", Native: "run", Command: "ls"},
		`"tool_name":"Bash","tool_input":{"command":"ls"}`:   {Name: "Bash", Command: "ls"},
		`"tool_name":"Bash","tool_input":{"command":["ls"]}`: {Name: "Bash", Opaque: true},
		`"tool_name":["x"],"tool_input":{}`:                  {Name: Unknown, Opaque: true, Unknown: true},
		`"tool_name":"other","tool_input":{"a":{"b":["x",1,{"c":"y"}]},"d":"z"}`: {Name: "other", Unknown: true,
			Args: []fsm.Arg{{Name: "a.b", Text: "x"}, {Name: "a.b.c", Text: "y"}, {Name: "d", Text: "z"}}},
		`"tool_name":"mcp__a__b","tool_input":{"c":"y"}`: {Name: "mcp__a__b", Args: []fsm.Arg{{Name: "c", Text: "y"}}},
		`"tool_name":"spawn","tool_input":{"kind":"dev","name":"d"}`: {Name: "Agent", Native: "spawn",
			Starts: &fsm.Start{How: fsm.ByAgent, Type: "dev", Name: "d"}},
		`"tool_name":"spawn","tool_input":{"kind":null}`: {Name: "Agent", Native: "spawn",
			Starts: &fsm.Start{How: fsm.ByAgent, Type: "worker"}},
		`"tool_name":"stop","tool_input":{"id":"a1"}`: {Name: "TaskStop", Native: "stop"},
		`"tool_name":"run","tool_input":{"path":"a","file_path":5}`: {Name: "Bash", Native: "run", Paths: []string{"a"},
			Opaque: true},
		`"tool_name":"type","tool_input":{"chars":"ls"}`:   {Name: "Bash", Native: "type", Opaque: true},
		`"tool_name":"said","tool_input":{"command":"ls"}`: {Name: "Bash", Native: "said", Command: "ls"},
		`"tool_name":"patch","tool_input":{"edits":[{"path":"a"}]}`: {Name: "Edit", Native: "patch",
			Files: []fsm.FileUse{{Tool: "Edit", Path: shell.Unknown}}},
		`"tool_name":"patch","tool_input":{"path":""}`: {Name: "Edit", Native: "patch",
			Files: []fsm.FileUse{{Tool: "Edit", Path: shell.Unknown}}},
		`"tool_name":"patch","tool_input":{"command":"view","path":"a"}`: {Name: "Edit", Native: "patch",
			Paths: []string{"a"}},
	} {
		e, ok := event(t, `"hook_event_name":"PreToolUse",`+fields)
		if d := cmp.Diff(want, e.Tool); !ok || d != "" {
			t.Errorf("%s: %v, %s", fields, ok, d)
		}
		if noted := slices.ContainsFunc(e.Notes, func(n string) bool {
			return strings.HasPrefix(n,
				"unknown tool ")
		}); noted != want.Unknown {
			t.Errorf("%s: noted %q", fields, e.Notes)
		}
	}
}

// TestResult: an answer counts after the call only, and for the tool that gives it.
func TestResult(t *testing.T) {
	const spawned, stopped = `"tool_name":"spawn","tool_input":{}`, `"tool_name":"stop","tool_input":{"id":"a1"}`
	for fields, want := range map[string]fsm.Result{
		`"hook_event_name":"PostToolUse",` + spawned + `,"tool_response":{"agent_id":"a1"}`:              {AgentID: "a1"},
		`"hook_event_name":"PostToolUse",` + spawned + `,"tool_response":"{\"agentId\":\"a1\"}"`:         {AgentID: "a1"},
		`"hook_event_name":"PostToolUse",` + spawned + `,"tool_response":"done"`:                         {},
		`"hook_event_name":"PreToolUse",` + spawned + `,"tool_response":{"agent_id":"a1"}`:               {},
		`"hook_event_name":"PostToolUse","tool_name":"run","tool_response":{"agent_id":"a1"}`:            {},
		`"hook_event_name":"PostToolUse",` + stopped:                                                     {Task: "a1"},
		`"hook_event_name":"PreToolUse",` + stopped:                                                      {},
		`"hook_event_name":"PostToolUse","tool_name":"run","tool_input":{"id":"a1"},"tool_response":"x"`: {},
	} {
		if e, _ := event(t, fields); e.Tool.Result != want {
			t.Errorf("%s: %+v, expected %+v", fields, e.Tool.Result, want)
		}
	}
}

// TestEvents: each of the host's events is one of ours, or none of our concern.
func TestEvents(t *testing.T) {
	for fields, want := range map[string]fsm.Event{
		`"hook_event_name":"SessionStart","source":"resume"`:                     {Kind: fsm.SessionStart, Source: "resume"},
		`"hook_event_name":"SessionStart","source":"compact"`:                    {Kind: fsm.Compacted, Source: "compact"},
		`"hook_event_name":"SessionEnd","reason":"exit"`:                         {Kind: fsm.SessionEnd, Source: "exit"},
		`"hook_event_name":"PostToolUseFailure","tool_name":"Bash","error":"no"`: {Kind: fsm.ToolFailure, Text: "no"},
		`"hook_event_name":"Stop","last_assistant_message":"m"`:                  {Kind: fsm.TurnStop, Text: "m"},
		`"hook_event_name":"Stop","agent_id":"a"`:                                {},
		`"hook_event_name":"PreCompact"`:                                         {},
		`"hook_event_name":"UserPromptSubmit","prompt":"p","turn_id":"1"`:        {Kind: fsm.Prompt, Text: "p", Prompt: "1"},
		`"tool_name":"Bash"`:                         {Kind: fsm.ToolRequest},
		`"hook_event_name":["x"],"tool_name":"Bash"`: {Kind: fsm.ToolRequest},
	} {
		e, ok := event(t, fields)
		if ok != (want.Kind != "") || ok && (e.Kind != want.Kind || e.Source != want.Source || e.Text != want.Text ||
			e.Prompt != want.Prompt) {
			t.Errorf("%s: %v, %+v", fields, ok, e)
		}
	}
}

// TestUnnamed: a session whose name cannot be read has the transcript's; without any the call is not taken.
func TestUnnamed(t *testing.T) {
	for body, want := range map[string]string{
		`{"session_id":"s","hook_event_name":"Stop"}`:                                "s",
		`{"session_id":{},"hook_event_name":"Stop","transcript_path":"/t/s2.jsonl"}`: "s2",
		`{"session_id":["x"],"hook_event_name":"Stop"}`:                              "unknown",
		`{"hook_event_name":"Stop"}`:                                                 "",
		"{\"session_id\":\"s\",\"hook_event_name\":\"Stop\",\"cwd\":\"a\xff\"}":      "s",
		`{"session_id":"s","hook_event_name":"Stop","x":` + strings.Repeat("[", maxDepth+1) +
			strings.Repeat("]", maxDepth+1) + `}`: "s",
	} {
		c, err := some("stop").Read(strings.NewReader(body))
		if (err == nil) != (want != "") {
			t.Errorf("%.80s: %v", body, err)
			continue
		}
		if err != nil {
			continue
		}
		if e, _ := c.Event(time.Unix(0, 0)); e.Session != want || strings.Contains(body, "\xff") && e.Dir != "a\ufffd" {
			t.Errorf("%.80s: session %q in %q", body, e.Session, e.Dir)
		}
	}
	if _, err := some("unknown").Read(strings.NewReader(`{"session_id":"s"}`)); err == nil {
		t.Error("an event without a name is taken")
	}
}

// TestPatch: each file with what is done to it; a file that is moved is gone where it was.
func TestPatch(t *testing.T) {
	const begin = "*** Begin Patch\n"
	for text, want := range map[string][]fsm.FileUse{
		begin + "*** Add File: a\n+x\n  *** Delete File: b \n": {{Tool: "Write", Path: "a"},
			{Tool: "Delete", Path: "b"}},
		begin + "*** Update File: a\n*** Move to: b\n": {{Tool: "Edit", Path: "a"}, {Tool: "Delete", Path: "a"},
			{Tool: "Write", Path: "b"}},
		begin + "*** Move to: b\n":            {{Tool: "Write", Path: "b"}},
		begin + "*** Add File:\nnothing else": {{Tool: "Edit", Path: shell.Unknown}},
	} {
		if d := cmp.Diff(want, readPatch(text)); d != "" {
			t.Errorf("%q: %s", text, d)
		}
	}
}

// TestInput: a rule can ask for texts, numbers and truth, not for structures.
func TestInput(t *testing.T) {
	p := Payload{ToolInput: []byte(`{"a":"x","b":true,"c":1.50,"d":null,"e":{"f":"g"},"b2":false}`)}
	want := map[string]string{"a": "x", "b": "true", "b2": "false", "c": "1.50"}
	if d := cmp.Diff(want, p.Input()); d != "" {
		t.Error(d)
	}
}

// TestPatchFolder: the files of a patch lie where the line applies it.
func TestPatchFolder(t *testing.T) {
	for line, want := range map[string]string{
		"apply_patch <<'E'":                   "a.txt",
		"cd src && apply_patch <<'E'":         "src/a.txt",
		`cd "src" && apply_patch <<'E'`:       "src/a.txt",
		"cd $X && apply_patch <<'E'":          shell.Unknown,
		"cd a && cd b && apply_patch <<'E'":   shell.Unknown,
		"true; cd src && apply_patch <<'E'":   shell.Unknown,
		"pushd src && apply_patch <<'E'":      shell.Unknown,
		"(cd src && apply_patch <<'E'":        shell.Unknown,
		"":                                    "a.txt",
		"cd src || apply_patch <<'E'":         shell.Unknown,
		"cd 'my src' && apply_patch <<'E'":    shell.Unknown,
		"cd src && cat a | apply_patch <<'E'": shell.Unknown,
	} {
		got := readPatch(line + "\n*** Begin Patch\n*** Add File: a.txt\n+x\n*** End Patch\nE")
		if len(got) != 1 || got[0].Path != want {
			t.Errorf("%s: %+v, expected %s", line, got, want)
		}
	}
	if got := readPatch("cd src && apply_patch\n*** Begin Patch\n*** Add File: /b/a.txt"); got[0].Path != "/b/a.txt" {
		t.Errorf("an absolute path: %+v", got)
	}
}
