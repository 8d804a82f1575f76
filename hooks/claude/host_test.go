package claude_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/hosttest"
)

// TestHost: what every adapter must do. Where Copilot CLI's variable is set, it is either Copilot that calls, which
// reads our settings file, or a client that was started in its shell.
func TestHost(t *testing.T) {
	c := hosttest.Cases{
		Start:        recorded(t, "2.1.197/SessionStart.startup"),
		Prompt:       recorded(t, "2.1.197/UserPromptSubmit"),
		Request:      recorded(t, "2.1.197/PreToolUse.Agent"),
		SubRequest:   recorded(t, "2.1.197/PreToolUse.Bash.sub"),
		AgentStart:   recorded(t, "2.1.197/SubagentStart"),
		AgentStop:    recorded(t, "2.1.197/SubagentStop"),
		TurnStop:     recorded(t, "2.1.197/Stop"),
		Result:       recorded(t, "2.1.197/PostToolUse.Agent.completed"),
		RequestEvent: "pre-tool-use",
		Failed: []string{"[" + strings.NewReplacer("1bc568c1-0fa1-4a1f-9299-a685ff856dc1",
			"590bfa9a-c9f5-4dc1-a3b8-3cdd561a8282",
			"a7182c484ced9351d", "a3a1e6adfa486f3dd").Replace(recorded(t, "2.1.197/SubagentStart")) + "," +
			recorded(t, "2.1.197/StopFailure.sub") + "]"},
	}
	for _, name := range []string{"Notification.idle_prompt", "PermissionRequest.Bash.sub", "PostToolBatch.sub",
		"TeammateIdle"} {
		c.Others = append(c.Others, recorded(t, "2.1.197/"+name))
	}
	t.Run("alone", func(t *testing.T) { hosttest.Run(t, host(nil), c) })
	for _, name := range all(t, "copilot") {
		c.Foreign = append(c.Foreign, recorded(t, name))
	}
	t.Run("in Copilot's shell", func(t *testing.T) { hosttest.Run(t, host(map[string]string{"COPILOT_CLI": "1"}), c) })
}

// Another client gets silence, whatever it sends: not even its errors are answered.
func TestForeignClient(t *testing.T) {
	copilot := host(map[string]string{"COPILOT_CLI": "1"})
	for _, name := range all(t, "copilot") {
		c := call(t, copilot, recorded(t, name))
		if e, ok := c.Event(now); ok {
			t.Errorf("%s was read as %v", name, e.Kind)
		}
		var out bytes.Buffer
		if err := c.Reply(&out, fsm.Decision{}); err != nil || out.Len() > 0 {
			t.Errorf("%s: %v, %s", name, err, out.String())
		}
	}
}

// A client that was started in Copilot's shell inherits the variable, and is judged all the same.
func TestInheritedVariable(t *testing.T) {
	inherited := host(map[string]string{"COPILOT_CLI": "1"})
	for _, client := range []string{"2.1.197", "2.1.329"} {
		for _, name := range all(t, client) {
			body := recorded(t, name)
			if _, ok := call(t, inherited, body).Event(now); ok != registeredEvents(t, body) {
				t.Errorf("%s: our business: %v", name, ok)
			}
		}
	}
}

// TestSurroundings: the client's variables say which project a call is about, who makes it,
// and whether a person attends.
func TestSurroundings(t *testing.T) {
	if got := host(map[string]string{"CLAUDE_PROJECT_DIR": "/p"}).Root("/w"); got != "/p" {
		t.Errorf("project %s", got)
	}
	if got := host(nil).Root("/w"); got != "/w" {
		t.Errorf("project without a variable: %s", got)
	}
	for agent, genuine := range map[string]bool{"": true, "claude-code_2-1-329_harness": true,
		"claude-code_2-1-329_agent": false} {
		if host(map[string]string{"AI_AGENT": agent}).IsGenuine() != genuine {
			t.Errorf("AI_AGENT=%s: genuine %v", agent, !genuine)
		}
	}
	for _, env := range []map[string]string{nil, {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli"},
		{"CLAUDE_CODE_ENTRYPOINT": "cli", "CLAUDE_CODE_SESSION_ATTENDED": "0"}} {
		if err := host(env).CheckAttended(); err == nil || err.Error() != "no person attends this client" {
			t.Errorf("%v: %v", env, err)
		}
	}
	if err := host(map[string]string{"CLAUDE_CODE_ENTRYPOINT": "cli",
		"CLAUDE_CODE_EXECPATH": "/x"}).CheckAttended(); err == nil {
		t.Error("a client in an agent's shell is attended")
	}
	places := claude.Host{Surroundings: hooks.Surroundings{Project: "/p"}, Config: "/h/.claude"}.Places()
	for scope, want := range map[string]string{"user": "/h/.claude/settings.json",
		"project": "/p/.claude/settings.json",
		"local":   "/p/.claude/settings.local.json", "other": ""} {
		if got, ok := places.FindSettings(scope); got != want || ok != (want != "") {
			t.Errorf("scope %s: %q %v", scope, got, ok)
		}
	}
	if got := places.AgentFile("a"); got != "/p/.claude/agents/a.md" {
		t.Errorf("agent: %s", got)
	}
	if got := places.SkillFile(places.User, "s") + " " + places.CommandFile(places.Project,
		"c"); got != "/h/.claude/skills/s/SKILL.md /p/.claude/commands/c.md" {
		t.Errorf("skill and command: %s", got)
	}
}

// TestManagedFile: the administrator's settings lie in one place of each system.
func TestManagedFile(t *testing.T) {
	for system, want := range map[string]string{"linux": "/etc/claude-code/managed-settings.json", "plan9": "",
		"darwin":  "/Library/Application Support/ClaudeCode/managed-settings.json",
		"windows": `C:\Program Files\ClaudeCode\managed-settings.json`} {
		if got := claude.ManagedFile(system); got != want {
			t.Errorf("%s: %s", system, got)
		}
	}
}
