package codex

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/guard"
	"github.com/agent-pipeline/pipeline/hooks/hosttest"
)

func host() Host { return New(hooks.Surroundings{Home: "/home/user", Project: "/home/user/project"}) }

func recorded(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "0.169.0", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func TestHost(t *testing.T) {
	hosttest.Run(t, host(), hosttest.Cases{
		Start: recorded(t, "SessionStart"), Prompt: recorded(t, "UserPromptSubmit"),
		Request: recorded(t, "PreToolUse.Bash"), SubRequest: recorded(t, "PreToolUse.Bash.in-subagent"),
		AgentStart: recorded(t, "SubagentStart"), AgentStop: recorded(t, "SubagentStop"), TurnStop: recorded(t, "Stop"),
		Result: recorded(t, "PostToolUse.Bash"), RequestEvent: "pre-tool-use",
		Failed: []string{recorded(t, "failed")},
		Others: []string{`{"session_id":"s","hook_event_name":"PermissionRequest","tool_name":"Bash"}`,
			`{"session_id":"s","hook_event_name":"PreCompact"}`},
	})
}

func read(t *testing.T, payload string) fsm.Event {
	t.Helper()
	c, err := host().Read(strings.NewReader(payload))
	if err != nil {
		t.Fatal(err)
	}
	e, ok := c.Event(time.Unix(0, 0))
	if !ok {
		t.Fatalf("it does not concern us: %s", payload)
	}
	return e
}

// TestFork: a fork goes on where its parent is, which the transcript names.
func TestFork(t *testing.T) {
	transcript := filepath.Join(t.TempDir(), "rollout.jsonl")
	text := `{"timestamp":"2026-11-23T06:13:50.323Z","ordinal":14,"type":"session_meta","payload":{"account_scoped":true,` +
		`"session_id":"new","id":"new","forked_from_id":"old","base_instructions":{"text":"` + strings.Repeat("x", 9000) + `"}}}`
	if err := os.WriteFile(transcript, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for source, want := range map[string]string{"fork": "old", "startup": ""} {
		c, err := host().Read(strings.NewReader(`{"session_id":"new","hook_event_name":"SessionStart","source":"` +
			source +
			`","transcript_path":"` + filepath.ToSlash(transcript) + `"}`))
		if err != nil {
			t.Fatal(err)
		}
		if c.Parent() != want {
			t.Errorf("%s: forked from %q, %v", source, c.Parent(), err)
		}
	}
}

// TestServer: Codex names the tool of a server as Claude Code does, but for hyphens.
func TestServer(t *testing.T) {
	e := read(t, recorded(t, "PreToolUse.server"))
	rule := fsm.Rule{Tools: []string{"mcp__my-demo__*"}}
	if e.Tool.Unknown || !rule.CoversTool(e.Tool.Name) || len(e.Tool.Args) != 1 {
		t.Errorf("%+v", e.Tool)
	}
}

func TestSpawn(t *testing.T) {
	for name, agent := range map[string]string{"PreToolUse.spawn_agent": "gatherer",
		"PreToolUse.collaborationspawn_agent": "gatherer"} {
		e := read(t, recorded(t, name))
		if e.Tool.Name != "Agent" || e.Tool.Native == "" || e.Tool.Unknown || e.Tool.Starts == nil ||
			e.Tool.Starts.Type != agent || e.Starter.Agent != "agent_type" {
			t.Errorf("%s: %+v, %+v", name, e.Tool, e.Tool.Starts)
		}
	}
	if e := read(t, strings.Replace(recorded(t, "PreToolUse.spawn_agent"), `"agent_type"`, `"x"`,
		1)); e.Tool.Starts.Type != "default" {
		t.Errorf("without a type: %+v", e.Tool.Starts)
	}
	if got := read(t, recorded(t,
		"PostToolUse.spawn_agent")).Tool.Result.AgentID; got != "01a1f8da-8e64-7bb1-8be5-c2d782a07007" {
		t.Errorf("the agent that was started: %q", got)
	}
	if e := read(t, recorded(t, "UserPromptSubmit.in-subagent")); (fsm.Session{}).Identify(e).Origin != fsm.Own {
		t.Error("what an agent is told is taken for a person's prompt")
	}
	wake := strings.NewReplacer("collaborationspawn_agent", "collaborationfollowup_task", `"agent_type"`, `"target"`)
	if e := read(t, wake.Replace(recorded(t, "PreToolUse.collaborationspawn_agent"))); e.Tool.Starts == nil ||
		e.Tool.Starts.How != fsm.ByMessage || e.Tool.Starts.Name != "gatherer" || e.Tool.Message == "" {
		t.Errorf("a message that wakes: %+v", e.Tool)
	}
}

// TestPatch: each file of a patch, with what is done to it; also in a command that carries one.
func TestPatch(t *testing.T) {
	const patch = `*** Begin Patch\n*** Add File: new.txt\n+x\n*** Update File: a.txt\n*** Move to: b.txt\n@@\n-a\n+b\n*** Delete File: old.txt\n*** End Patch\n`
	want := []fsm.FileUse{{Tool: "Write", Path: "new.txt"}, {Tool: "Edit", Path: "a.txt"},
		{Tool: "Delete", Path: "a.txt"},
		{Tool: "Write", Path: "b.txt"}, {Tool: "Delete", Path: "old.txt"}}
	payload := func(tool, text string) string {
		return `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/p","tool_name":"` + tool +
			`","tool_input":{"command":"` + text + `"}}`
	}
	e := read(t, payload("apply_patch", patch))
	if !slices.Equal(e.Tool.Files, want) || e.Tool.Command != "" || e.Tool.Name != "Edit" {
		t.Errorf("%+v", e.Tool)
	}
	if e := read(t, payload("Bash", `apply_patch <<'X'\n`+patch+`X`)); !slices.Equal(e.Tool.Files, want) ||
		e.Tool.Command == "" {
		t.Errorf("in a command: %+v", e.Tool)
	}
	parts := guard.Guards{Root: "/p", Home: "/h"}.Parts(read(t, payload("apply_patch", "garbage")).Tool, "/p")
	if len(parts) != 1 || parts[0].Tool != "Edit" || parts[0].Path != shell.Unknown {
		t.Errorf("a patch without a file: %+v", parts)
	}
}

// TestTyped: a shell that is left open is unknown code, because what is typed into it later raises no hook.
func TestTyped(t *testing.T) {
	g := guard.Guards{Root: "/p", Home: "/h", Shell: "bash"}
	for command, code := range map[string]bool{"bash": true, "python3": true, "psql": true, "cat a.txt": false,
		"go test ./...": false} {
		e := read(t, `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Bash","tool_input":{"command":"`+command+`"}}`)
		if got := slices.ContainsFunc(g.Parts(e.Tool, "/p"), func(p fsm.Part) bool { return p.Code }); got != code {
			t.Errorf("%s: unknown code: %v", command, got)
		}
	}
}

// TestAnyShell: the agent may run a command in another shell than the user's, and no payload says so. What zsh reads
// otherwise counts too where there is a zsh.
func TestAnyShell(t *testing.T) {
	e := read(t, `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/p","tool_name":"Bash","tool_input":{"command":"ls *(e:x:)"}}`)
	for _, has := range []bool{true, false} {
		g := guard.Guards{Root: "/p", Home: "/h", Shell: "bash", HasZsh: func() bool { return has }}
		if got := slices.ContainsFunc(g.Parts(e.Tool, "/p"), func(p fsm.Part) bool {
			return p.Code
		}); got != has {
			t.Errorf("zsh is here: %v; what it runs is judged: %v", has, got)
		}
	}
}

// TestAnyShellIsPowerShell: where there is one, it may run the line.
func TestAnyShellIsPowerShell(t *testing.T) {
	e := read(t, `{"session_id":"s","hook_event_name":"PreToolUse","cwd":"/proj","tool_name":"Bash","tool_input":{"command":"ri (gi configs/pipeline.yaml)"}}`)
	g := guard.Guards{Root: "/proj", Home: "/h", HasPowerShell: func() bool { return true }}
	if !slices.ContainsFunc(g.Parts(e.Tool, "/proj"), func(p fsm.Part) bool { return p.Guards != "" }) {
		t.Error("PowerShell may delete the config")
	}
}

// TestKnownKeys: Codex drops a file for a key that it does not know.
func TestKnownKeys(t *testing.T) {
	h := host()
	want := h.Entries("/usr/bin/pipeline", true)
	out, _, err := h.Edit([]byte(`{"description": "mine"}`), want)
	if err != nil || h.Blocks(out, want) != "" || strings.Contains(string(out), "onFailure") ||
		strings.Contains(string(out), "args") {
		t.Errorf("%v, %s\n%s", err, h.Blocks(out, want), out)
	}
	if why := h.Blocks([]byte(strings.Replace(string(out), `"description"`, `"$schema"`, 1)),
		want); !strings.Contains(why, "$schema") {
		t.Errorf("a key that Codex does not know: %q", why)
	}
}

// TestEntriesStay: a person approves a hash over them, once.
func TestEntriesStay(t *testing.T) {
	out, _, err := host().Edit(nil, host().Entries("/usr/local/bin/pipeline", false))
	if err != nil {
		t.Fatal(err)
	}
	golden, err := os.ReadFile("testdata/hooks.json")
	if err != nil || string(golden) != string(out) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestJudge(t *testing.T) {
	list := func(change func(event string, l *listed)) answer {
		body := `{"id":2,"result":{"data":[{"cwd":"/p","hooks":[`
		for i, e := range host().Dialect.Events() {
			if i > 0 {
				body += ","
			}
			body += `{"eventName":"` + strings.ToLower(e.Name[:1]) + e.Name[1:] +
				`","command":"/usr/bin/pipeline hook --host codex ` + e.Called +
				`","sourcePath":"/h/.codex/hooks.json","enabled":true,"trustStatus":"trusted"}`
		}
		a, err := readAnswer(strings.NewReader("{\"method\":\"configWarning\"}\n" + body +
			`],"warnings":[],"errors":[]}]}}` + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		for i := range a.Data[0].Hooks {
			change(a.Data[0].Hooks[i].Event, &a.Data[0].Hooks[i])
		}
		return a
	}
	for want, change := range map[string]func(string, *listed){
		"8 hooks, approved": func(string, *listed) {},
		"hooks of ours are not approved, so Codex does not run them: stop (modified)": func(e string, l *listed) {
			if e == "stop" {
				l.Trust = "modified"
			}
		},
		"switched off: preToolUse": func(e string, l *listed) { l.Enabled = e != "preToolUse" },
		"no hook of ours for PreToolUse": func(e string, l *listed) {
			if e == "preToolUse" {
				l.Command = "/usr/bin/other"
			}
		},
		"Codex knows no hook of ours here": func(_ string, l *listed) { l.Command = "x" },
		"judged twice":                     func(_ string, l *listed) { l.Event = "stop" },
	} {
		found := host().judge(list(change))
		if !slices.ContainsFunc(found, func(f hooks.Finding) bool {
			return strings.Contains(f.What, want) && (f.Status == hooks.OK) == (want == "8 hooks, approved")
		}) {
			t.Errorf("%s: %+v", want, found)
		}
	}
	if _, err := readAnswer(strings.NewReader(`{"id":2,"error":{"message":"no such method"}}`)); err == nil ||
		!strings.Contains(err.Error(), "no such method") {
		t.Errorf("an error: %v", err)
	}
	if _, err := readAnswer(strings.NewReader("")); err == nil {
		t.Error("no answer is no error")
	}
}
