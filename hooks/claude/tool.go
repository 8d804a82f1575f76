package claude

import (
	"encoding/json"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// loose is a string where there is one. Tools of others may give any type to a field that we know.
type loose string

// UnmarshalJSON takes a string and passes over everything else.
func (l *loose) UnmarshalJSON(b []byte) error {
	if len(b) == 0 || b[0] != '"' {
		return nil
	}
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	*l = loose(s)
	return nil
}

// input is what a tool was given, as far as we look at it.
type input struct {
	Command  loose  `json:"command"`
	File     loose  `json:"file_path"`
	Notebook loose  `json:"notebook_path"`
	Path     loose  `json:"path"`
	Agent    *loose `json:"subagent_type"`
	Name     loose  `json:"name"`
	Skill    loose  `json:"skill"`
	To       loose  `json:"to"`
	TaskID   loose  `json:"task_id"`
	ShellID  loose  `json:"shell_id"`
}

// response is what a tool that deals with agents answered.
type response struct {
	Status  loose           `json:"status"`
	AgentID loose           `json:"agentId"`
	TaskID  loose           `json:"taskId"`
	Resumed loose           `json:"resumedAgentId"`
	Inline  json.RawMessage `json:"inlineHandback"`
}

// canonical gives the name that a tool has in this client to the names it had or has elsewhere.
func canonical(name string) string {
	switch name {
	case "Task", "SubagentTask", "AgentTask":
		return "Agent"
	case "SlashCommand":
		return "Skill"
	case "KillShell":
		return "TaskStop"
	}
	return name
}

func (c *call) tool(notes *[]string) fsm.Tool {
	var in input
	_ = json.Unmarshal(c.ToolInput, &in) // what is no object names nothing
	t := fsm.Tool{Name: canonical(c.ToolName), UseID: c.ToolUseID, Command: string(in.Command)}
	for _, p := range []loose{in.File, in.Notebook, in.Path} {
		if p != "" {
			t.Paths = append(t.Paths, string(p))
		}
	}
	t.Starts = c.starts(t.Name, in, notes)
	if t.Name == "Skill" {
		t.Command = ""
	}
	if c.payload.Event == "PostToolUse" {
		t.Result = c.result(t, in)
	}
	return t
}

// starts says which agent a call would start.
func (c *call) starts(tool string, in input, notes *[]string) *fsm.Start {
	switch tool {
	case "Agent":
		s := &fsm.Start{How: fsm.ByAgent, Type: "general-purpose", Name: string(in.Name)}
		if in.Agent != nil {
			s.Type = string(*in.Agent)
		} else if notes != nil {
			*notes = append(*notes, "no subagent_type was given: the client takes general-purpose")
		}
		return s
	case "Skill":
		name := string(in.Skill)
		if name == "" {
			name, _, _ = strings.Cut(strings.TrimPrefix(string(in.Command), "/"), " ")
		}
		if forks, agent, _ := c.host.skill(name); forks {
			return &fsm.Start{How: fsm.BySkill, Type: agent, Name: name}
		}
	case "Workflow":
		return &fsm.Start{How: fsm.ByWorkflow, Type: "workflow-subagent"}
	case "SendMessage":
		return &fsm.Start{How: fsm.ByMessage, Name: string(in.To)}
	}
	return nil
}

// result ties a finished call to the agent that it started. A teammate's agent_id is not the id its events carry.
func (c *call) result(t fsm.Tool, in input) fsm.Result {
	if t.Name == "TaskStop" {
		return fsm.Result{Task: string(in.TaskID)}
	}
	if t.Starts == nil {
		return fsm.Result{}
	}
	var r response
	_ = json.Unmarshal(c.Response, &r)
	id := r.AgentID
	if id == "" {
		id = r.Resumed
	}
	if id == "" && len(r.Inline) > 0 {
		id = in.To
	}
	return fsm.Result{AgentID: string(id), Task: string(r.TaskID),
		Done: r.Status == "completed" || r.Status == "forked" || len(r.Inline) > 0}
}
