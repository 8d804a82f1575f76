// Package codex is the adapter for Codex CLI. What it relies on was established by
// experiment with 0.169.0; the recorded payloads in testdata are from that.
package codex

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/clients"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// Host is Codex CLI.
type Host struct{ dialect.Adapter }

var _ hooks.Prober = Host{}

// New is the adapter in its surroundings.
func New(s hooks.Surroundings) Host {
	return Host{dialect.Adapter{Surroundings: s, Dialect: &codex}}
}

// codex is what Codex says in its own way. An ask lets the tool run. A project's folder counts
// only where it is trusted, and each teammate has to approve it: so the user's is the usual one.
// Codex trusts a hash over the command and the timeout of a hook, so these stay as they are in
// every version.
var codex = dialect.Dialect{
	Host: "codex",
	Voice: dialect.Voice{Can: hooks.TellsCaller | hooks.TellsStart | hooks.TellsStop | hooks.TellsEnd |
		hooks.InjectsStart | hooks.InjectsPrompt | hooks.InjectsAgent | hooks.InjectsRequest | hooks.InjectsResult |
		hooks.Holds | hooks.HoldsAgents},
	Folders: hooks.Places{Project: ".codex", User: ".codex", Agents: "agents", AgentExt: ".toml",
		Skills: "skills", Mark: "$", Guarded: []string{"config.toml"}},
	UserEnv: "CODEX_HOME", Settings: "hooks.json", EndTimeout: 3,
	Unattended: "no command reaches pipeline through Codex", // it keeps what begins with a slash for itself
	Default:    "default",
	Agents:     []string{"default", "explorer", "worker"},
	Starter:    fsm.StartTool{Tool: "spawn_agent", Agent: "agent_type", Prompt: "message", Wait: "wait_agent"},
	Finish:     finish,
	Forked:     "payload.forked_from_id",
	Namespaces: []string{"multi_agent_v1", "collaboration"}, // of the first of two generations, and of the second
	// write_stdin raises no hook yet; what it types is not known.
	Tools: `
		own             Bash
		Bash            write_stdin
		Edit            apply_patch
		Read            view_image
		WebSearch       web_search
		TodoWrite       update_plan
		AskUserQuestion request_user_input request_user_input_async
		own             get_goal create_goal update_goal clocksleep
		Agent           starts=agent_type spawn_agent
		TaskOutput      wait_agent
		ListAgents      list_agents
		TaskStop        close_agent interrupt_agent
		SendMessage     wakes=target send_input send_message followup_task
		SendMessage     wakes=id resume_agent`,
}

// IsGenuine tells a hook from a call in an agent's shell by the variable that only the
// shell has. One that the client itself was started with proves nothing.
func (h Host) IsGenuine() bool {
	if h.Env("CODEX_SESSION_ID") == "" {
		return true
	}
	nested, basis := clients.IsNested(clients.Nearest())
	return nested || basis == clients.NoBasis
}

// Blocks says why the hooks would not run with a hooks.json. Whether a person has approved
// them is not in it.
func (h Host) Blocks(src []byte, want []hooks.Entry) string {
	names, _ := settings.Keys(src) // what cannot be parsed is reported below
	for _, name := range names {
		if name != "hooks" && name != "description" {
			return "Codex refuses the whole file for its key " + name
		}
	}
	return h.Adapter.Blocks(src, want)
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

// DefineAgent writes a definition as TOML. Codex gives an agent all tools: which of them it
// may use is the policy's to say.
func (h Host) DefineAgent(source []byte) []byte {
	d := h.ParseAgent(source)
	text := "'''\n" + d.Text + "'''"
	if strings.Contains(d.Text, "'''") {
		text = strconv.Quote(d.Text)
	}
	return fmt.Appendf(nil, "name = %q\ndescription = %q\ndeveloper_instructions = %s\n", d.Name, d.Description, text)
}

// finish completes an event. The newer generation wants a name for each task. In which shell
// a command runs is an argument that no payload has: bash, zsh, sh, PowerShell or cmd.
func finish(p *dialect.Payload, e *fsm.Event) bool {
	e.Tool.AnyShell = e.Tool.Command != ""
	if p.ToolName == "collaborationspawn_agent" {
		e.Starter.Tool, e.Starter.Describe = "collaboration.spawn_agent", "task_name"
	}
	if e.Kind == fsm.ToolResult && (e.Tool.Name == "TaskOutput" || e.Tool.Name == "ListAgents") {
		e.Tool.Over = listOver(gjson.ParseBytes(p.Response))
	}
	return true
}

// listOver lists the agents that a wait, or a list of agents, reports to have failed or to be gone. Codex tells no
// other end of such an agent.
func listOver(answer gjson.Result) (over []string) {
	if answer.Type == gjson.String {
		answer = gjson.Parse(answer.Str)
	}
	add := func(name string, status gjson.Result) {
		for _, end := range [...]string{"errored", "interrupted", "shutdown", "not_found"} {
			if status.Str == end || status.Get(end).Exists() {
				over = append(over, name[strings.LastIndexByte(name, '/')+1:])
			}
		}
	}
	answer.Get("status").ForEach(func(id, status gjson.Result) bool {
		add(id.Str, status)
		return true
	})
	for _, agent := range answer.Get("agents").Array() {
		add(agent.Get("agent_name").Str, agent.Get("agent_status"))
	}
	return over
}
