// Package copilot is the adapter for Copilot CLI. What it relies on was established by
// experiment with 1.0.102; the recorded payloads in testdata are from that.
package copilot

import (
	"cmp"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// Host is Copilot CLI.
type Host struct{ dialect.Adapter }

var _ hooks.Prober = Host{}

// New is the adapter in its surroundings.
func New(s hooks.Surroundings) Host {
	return Host{dialect.Adapter{Surroundings: s, Dialect: &copilot}}
}

// copilot is what Copilot says in its own way. Without a person an ask is a denial with the
// reason. Hooks of a project run only in a folder that is trusted, and nothing says so where
// they do not: so the user's are the usual ones.
var copilot = dialect.Dialect{
	Host: "copilot",
	Voice: dialect.Voice{Flat: true, Can: hooks.TellsCaller | hooks.TellsStart | hooks.TellsStop |
		hooks.TellsFailure | hooks.TellsEnd | hooks.Asks | hooks.InjectsStart | hooks.InjectsPrompt |
		hooks.InjectsAgent | hooks.InjectsRequest | hooks.InjectsResult | hooks.Holds |
		hooks.HoldsAgents | hooks.Echoes},
	Folders: hooks.Places{Project: ".github", User: ".copilot", Agents: "agents", AgentExt: ".agent.md",
		Skills:  "skills",
		Guarded: []string{"config.json", "settings.json", "hooks/*", repoSettings, repoLocalSettings}},
	UserEnv: "COPILOT_HOME", RootEnv: "COPILOT_PROJECT_DIR", Settings: "hooks/pipeline.json",
	Unattended: "no payload says whether a person attends Copilot",
	Default:    "general-purpose",
	Agents: []string{"explore", "task", "general-purpose", "code-review", "research",
		"security-review"},
	Starter: fsm.StartTool{Tool: "task", Agent: "agent_type", Describe: "description", Prompt: "prompt"},
	Joint:   "-",
	Native:  rename,
	Finish:  finish,
	// write_bash has no command on a line: what it types is not known.
	Tools: `
		own          said=bash Bash
		own          said=view Read
		own          said=create Write
		own          said=edit Edit
		Edit         apply_patch str_replace_editor
		own          said=glob Glob
		own          said=grep Grep
		Grep         rg
		own          starts=agent_type said=task Agent
		own          said=web_fetch WebFetch
		own          said=web_search WebSearch
		own          said=ask_user AskUserQuestion
		ExitPlanMode exit_plan_mode
		LSP          lsp
		Bash         write_bash write_powershell
		SendMessage  wakes=agent_id write_agent
		TaskOutput   read_agent
		ListAgents   list_agents
		BashOutput   read_bash list_bash
		TaskStop     stop_bash
		Skill        skill
		ToolSearch   tool_search_tool
		own          said=update_todo TodoWrite
		own          sql session_store_sql fetch_copilot_cli_documentation report_intent`,
}

// The settings of a repository. disableAllHooks in one of them switches off the user's hooks too.
const (
	repoSettings      = "copilot/settings.json"
	repoLocalSettings = "copilot/settings.local.json"
)

// IsGenuine tells a hook from a call in an agent's shell: only the shell has the session's
// variable, and only a hook the folder's.
func (h Host) IsGenuine() bool {
	return h.Env("COPILOT_AGENT_SESSION_ID") == "" || h.Env("COPILOT_HOOK_DIR") != ""
}

// IsBareHook reports whether Copilot runs us without arguments: it runs the hooks of a Claude
// Code project, and drops the arguments that they have. Its own hooks judge the call.
func IsBareHook(getenv func(string) string) bool {
	return getenv("COPILOT_HOOK_DIR") != "" && getenv("COPILOT_AGENT_SESSION_ID") == ""
}

// rename puts what Copilot says in its own words where others have it. An agent's own events
// carry the agent as their session, and its parent: the session is the main agent's. The
// transcript is the main agent's always. Of an agent below another one the parent is that
// agent: the caller knows in which session it runs.
func rename(p *dialect.Payload) {
	p.SessionID, p.Transcript = cmp.Or(p.SessionID, p.Session), cmp.Or(p.Transcript, p.Path)
	folder := filepath.Dir(p.Transcript) // …/session-state/ID/events.jsonl
	isNamed := filepath.Base(p.Transcript) == "events.jsonl" && filepath.Base(filepath.Dir(folder)) == "session-state"
	if isNamed {
		p.SessionID = filepath.Base(folder)
	} else if p.AgentID != "" && p.ParentAgent != "" {
		p.SessionID = p.ParentAgent
	}
	if p.Source == "new" {
		p.Source = "startup"
	}
	p.Response = p.ToolResult
	isPatch := p.ToolName == "Edit" || p.ToolName == "apply_patch"
	if isPatch && gjson.ParseBytes(p.ToolInput).Type == gjson.String {
		p.Notes = nil
	}
}

// DefinedAgents are those of the project and the user, and Copilot's own. It also starts the
// agents that a project defines for Claude Code.
func (h Host) DefinedAgents() (defined, builtin []string) {
	return dialect.ListDefined(h.Places(), system.Glob(h.Project, ".claude/agents/*.md")...), h.Dialect.Agents
}

// startedInBackground precedes the id of an agent that a call has started.
const startedInBackground = "Agent started in background with agent_id: "

// finish completes an event: what Copilot says of its own is no person's prompt, and an
// agent in the background is named in words. On Windows its shell is PowerShell, which its
// payloads call Bash too.
func finish(p *dialect.Payload, e *fsm.Event) bool {
	e.Tool.AnyShell = e.Tool.Command != "" && runtime.GOOS == "windows"
	if e.Kind == fsm.Prompt && strings.HasPrefix(e.Text, "<system_notification>") {
		_, rest, _ := strings.Cut(e.Text, `Agent "`) // in the background: Agent "NAME" (TYPE) has failed
		if name, _, ok := strings.Cut(rest, `"`); ok && strings.Contains(rest, " has failed") {
			e.Notice = fsm.Notice{Task: name, Status: "failed"}
		}
		e.Origin, e.Text = fsm.Notification, ""
	}
	if start := e.Tool.Starts; start != nil && start.How == fsm.ByMessage && start.Name == "" {
		ids := gjson.GetBytes(p.ToolInput, "agent_ids").Array()
		if len(ids) == 1 {
			start.Name = ids[0].String()
		} else { // several, or all of a scope: it passes only where any agent may start
			*start = fsm.Start{How: fsm.ByAgent, Type: "several agents at once"}
		}
	}
	text := gjson.GetBytes(p.Response, "text_result_for_llm").Str
	switch start := e.Tool.Starts; {
	case e.Kind == fsm.ToolResult && start != nil:
		if rest, ok := strings.CutPrefix(text, startedInBackground); ok {
			e.Tool.Result.AgentID, _, _ = strings.Cut(rest, ".")
		}
	case e.Kind == fsm.ToolResult && e.Tool.Name == "TaskOutput":
		if rest, ok := strings.CutPrefix(text, "Agent failed. agent_id: "); ok {
			id, _, _ := strings.Cut(rest, ",")
			e.Tool.Over = []string{id}
		}
	case e.Kind == fsm.ToolFailure && start != nil && start.How == fsm.ByAgent: // which has no call's id
		e.Tool.Over = []string{cmp.Or(start.Name, start.Type)}
	}
	return true
}
