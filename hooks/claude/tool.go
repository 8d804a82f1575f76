package claude

import (
	"cmp"
	"slices"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/dialect"
)

// Tools are the client's own (2.1.197 to 2.1.329, in print mode and in the terminal).
func Tools() []string {
	return strings.Fields(`Agent AskUserQuestion Bash CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree
		ExitPlanMode ExitWorktree Glob Grep ListAgents Monitor MultiEdit NotebookEdit PowerShell Read
		ReportFindings ScheduleWakeup SendMessage Skill StructuredOutput TaskCreate TaskGet TaskList
		TaskOutput TaskStop TaskUpdate TodoWrite ToolSearch WebFetch WebSearch Workflow Write`)
}

func (c *call) readTool() fsm.Tool {
	raw := gjson.ParseBytes(c.ToolInput)
	in := dialect.ObjectOf(raw)
	t := fsm.Tool{Name: fsm.CanonicalTool(c.ToolName), UseID: c.ToolUseID, Command: in.Text("command")}
	if strings.HasPrefix(t.Name, "mcp__") || !slices.Contains(Tools(), t.Name) {
		t.Args = dialect.ListTexts(raw)
	}
	for _, key := range []string{"file_path", "notebook_path", "path"} {
		if p := in.Text(key); p != "" {
			t.Paths = append(t.Paths, p)
		}
	}
	c.CompleteTool(&t, in)
	switch t.Name {
	case "Agent":
		t.Starts = &fsm.Start{How: fsm.ByAgent, Type: "general-purpose", Name: in.Text("name")}
		if in.HasKey("subagent_type") {
			t.Starts.Type = in.Text("subagent_type")
		}
	case "Skill":
		t.Command, t.Opaque, t.Skill = "", false, strings.TrimSpace(in.Text("skill"))
		if t.Skill == "" { // the old form is a command line
			t.Skill, _, _ = strings.Cut(strings.TrimSpace(in.Text("command")), " ")
		}
		t.Skill = strings.TrimPrefix(t.Skill, "/")
		if forks, agent, _ := c.host.readSkill(t.Skill); forks {
			t.Starts = &fsm.Start{How: fsm.BySkill, Type: agent, Name: t.Skill}
		}
	case "Workflow":
		t.Starts = &fsm.Start{How: fsm.ByWorkflow, Type: "workflow-subagent"}
	case "CronCreate", "ScheduleWakeup":
		t.Prompt = in.Text("prompt")
	case "SendMessage":
		t.Starts = &fsm.Start{How: fsm.ByMessage, Name: in.Text("to")}
		t.Message = in.Text("message", "content")
	}
	if c.payload.Event == "PostToolUse" {
		t.Result = c.readResult(t, in)
		c.addPlanned(&t, in)
	}
	return t
}

// readResult ties a finished call to the agent that it started. The agent_id of a teammate is
// not the id that its events carry.
func (c *call) readResult(t fsm.Tool, in object) fsm.Result {
	if t.Name == "TaskStop" {
		return fsm.Result{Task: in.Text("task_id", "shell_id")}
	}
	if t.Starts == nil {
		return fsm.Result{}
	}
	r := dialect.ObjectOf(gjson.ParseBytes(c.Response))
	inline := r.HasKey("inlineHandback")
	id := r.Text("agentId", "resumedAgentId")
	if id == "" && inline { // it may have been called by its name; the pin has its id
		id = cmp.Or(dialect.ObjectOf(r["pin"]).Text("id"), in.Text("to"))
	}
	status := r.Text("status")
	return fsm.Result{AgentID: id, Task: r.Text("taskId"), Done: status == "completed" || status == "forked" || inline}
}

// maxPlan bounds what is read of a plan's file. One that cannot be read holds no graph.
const maxPlan = 256 << 10

// addPlanned adds what a finished call says about the work to be done: an approved plan,
// the client's own tasks.
func (c *call) addPlanned(t *fsm.Tool, in object) {
	switch t.Name {
	case "ExitPlanMode":
		out := gjson.ParseBytes(c.Response)
		t.Planned, t.Plan = true, cmp.Or(out.Get("plan").Str, in.Text("plan"))
		if t.Plan == "" { // it was written to a file (2.1.329)
			t.Plan = hooks.ReadHead(out.Get("filePath").Str, maxPlan)
		}
		// In a mode that no person attends the client lets every call pass. In its window it always asks about a plan.
		t.Unasked = slices.Contains([]string{"bypassPermissions", "dontAsk", "auto"}, c.Mode) &&
			c.host.CheckAttended() != nil
	case "TaskCreate", "TaskUpdate":
		t.Task = c.hostTask(t.Name)
	case "TodoWrite":
		t.Listed = true
		in["todos"].ForEach(func(_, todo gjson.Result) bool {
			if todo.Get("status").Str != "completed" {
				t.Todos = append(t.Todos, todo.Get("content").Str)
			}
			return true
		})
	}
}

// hostTask is what a result of TaskCreate or TaskUpdate says about the client's list of
// tasks. It is nil where nothing was changed: the client answers success false where a
// TaskCompleted hook has objected.
func (c *call) hostTask(tool string) *tasks.HostTask {
	in, out := gjson.ParseBytes(c.ToolInput), gjson.ParseBytes(c.Response)
	t := tasks.HostTask{Subject: in.Get("subject").Str, Description: in.Get("description").Str,
		Agent: in.Get("metadata.agent").Str}
	switch tool {
	case "TaskCreate": // the id, and the texts as they were saved (the description from 2.1.329 on)
		t.ID, t.Status = out.Get("task.id").Str, "pending"
		t.Subject = cmp.Or(out.Get("task.subject").Str, t.Subject)
		t.Description = cmp.Or(out.Get("task.description").Str, t.Description)
	case "TaskUpdate":
		if out.Get("success").Type == gjson.False {
			return nil
		}
		t.ID, t.Owner, t.Status = in.Get("taskId").Str, in.Get("owner").Str, in.Get("status").Str
		t.BlockedBy, t.Blocks = textsAt(in, "addBlockedBy"), textsAt(in, "addBlocks")
	}
	if t.ID == "" {
		return nil
	}
	return &t
}

// textsAt lists the texts of a list.
func textsAt(v gjson.Result, path string) (out []string) {
	for _, x := range v.Get(path).Array() {
		if x.Type == gjson.String {
			out = append(out, x.Str)
		}
	}
	return out
}
