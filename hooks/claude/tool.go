package claude

import (
	"cmp"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// Tools are the client's own (2.1.197 to 2.1.329, in print mode and in the terminal).
func Tools() []string {
	return []string{"Agent", "AskUserQuestion", "Bash", "CronCreate", "CronDelete", "CronList", "Edit", "EnterPlanMode",
		"EnterWorktree", "ExitPlanMode", "ExitWorktree", "Glob", "Grep", "ListAgents", "Monitor", "MultiEdit",
		"NotebookEdit", "PowerShell", "Read", "ReportFindings", "ScheduleWakeup", "SendMessage", "Skill",
		"StructuredOutput", "TaskCreate", "TaskGet", "TaskList", "TaskOutput", "TaskStop", "TaskUpdate", "TodoWrite",
		"ToolSearch", "WebFetch", "WebSearch", "Workflow", "Write"}
}

// object is what a tool was given or has answered. As for the client, a key counts only in
// its exact spelling, and of two that are equal the last counts.
type object map[string]gjson.Result

// objectOf has no members where the JSON is no object.
func objectOf(v gjson.Result) object {
	if !v.IsObject() {
		return nil
	}
	o := object{}
	v.ForEach(func(k, v gjson.Result) bool { o[k.Str] = v; return true })
	return o
}

// text is the first of the keys that holds a string. A tool of others may give any type to
// a key that we know.
func (o object) text(keys ...string) string {
	for _, k := range keys {
		if v := o[k]; v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

func (o object) hasKey(key string) bool {
	v, ok := o[key]
	return ok && v.Type != gjson.Null
}

func (c *call) readTool(notes *[]string) fsm.Tool {
	in := objectOf(gjson.ParseBytes(c.ToolInput))
	t := fsm.Tool{Name: fsm.CanonicalTool(c.ToolName), UseID: c.ToolUseID, Command: in.text("command")}
	if v, ok := in["command"]; ok && v.Type != gjson.String && t.Name != "Skill" || c.ToolName == unknown {
		t.Opaque = true
	}
	if strings.HasPrefix(t.Name, "mcp__") || !slices.Contains(Tools(), t.Name) {
		t.Args = listTexts(nil, "", gjson.ParseBytes(c.ToolInput), 0)
	}
	for _, key := range []string{"file_path", "notebook_path", "path"} {
		if p := in.text(key); p != "" {
			t.Paths = append(t.Paths, p)
		}
	}
	t.Starts = c.startedAgent(t.Name, in, notes)
	switch t.Name {
	case "Skill":
		t.Command, t.Skill = "", skillName(in)
	case "CronCreate", "ScheduleWakeup":
		t.Prompt = in.text("prompt")
	case "SendMessage":
		t.Message = in.text("message", "content")
	}
	if c.payload.Event == "PostToolUse" {
		t.Result = c.readResult(t, in)
		c.addPlanned(&t, in)
	}
	return t
}

// listTexts lists the texts in a value, each with the names that lead to it. The elements
// of a list have the list's name.
func listTexts(out []fsm.Arg, name string, v gjson.Result, depth int) []fsm.Arg {
	if v.Type == gjson.String {
		return append(out, fsm.Arg{Name: name, Text: v.Str})
	}
	if !v.IsObject() && !v.IsArray() {
		return out
	}
	if depth > 100 {
		return append(out, fsm.Arg{Name: name, Text: v.Raw})
	}
	isObject := v.IsObject()
	v.ForEach(func(key, v gjson.Result) bool {
		below := name
		if isObject {
			below = strings.TrimPrefix(name+"."+key.Str, ".")
		}
		out = listTexts(out, below, v, depth+1)
		return true
	})
	return out
}

// requestedTool is a tool that is about to be used. A tool that is neither the client's nor
// a server's is noted: a tool that was renamed evades every rule that names it.
func (c *call) requestedTool(notes *[]string) fsm.Tool {
	t := c.readTool(notes)
	t.Unknown = t.Name != "" && !slices.Contains(Tools(), t.Name) && !strings.HasPrefix(t.Name, "mcp__")
	if t.Unknown {
		*notes = append(*notes, "unknown tool "+t.Name+": it follows the default")
	}
	return t
}

// startedAgent is the agent that a call would start.
func (c *call) startedAgent(tool string, in object, notes *[]string) *fsm.Start {
	switch tool {
	case "Agent":
		s := &fsm.Start{How: fsm.ByAgent, Type: "general-purpose", Name: in.text("name")}
		if in.hasKey("subagent_type") {
			s.Type = in.text("subagent_type")
		} else if notes != nil {
			*notes = append(*notes, "no subagent_type was given: the client takes general-purpose")
		}
		return s
	case "Skill":
		name := skillName(in)
		if forks, agent, _ := c.host.readSkill(name); forks {
			return &fsm.Start{How: fsm.BySkill, Type: agent, Name: name}
		}
	case "Workflow":
		return &fsm.Start{How: fsm.ByWorkflow, Type: "workflow-subagent"}
	case "SendMessage":
		return &fsm.Start{How: fsm.ByMessage, Name: in.text("to")}
	}
	return nil
}

// skillName is the skill that a call names. The old form is a command line.
func skillName(in object) string {
	name := strings.TrimSpace(in.text("skill"))
	if name == "" {
		name, _, _ = strings.Cut(strings.TrimSpace(in.text("command")), " ")
	}
	return strings.TrimPrefix(name, "/")
}

// readResult ties a finished call to the agent that it started. The agent_id of a teammate is
// not the id that its events carry.
func (c *call) readResult(t fsm.Tool, in object) fsm.Result {
	if t.Name == "TaskStop" {
		return fsm.Result{Task: in.text("task_id", "shell_id")}
	}
	if t.Starts == nil {
		return fsm.Result{}
	}
	r := objectOf(gjson.ParseBytes(c.Response))
	inline := r.hasKey("inlineHandback")
	id := r.text("agentId", "resumedAgentId")
	if id == "" && inline { // it may have been called by its name; the pin has its id
		id = cmp.Or(objectOf(r["pin"]).text("id"), in.text("to"))
	}
	status := r.text("status")
	return fsm.Result{AgentID: id, Task: r.text("taskId"), Done: status == "completed" || status == "forked" || inline}
}

// Input is what the tool was given, as far as a rule can ask for it: no structures.
func (c *call) Input() map[string]string {
	out := map[string]string{}
	for key, v := range objectOf(gjson.ParseBytes(c.ToolInput)) {
		switch v.Type {
		case gjson.String:
			out[key] = v.Str
		case gjson.True, gjson.False:
			out[key] = strconv.FormatBool(v.Bool())
		case gjson.Number:
			out[key] = v.Raw
		}
	}
	return out
}

// maxPlan bounds what is read of a plan's file.
const maxPlan = 256 << 10

// addPlanned adds what a finished call says about the work to be done: an approved plan,
// the client's own tasks.
func (c *call) addPlanned(t *fsm.Tool, in object) {
	switch t.Name {
	case "ExitPlanMode":
		text, file := Plan(c.ToolInput, c.Response)
		if text == "" && file != "" {
			text = readPlan(file)
		}
		t.Planned, t.Plan = true, text
	case "TaskCreate", "TaskUpdate":
		if task, ok := HostTask(t.Name, c.ToolInput, c.Response); ok {
			t.Task = &task
		}
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

// readPlan reads the file that plan mode writes. One that cannot be read holds no graph.
func readPlan(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	body, _ := io.ReadAll(io.LimitReader(f, maxPlan))
	return string(body)
}

// Plan is the plan that a person has approved, by a result of ExitPlanMode: its text, or
// the file that it was written to where the payload has no text (2.1.329).
func Plan(input, response []byte) (plan, file string) {
	in, out := gjson.ParseBytes(input), gjson.ParseBytes(response)
	if plan = cmp.Or(textAt(out, "plan"), textAt(in, "plan")); plan != "" {
		return plan, ""
	}
	return "", textAt(out, "filePath")
}

// HostTask is what a result of TaskCreate or TaskUpdate says about the client's list of
// tasks. It is false for another tool and where nothing was changed: the client answers
// success false where a TaskCompleted hook has objected.
func HostTask(tool string, input, response []byte) (tasks.HostTask, bool) {
	in, out := gjson.ParseBytes(input), gjson.ParseBytes(response)
	t := tasks.HostTask{Subject: textAt(in, "subject"), Description: textAt(in, "description"), Agent: textAt(in,
		"metadata.agent")}
	switch tool {
	case "TaskCreate": // the id, and the texts as they were saved (the description from 2.1.329 on)
		t.ID, t.Status = textAt(out, "task.id"), "pending"
		t.Subject = cmp.Or(textAt(out, "task.subject"), t.Subject)
		t.Description = cmp.Or(textAt(out, "task.description"), t.Description)
	case "TaskUpdate":
		if out.Get("success").Type == gjson.False {
			return tasks.HostTask{}, false
		}
		t.ID, t.Owner, t.Status = textAt(in, "taskId"), textAt(in, "owner"), textAt(in, "status")
		t.BlockedBy, t.Blocks = textsAt(in, "addBlockedBy"), textsAt(in, "addBlocks")
	}
	return t, t.ID != ""
}

func textAt(v gjson.Result, path string) string {
	if f := v.Get(path); f.Type == gjson.String {
		return f.Str
	}
	return ""
}

func textsAt(v gjson.Result, path string) (out []string) {
	if list := v.Get(path); list.IsArray() {
		for _, x := range list.Array() {
			if x.Type == gjson.String {
				out = append(out, x.Str)
			}
		}
	}
	return out
}
