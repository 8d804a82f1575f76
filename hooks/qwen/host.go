// Package qwen is the adapter for Qwen Code. What it relies on was established by
// experiment with 0.24.4; the recorded payloads in testdata are from that.
package qwen

import (
	"cmp"
	"errors"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// Host is Qwen Code.
type Host struct{ hooks.Surroundings }

var _ hooks.Prober = Host{}

// New is the adapter in its surroundings.
func New(s hooks.Surroundings) Host { return Host{s} }

// Name is how --host names it.
func (Host) Name() string { return "qwen" }

// Can is what was seen to work. Without a person an ask is a denial with the reason. An
// agent takes text at its start where its definition has a place for it: see hookContext.
func (Host) Can() hooks.Set {
	return hooks.TellsCaller | hooks.TellsStart | hooks.TellsStop | hooks.TellsFailure | hooks.TellsTasks |
		hooks.TellsInput | hooks.Asks | hooks.InjectsStart | hooks.InjectsPrompt | hooks.InjectsAgent |
		hooks.InjectsResult | hooks.Holds | hooks.HoldsAgents | hooks.Echoes
}

// Root takes the project from the client's variable.
func (h Host) Root(dir string) string { return cmp.Or(h.Env("QWEN_PROJECT_DIR"), dir) }

// IsGenuine tells a hook from a call in an agent's shell: only the shell has QWEN_CODE,
// and only a hook the project's variable.
func (h Host) IsGenuine() bool { return h.Env("QWEN_CODE") == "" || h.Env("QWEN_PROJECT_DIR") != "" }

// CheckAttended refuses: no payload says whether a person attends the client.
func (Host) CheckAttended() error {
	return errors.New("no payload says whether a person attends Qwen Code")
}

// Places are the folders .qwen of the project and of the user.
func (h Host) Places() hooks.Places {
	user, project := filepath.Join(h.Home, ".qwen"), filepath.Join(h.Project, ".qwen")
	return hooks.Places{Project: project, User: user, Agents: "agents", Commands: "commands", Skills: "skills",
		Default: "user",
		Settings: []hooks.SettingsFile{{Scope: "user", Path: filepath.Join(user, "settings.json")},
			{Scope: "project", Path: filepath.Join(project, "settings.json")}}}
}

// Read takes one payload.
func (h Host) Read(r io.Reader) (hooks.Call, error) { return h.dialect().Read(r, h.Event) }

// Bare is a call whose payload could not be read.
func (h Host) Bare(event string) hooks.Call { return h.dialect().Bare(event) }

// Entries are the hooks to register. There is none for a session's end: without a window
// the client reports none.
func (h Host) Entries(binary string, _ bool) []hooks.Entry { return h.dialect().Entries(binary) }

func format() settings.Format { return settings.Format{Host: "qwen", Shell: true, Millis: true} }

// Edit leaves the wanted hooks of ours in the settings.
func (Host) Edit(src []byte, want []hooks.Entry) ([]byte, bool, error) {
	if len(want) == 0 {
		return format().Uninstall(src)
	}
	return format().Install(src, want)
}

// Blocks says why the hooks would not run with the settings.
func (Host) Blocks(src []byte, want []hooks.Entry) string { return format().Blocks(src, want) }

// After says what agents need that are to be told something.
func (Host) After(string) []string {
	return []string{"Qwen Code tells an agent what hooks say at its start only where its definition has " +
		hookContext +
		": add it to the agents that are to know what others found"}
}

func (h Host) dialect() *dialect.Dialect {
	return &dialect.Dialect{Host: h.Name(), Voice: dialect.Voice{Can: h.Can()}, Default: "general-purpose",
		Starter: fsm.StartTool{Tool: "agent", Agent: "subagent_type", Describe: "description", Prompt: "prompt"},
		Finish:  finish,
		Events: []dialect.Event{
			{Name: "SessionStart", Called: "session-start", Timeout: 30},
			{Name: "UserPromptSubmit", Called: "user-prompt-submit", Timeout: 30},
			{Name: "PreToolUse", Called: "pre-tool-use", Timeout: 30},
			{Name: "PostToolUse", Called: "post-tool-use", Timeout: 120}, // checks may run
			{Name: "PostToolUseFailure", Called: "post-tool-use-failure", Timeout: 30},
			{Name: "SubagentStart", Called: "subagent-start", Timeout: 30},
			{Name: "SubagentStop", Called: "subagent-stop", Timeout: 600}, // a gate may run
			{Name: "Stop", Called: "stop", Timeout: 600},
		},
		Tools: tools()}
}

// tools are Qwen Code's own. tool_call leaves no trace: its hooks name the tool that it calls.
func tools() []dialect.Tool {
	return []dialect.Tool{
		{Native: "run_shell_command", Canonical: "Bash"},
		{Native: "monitor", Canonical: "Monitor"},
		{Native: "read_file", Canonical: "Read"},
		{Native: "zoom_image", Canonical: "Read"},
		{Native: "write_file", Canonical: "Write"},
		{Native: "edit", Canonical: "Edit"},
		{Native: "notebook_edit", Canonical: "NotebookEdit"},
		{Native: "glob", Canonical: "Glob"},
		{Native: "grep_search", Canonical: "Grep"},
		{Native: "list_directory", Canonical: "LS"},
		{Native: "lsp", Canonical: "LSP"},
		{Native: "agent", Canonical: "Agent", Starts: "subagent_type"},
		{Native: "create_sub_session", Canonical: "Agent", Starts: "subagent_type"},
		{Native: "workflow", Canonical: "Workflow"},
		{Native: "send_message", Canonical: "SendMessage", Wakes: "task_id"},
		{Native: "task_stop", Canonical: "TaskStop"},
		{Native: "list_agents", Canonical: "ListAgents"},
		{Native: "team_create", Canonical: "TeamCreate"},
		{Native: "team_delete", Canonical: "TeamDelete"},
		{Native: "task_create", Canonical: "TaskCreate"},
		{Native: "task_update", Canonical: "TaskUpdate"},
		{Native: "task_list", Canonical: "TaskList"},
		{Native: "todo_write", Canonical: "TodoWrite"},
		{Native: "cron_create", Canonical: "CronCreate"},
		{Native: "cron_delete", Canonical: "CronDelete"},
		{Native: "cron_list", Canonical: "CronList"},
		{Native: "loop_wakeup", Canonical: "ScheduleWakeup"},
		{Native: "skill", Canonical: "Skill"},
		{Native: "tool_search", Canonical: "ToolSearch"},
		{Native: "web_fetch", Canonical: "WebFetch"},
		{Native: "web_search", Canonical: "WebSearch"},
		{Native: "read_mcp_resource", Canonical: "ReadMcpResourceTool"},
		{Native: "ask_user_question", Canonical: "AskUserQuestion"},
		{Native: "enter_plan_mode", Canonical: "EnterPlanMode"},
		{Native: "exit_plan_mode", Canonical: "ExitPlanMode"},
		{Native: "enter_worktree", Canonical: "EnterWorktree"},
		{Native: "exit_worktree", Canonical: "ExitWorktree"},
		{Native: "structured_output", Canonical: "StructuredOutput"},
		{Native: "report_findings", Canonical: "ReportFindings"},
		{Native: "record_artifact"}, {Native: "record_source"}, {Native: "save_memory"},
		{Native: "get_goal"}, {Native: "update_goal"}, {Native: "propose_goal"},
	}
}

// finish completes an event. Before each further call of the model the client sends an
// empty prompt. What it sends as one without a person has no submitted_prompt.
func finish(p *dialect.Payload, e *fsm.Event) bool {
	switch e.Kind {
	case fsm.Prompt:
		if p.Submitted == "" && e.Text == "" {
			return false
		}
		if p.Submitted == "" {
			e.Origin = fsm.Own
		}
		e.Prompt = p.PromptID[strings.LastIndexByte(p.PromptID, '#')+1:] // SESSION########NUMBER
	case fsm.ToolResult:
		if e.Tool.Starts != nil && e.Tool.Name == "Agent" {
			display := gjson.GetBytes(p.Response, "returnDisplay")
			e.Tool.Result = fsm.Result{AgentID: display.Get("subagentName").Str + "-" + p.CallID,
				Done: display.Get("status").Str == "completed"}
		}
	case fsm.TurnStop, fsm.AgentStop:
		e.Tasks = running(p)
	}
	return true
}

// running is what runs beside the agent that stops.
func running(p *dialect.Payload) *fsm.Background {
	if p.Tasks == nil {
		return nil
	}
	out := &fsm.Background{}
	for _, t := range *p.Tasks {
		if t.Status == "running" && t.ID != p.AgentID {
			out.IDs = append(out.IDs, t.ID)
		}
	}
	return out
}
