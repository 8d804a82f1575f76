// Package qwen is the adapter for Qwen Code. What it relies on was established by
// experiment with 0.24.4; the recorded payloads in testdata are from that.
package qwen

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// Host is Qwen Code.
type Host struct{ dialect.Adapter }

var _ hooks.Prober = Host{}

// New is the adapter in its surroundings.
func New(s hooks.Surroundings) Host { return Host{dialect.Adapter{Surroundings: s, Dialect: &qwen}} }

// qwen is what Qwen Code says in its own way. Without a person an ask is a denial with the
// reason. An agent takes text at its start where its definition has a place for it: see
// hookContext. Without a window the client reports no session's end.
var qwen = dialect.Dialect{
	Host: "qwen",
	Voice: dialect.Voice{Can: hooks.TellsCaller | hooks.TellsStart | hooks.TellsStop | hooks.TellsFailure |
		hooks.TellsTasks | hooks.TellsInput | hooks.Asks | hooks.InjectsStart | hooks.InjectsPrompt |
		hooks.InjectsAgent | hooks.InjectsResult | hooks.Holds | hooks.HoldsAgents | hooks.Echoes},
	Folders: hooks.Places{Project: ".qwen", User: ".qwen", Agents: "agents", Commands: "commands", Skills: "skills"},
	RootEnv: "QWEN_PROJECT_DIR", Settings: "settings.json", Millis: true, Comments: true,
	Unattended: "no payload says whether a person attends Qwen Code",
	Arguments:  "{{args}}",
	Default:    "general-purpose",
	Agents:     []string{"general-purpose", "Explore", "fork", "statusline-setup", "review-agent"},
	Starter:    fsm.StartTool{Tool: "agent", Agent: "subagent_type", Describe: "description", Prompt: "prompt"},
	Finish:     finish,
	Forked:     forked,
	// tool_call leaves no trace: its hooks name the tool that it calls. task is agent, by its old name.
	Tools: `
		Bash                run_shell_command
		Monitor             monitor
		Read                read_file zoom_image
		Write               write_file
		Edit                edit
		NotebookEdit        notebook_edit
		Glob                glob
		Grep                grep_search
		LS                  list_directory
		LSP                 lsp
		Agent               starts=subagent_type agent task create_sub_session
		Workflow            workflow
		SendMessage         wakes=task_id send_message
		TaskStop            task_stop
		ListAgents          list_agents
		TeamCreate          team_create
		TeamDelete          team_delete
		TaskCreate          task_create
		TaskUpdate          task_update
		TaskList            task_list
		TodoWrite           todo_write
		CronCreate          cron_create
		CronDelete          cron_delete
		CronList            cron_list
		ScheduleWakeup      loop_wakeup
		Skill               skill
		ToolSearch          tool_search
		WebFetch            web_fetch
		WebSearch           web_search
		ReadMcpResourceTool read_mcp_resource
		AskUserQuestion     ask_user_question
		EnterPlanMode       enter_plan_mode
		ExitPlanMode        exit_plan_mode
		EnterWorktree       enter_worktree
		ExitWorktree        exit_worktree
		StructuredOutput    structured_output
		ReportFindings      report_findings
		own                 record_artifact record_source save_memory get_goal update_goal propose_goal`,
}

// IsGenuine tells a hook from a call in an agent's shell: only the shell has QWEN_CODE,
// and only a hook the project's variable.
func (h Host) IsGenuine() bool { return h.Env("QWEN_CODE") == "" || h.Env("QWEN_PROJECT_DIR") != "" }

// After names the agents whose definitions have no place for the text that hooks give them.
func (h Host) After(string) []string {
	uninformed := h.listUninformedAgents()
	if uninformed == nil {
		return nil
	}
	return []string{"Qwen Code tells an agent what others found only where its definition has a line with " +
		hookContext + "; add it to " + strings.Join(uninformed, ", ")}
}

// hookContext is where the client puts the text that a hook has for an agent that starts.
const hookContext = "${hook_context}"

// DefineAgent writes a definition with a place for the text that hooks give the agent.
func (h Host) DefineAgent(source []byte) []byte {
	return append(h.Adapter.DefineAgent(source), "\n"+hookContext+"\n"...)
}

// forked is in the lines that a fork copies from another session's transcript, while the client calls it resumed.
const forked = "forkedFrom.sessionId"

// finish completes an event. Before each further call of the model the client sends an
// empty prompt. What it sends as one without a person has no submitted_prompt.
func finish(p *dialect.Payload, e *fsm.Event) bool {
	if in := dialect.ObjectOf(gjson.ParseBytes(p.ToolInput)); e.Tool.Command != "" && in.Text("directory") != "" {
		if e.Dir = in.Text("directory"); !system.IsAbs(e.Dir) {
			e.Dir = system.Join(p.Dir, e.Dir)
		}
	}
	switch e.Kind {
	case fsm.SessionStart:
		if p.Source == "resume" && p.ReadTranscript(forked) != "" {
			p.Source, e.Source = "fork", "fork"
		}
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
			status := display.Get("status").Str // completed, failed, cancelled
			e.Tool.Result = fsm.Result{AgentID: display.Get("subagentName").Str + "-" + p.CallID,
				Done: status != "" && status != "running" && status != "background"}
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
