// Package codex is the adapter for Codex CLI. What it relies on was established by
// experiment with 0.169.0; the recorded payloads in testdata are from that.
package codex

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// Host is Codex CLI.
type Host struct{ hooks.Surroundings }

var _ hooks.Prober = Host{}

// New is the adapter in its surroundings.
func New(s hooks.Surroundings) Host { return Host{s} }

// Name is how --host names it.
func (Host) Name() string { return "codex" }

// Can is what was seen to work. An ask lets the tool run.
func (Host) Can() hooks.Set {
	return hooks.TellsCaller | hooks.TellsStart | hooks.TellsStop | hooks.TellsEnd | hooks.InjectsStart |
		hooks.InjectsPrompt | hooks.InjectsAgent | hooks.InjectsRequest | hooks.InjectsResult | hooks.Holds |
		hooks.HoldsAgents
}

// Root is where Codex was started: it says so by no variable.
func (Host) Root(dir string) string { return dir }

// IsGenuine tells a hook from a call in an agent's shell by the variable that only the
// shell has. One that the client itself was started with proves nothing.
func (h Host) IsGenuine() bool {
	if h.Env("CODEX_SESSION_ID") == "" {
		return true
	}
	nested, basis := clients.IsNested(clients.Nearest())
	return nested || basis == clients.NoBasis
}

// CheckAttended refuses: Codex keeps what begins with a slash for itself.
func (Host) CheckAttended() error { return errors.New("no command reaches pipeline through Codex") }

// Places are the folders .codex of the project and of the user. The project's counts only in
// a folder that is trusted, and each teammate has to approve it: so the user's is the usual one.
func (h Host) Places() hooks.Places {
	project := filepath.Join(h.Project, ".codex")
	user := cmp.Or(h.Env("CODEX_HOME"), filepath.Join(h.Home, ".codex"))
	return hooks.Places{Project: project, User: user, Agents: "agents", AgentExt: ".toml", Default: "user",
		Guarded: []string{"config.toml"},
		Settings: []hooks.SettingsFile{{Scope: "user", Path: filepath.Join(user, "hooks.json")},
			{Scope: "project", Path: filepath.Join(project, "hooks.json")}}}
}

// Read takes one payload.
func (h Host) Read(r io.Reader) (hooks.Call, error) { return h.dialect().Read(r, h.Event) }

// Bare is a call whose payload could not be read.
func (h Host) Bare(event string) hooks.Call { return h.dialect().Bare(event) }

// Entries are the hooks to register. Codex trusts a hash over the command and the timeout,
// so these stay as they are in every version.
func (h Host) Entries(binary string, _ bool) []hooks.Entry { return h.dialect().Entries(binary) }

func format() settings.Format { return settings.Format{Host: "codex", Shell: true} }

// Edit leaves the wanted hooks of ours in hooks.json.
func (Host) Edit(src []byte, want []hooks.Entry) ([]byte, bool, error) {
	if len(want) == 0 {
		return format().Uninstall(src)
	}
	return format().Install(src, want)
}

// Blocks says why the hooks would not run with a hooks.json. Whether a person has approved
// them is not in it.
func (Host) Blocks(src []byte, want []hooks.Entry) string {
	names, _ := settings.Keys(src) // what cannot be parsed is reported below
	for _, name := range names {
		if name != "hooks" && name != "description" {
			return "Codex refuses the whole file for its key " + name
		}
	}
	return format().Blocks(src, want)
}

// After says what a person must do: Codex runs only hooks that a person has approved, and says nothing of others.
func (h Host) After(file string) []string {
	out := []string{"start codex and approve 8 hooks (/hooks): until then Codex runs none of them and says nothing; " +
		"pipeline doctor tells whether they run"}
	if strings.HasPrefix(file, h.Places().Project+"/") {
		out = append(out, "Codex reads this file only in a folder that is trusted, and each teammate approves it: "+
			"pipeline install --host codex --scope user depends on neither")
	}
	return out
}

func (h Host) dialect() *dialect.Dialect {
	return &dialect.Dialect{Host: h.Name(), Voice: dialect.Voice{Can: h.Can()}, Default: "default",
		Starter: fsm.StartTool{Tool: "spawn_agent", Agent: "agent_type", Prompt: "message"},
		Finish:  finish,
		Events: []dialect.Event{
			{Name: "SessionStart", Called: "session-start", Timeout: 30},
			{Name: "UserPromptSubmit", Called: "user-prompt-submit", Timeout: 30},
			{Name: "PreToolUse", Called: "pre-tool-use", Timeout: 30},
			{Name: "PostToolUse", Called: "post-tool-use", Timeout: 120}, // checks may run
			{Name: "SubagentStart", Called: "subagent-start", Timeout: 30},
			{Name: "SubagentStop", Called: "subagent-stop", Timeout: 600}, // a gate may run
			{Name: "Stop", Called: "stop", Timeout: 600},
			{Name: "SessionEnd", Called: "session-end", Timeout: 3}, // Codex waits no longer
		},
		Tools: tools()}
}

// tools are Codex's own. It names those of a namespace without a separator. The first of two
// generations has multi_agent_v1, the second collaboration.
func tools() []dialect.Tool {
	all := []dialect.Tool{
		{Native: "Bash"},
		{Native: "apply_patch", Canonical: "Edit"},
		{Native: "view_image", Canonical: "Read"},
		{Native: "web_search", Canonical: "WebSearch"},
		{Native: "update_plan", Canonical: "TodoWrite"},
		{Native: "request_user_input", Canonical: "AskUserQuestion"},
		{Native: "request_user_input_async", Canonical: "AskUserQuestion"},
		{Native: "get_goal"}, {Native: "create_goal"}, {Native: "update_goal"}, {Native: "clocksleep"},
		{Native: "spawn_agent", Canonical: "Agent", Starts: "agent_type"},
	}
	for _, t := range []dialect.Tool{
		{Native: "spawn_agent", Canonical: "Agent", Starts: "agent_type"},
		{Native: "wait_agent", Canonical: "TaskOutput"},
		{Native: "list_agents", Canonical: "ListAgents"},
		{Native: "close_agent", Canonical: "TaskStop"},
		{Native: "interrupt_agent", Canonical: "TaskStop"},
		{Native: "send_input", Canonical: "SendMessage", Wakes: "target"},
		{Native: "send_message", Canonical: "SendMessage", Wakes: "target"},
		{Native: "followup_task", Canonical: "SendMessage", Wakes: "target"},
		{Native: "resume_agent", Canonical: "SendMessage", Wakes: "id"},
	} {
		for _, space := range []string{"multi_agent_v1", "collaboration"} {
			named := t
			named.Native = space + t.Native
			all = append(all, named)
		}
	}
	return all
}

// finish completes an event. The newer generation wants a name for each task.
func finish(p *dialect.Payload, e *fsm.Event) bool {
	if p.ToolName == "collaborationspawn_agent" {
		e.Starter.Tool, e.Starter.Describe = "collaboration.spawn_agent", "task_name"
	}
	return true
}
