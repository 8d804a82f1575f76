package qwen_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/hosttest"
	"github.com/agent-pipeline/pipeline/hooks/qwen"
)

func recorded(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile("testdata/0.24.4/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func host() qwen.Host {
	return qwen.New(hooks.Surroundings{Home: "/home/user", Project: "/home/user/project"})
}

func TestHost(t *testing.T) {
	c := hosttest.Cases{
		Start:      recorded(t, "SessionStart"),
		Prompt:     recorded(t, "UserPromptSubmit"),
		Request:    recorded(t, "PreToolUse.agent"),
		SubRequest: recorded(t, "PreToolUse.read_file.in-subagent"),
		AgentStart: recorded(t, "SubagentStart"),
		AgentStop:  recorded(t, "SubagentStop"),
		TurnStop:   recorded(t, "Stop"),
		Result:     recorded(t, "PostToolUse.run_shell_command"),
		Failed:     []string{recorded(t, "failed"), recorded(t, "failed.background")},

		RequestEvent: "pre-tool-use",
	}
	for _, name := range []string{"Notification", "PostToolBatch", "PostToolBatch.in-subagent",
		"UserPromptSubmit.empty"} {
		c.Others = append(c.Others, recorded(t, name))
	}
	hosttest.Run(t, host(), c)
}

// TestFork: the client calls a fork resumed; its transcript names the parent.
func TestFork(t *testing.T) {
	for text, want := range map[string]string{
		`{"sessionId":"new","message":{"parts":[{"text":"` + strings.Repeat("x", 9000) + `"}]},"forkedFrom":{"sessionId":"old"}}`: "old",
		`{"sessionId":"new","message":{"parts":[{"text":"forkedFrom"}]}}`:                                                         "",
	} {
		transcript := filepath.Join(t.TempDir(), "new.jsonl")
		if err := os.WriteFile(transcript, []byte(text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		call, err := host().Read(strings.NewReader(`{"session_id":"new","hook_event_name":"SessionStart","source":"resume",` +
			`"transcript_path":"` + filepath.ToSlash(transcript) + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := call.Event(time.Now()); !ok || call.Parent() != want || (e.Source == "fork") != (want != "") {
			t.Errorf("forked from %q, source %q", call.Parent(), e.Source)
		}
	}
}

func event(t *testing.T, payload string) fsm.Event {
	t.Helper()
	call, err := host().Read(strings.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	e, ok := call.Event(time.Now())
	if !ok {
		t.Fatalf("it does not concern us: %s", payload)
	}
	return e
}

// TestTools: tools have other names; a call and its result share the id, and an agent's id
// follows from that of the call that started it.
func TestTools(t *testing.T) {
	for name, want := range map[string]fsm.Tool{
		"PreToolUse.run_shell_command": {Name: "Bash", Command: "echo hi"},
		"PreToolUse.write_file":        {Name: "Write", Paths: []string{"/home/user/project/b.txt"}},
		"PreToolUse.agent":             {Name: "Agent", Starts: &fsm.Start{How: fsm.ByAgent, Type: "gatherer"}},
		"PreToolUse.send_message": {Name: "SendMessage", Message: "more",
			Starts: &fsm.Start{How: fsm.ByMessage, Name: "gatherer-call_2_0"}},
		"PostToolUse.agent":             {Name: "Agent", Result: fsm.Result{AgentID: "gatherer-call_3_0"}},
		"PostToolUse.agent.foreground":  {Name: "Agent", Result: fsm.Result{AgentID: "gatherer-call_3_0", Done: true}},
		"PostToolUseFailure.web_fetch":  {Name: "WebFetch"},
		"PostToolUse.run_shell_command": {Name: "Bash", Command: "echo hi"},
	} {
		e := event(t, recorded(t, name))
		got := e.Tool
		if got.Name != want.Name || got.Command != want.Command || got.Message != want.Message ||
			got.Result != want.Result ||
			strings.Join(got.Paths, " ") != strings.Join(want.Paths, " ") || got.UseID == "" {
			t.Errorf("%s: %+v", name, got)
		}
		if want.Starts != nil && (got.Starts == nil || *got.Starts != *want.Starts) {
			t.Errorf("%s: starts %+v", name, got.Starts)
		}
		if got.Unknown || len(e.Notes) > 0 {
			t.Errorf("%s: noted %q", name, e.Notes)
		}
	}
	for payload, want := range map[string]fsm.Tool{
		`"skill","tool_input":{"skill":"deploy"}`:              {Name: "Skill", Skill: "deploy"},
		`"workflow","tool_input":{"script":"agent()"}`:         {Name: "Workflow", Starts: &fsm.Start{}},
		`"cron_create","tool_input":{"prompt":"go on"}`:        {Name: "CronCreate", Prompt: "go on"},
		`"monitor","tool_input":{"command":"tail -f x"}`:       {Name: "Monitor", Command: "tail -f x"},
		`"mcp__x__y","tool_input":{"command":"rm"}`:            {Name: "mcp__x__y", Command: "rm"},
		`"create_sub_session","tool_input":{"prompt":"do it"}`: {Name: "Agent", Starts: &fsm.Start{}},
	} {
		got := event(t, `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":`+payload+`}`).Tool
		if got.Name != want.Name || got.Skill != want.Skill || got.Prompt != want.Prompt ||
			got.Command != want.Command ||
			(got.Starts == nil) != (want.Starts == nil) || got.Unknown {
			t.Errorf("%s: %+v", payload, got)
		}
	}
	unnamed := strings.Replace(recorded(t, "PreToolUse.agent"), `"subagent_type": "gatherer",`, "", 1)
	if e := event(t, unnamed); e.Tool.Starts.Type != "general-purpose" {
		t.Errorf("without a type %q starts", e.Tool.Starts.Type)
	}
}

// TestPrompts: only a submitted prompt is a person's.
func TestPrompts(t *testing.T) {
	for name, want := range map[string]fsm.Origin{"UserPromptSubmit": fsm.Person, "UserPromptSubmit.held": fsm.Own} {
		if e := event(t, recorded(t, name)); e.Origin != want {
			t.Errorf("%s: origin %q", name, e.Origin)
		}
	}
	next := strings.Replace(recorded(t, "UserPromptSubmit"), "########0", "########1", 1)
	if a, b := event(t, recorded(t, "UserPromptSubmit")).Prompt, event(t, next).Prompt; a != "0" || b != "1" {
		t.Errorf("two prompts are %q and %q", a, b)
	}
}

// TestBackground: what runs beside the one that stops.
func TestBackground(t *testing.T) {
	busy := strings.Replace(recorded(t, "Stop"), `"status": "completed"`, `"status": "running"`, 1)
	for payload, want := range map[string]string{busy: "gatherer-call_3_0", recorded(t, "Stop"): "",
		recorded(t, "SubagentStop"): ""} {
		if e := event(t, payload); e.Tasks == nil || strings.Join(e.Tasks.IDs, " ") != want {
			t.Errorf("runs %+v, want %q", e.Tasks, want)
		}
	}
}

// TestMillis: Qwen counts milliseconds.
func TestMillis(t *testing.T) {
	h := host()
	out, _, err := h.Edit([]byte("{}\n"), h.Entries("/usr/bin/pipeline", false))
	if err != nil || !strings.Contains(string(out), `"timeout": 30000`) || strings.Contains(string(out), "SessionEnd") {
		t.Errorf("%v: %s", err, out)
	}
	off := strings.Replace(string(out), "{", `{"disableAllHooks": true,`, 1)
	ours, _, err := h.Edit([]byte("{\n  // mine /* and \" */\n  \"x\": \"//\" /* theirs */\n}\n"),
		h.Entries("/usr/bin/pipeline", false))
	if why := h.Blocks(ours, h.Entries("/usr/bin/pipeline", false)); err != nil || why != "" {
		t.Errorf("with comments, which Qwen Code reads: %v, %s", err, why)
	}
	comma := strings.TrimSuffix(string(ours), "}\n") + ",}\n"
	if why := h.Blocks([]byte(comma), h.Entries("/usr/bin/pipeline", false)); !strings.Contains(why,
		"a comma too many") {
		t.Errorf("with a comma too many, with which Qwen Code does not start: %q", why)
	}
	if why := h.Blocks([]byte(off), h.Entries("/usr/bin/pipeline", false)); !strings.Contains(why, "disableAllHooks") {
		t.Errorf("switched off: %q", why)
	}
}

// TestProbe: the version that npm installs under an older Node, and agents that are told nothing.
func TestProbe(t *testing.T) {
	dir := t.TempDir()
	h := qwen.New(hooks.Surroundings{Home: dir, Project: filepath.Join(dir, "project")})
	for name, text := range map[string]string{"project/.qwen/agents/deaf.md": "---\nname: deaf\n---\n",
		".qwen/settings.json": excluding, "project/.qwen/agents/told.md": "---\nname: told\n---\n${hook_context}\n"} {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for version, want := range map[string]hooks.Status{"0.15.10": hooks.Problem, "0.24.4": hooks.OK, "0.25.0": hooks.OK,
		"nonsense": hooks.Warning} {
		program := filepath.Join(dir, "qwen")
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho "+version+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir)
		found := h.Probe(dir)
		if found[0].Status != want || want == hooks.Problem &&
			(!strings.Contains(found[0].What, "Node is older than 22") ||
				!strings.Contains(found[0].Remedy, "install Node 22")) {
			t.Errorf("%s: %+v", version, found[0])
		}
		if len(found) != 2 || !strings.HasSuffix(found[1].What, "deaf.md") {
			t.Errorf("agents: %+v", found[1:])
		}
	}
	if err := os.Remove(filepath.Join(dir, "project/.qwen/agents/deaf.md")); err != nil {
		t.Fatal(err)
	}
	if found := h.Probe(dir); len(found) != 1 {
		t.Errorf("agents that are told: %+v", found)
	}
}

const excluding = `{"advanced": {"excludedEnvVars": ["DEBUG", "QWEN_CODE_SAFE_MODE", "QWEN_CODE_SIMPLE"]}}`

// TestEnvFiles: the files by which a variable can switch the hooks off are guarded and looked into, for one who uses
// the client. The project's cannot where the user's settings exclude the variables.
func TestEnvFiles(t *testing.T) {
	home := filepath.ToSlash(t.TempDir())
	h := qwen.New(hooks.Surroundings{Home: home, Project: home + "/project"})
	wantGuarded := func(want ...string) {
		t.Helper()
		if got := h.Places().Guarded; !slices.Equal(got, want) {
			t.Errorf("guarded: %q, want %q", got, want)
		}
	}
	put := func(file, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755),
			os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	wantGuarded(".env")
	for _, settings := range []string{"{}", "no JSON", `{"advanced": {"excludedEnvVars": ["QWEN_CODE_SIMPLE"]}}`} {
		put(home+"/.qwen/settings.json", settings)
		wantGuarded(".env", home+"/.env", home+"/project/.env")
	}
	if found := h.Probe(home); found[len(found)-1].Status != hooks.Warning || len(found) != 2 {
		t.Errorf("nothing is excluded: %+v", found)
	}
	put(home+"/.qwen/settings.json", excluding)
	wantGuarded(".env", home+"/.env")
	put(home+"/project/.env", "A=1\n")
	if found := h.Probe(home); len(found) != 1 {
		t.Errorf("nothing is wrong: %+v", found)
	}
	put(home+"/.qwen/.env", "QWEN_CODE_SIMPLE=1\n")
	if found := h.Probe(home); len(found) != 2 || found[1].Status != hooks.Problem {
		t.Errorf("the hooks are off: %+v", found)
	}
}
