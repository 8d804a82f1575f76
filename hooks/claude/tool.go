package claude

import (
	"strings"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
)

// object is what a tool was given or has answered. A key counts only as the client spells it, the last of two that are
// the same: as the client itself reads them.
type object map[string]gjson.Result

func objectOf(raw []byte) object {
	v := gjson.ParseBytes(raw) // a part of what was found to be JSON
	if !v.IsObject() {
		return nil // what is no object names nothing
	}
	return members(v)
}

func members(v gjson.Result) object {
	o := object{}
	v.ForEach(func(k, v gjson.Result) bool { o[k.Str] = v; return true })
	return o
}

// text is a string where there is one. Tools of others may give any type to a key that we know.
func (o object) text(keys ...string) string {
	for _, k := range keys {
		if v := o[k]; v.Type == gjson.String && v.Str != "" {
			return v.Str
		}
	}
	return ""
}

func (o object) has(key string) bool {
	v, ok := o[key]
	return ok && v.Type != gjson.Null
}

func (c *call) tool(notes *[]string) fsm.Tool {
	in := objectOf(c.ToolInput)
	t := fsm.Tool{Name: fsm.CanonicalTool(c.ToolName), UseID: c.ToolUseID, Command: in.text("command")}
	for _, key := range []string{"file_path", "notebook_path", "path"} {
		if p := in.text(key); p != "" {
			t.Paths = append(t.Paths, p)
		}
	}
	t.Starts = c.starts(t.Name, in, notes)
	switch t.Name {
	case "Skill":
		t.Command, t.Skill = "", skillName(in)
	case "CronCreate", "ScheduleWakeup":
		t.Prompt = in.text("prompt")
	case "SendMessage":
		t.Message = in.text("message", "content")
	}
	if c.payload.Event == "PostToolUse" {
		t.Result = c.result(t, in)
		c.planned(&t, in)
	}
	return t
}

// requested is a tool that is about to be used, with what is noticed of it.
func (c *call) requested(notes *[]string) fsm.Tool {
	t := c.tool(notes)
	if t.Unknown = t.Name != "" && !known(t.Name); t.Unknown {
		*notes = append(*notes, "unknown tool "+t.Name+": it follows the default")
	}
	return t
}

// starts says which agent a call would start.
func (c *call) starts(tool string, in object, notes *[]string) *fsm.Start {
	switch tool {
	case "Agent":
		s := &fsm.Start{How: fsm.ByAgent, Type: "general-purpose", Name: in.text("name")}
		if in.has("subagent_type") {
			s.Type = in.text("subagent_type")
		} else if notes != nil {
			*notes = append(*notes, "no subagent_type was given: the client takes general-purpose")
		}
		return s
	case "Skill":
		name := skillName(in)
		if forks, agent, _ := c.host.skill(name); forks {
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

// result ties a finished call to the agent that it started. A teammate's agent_id is not the id its events carry.
func (c *call) result(t fsm.Tool, in object) fsm.Result {
	if t.Name == "TaskStop" {
		return fsm.Result{Task: in.text("task_id", "shell_id")}
	}
	if t.Starts == nil {
		return fsm.Result{}
	}
	r := objectOf(c.Response)
	inline := r.has("inlineHandback")
	id := r.text("agentId", "resumedAgentId")
	if id == "" && inline { // it may have been called by its name; the pin has its id
		if id = members(r["pin"]).text("id"); id == "" {
			id = in.text("to")
		}
	}
	status := r.text("status")
	return fsm.Result{AgentID: id, Task: r.text("taskId"), Done: status == "completed" || status == "forked" || inline}
}
