package claude

import (
	"encoding/json"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// fill reads a payload that is as it should be: encoding/json learns the types anew in every process, which takes a tenth
// of a hook call. Whatever is unusual is left to encoding/json, which says what is wrong and where.
func (p *payload) fill(body []byte) bool {
	if !utf8.Valid(body) || settings.IsDeeper(body, deepest) || !gjson.ValidBytes(body) {
		return false
	}
	root := gjson.ParseBytes(body)
	usual := root.IsObject()
	root.ForEach(func(k, v gjson.Result) bool {
		usual = usual && p.set(k.Str, v)
		return usual
	})
	return usual
}

// set takes one member, if it is of the form that it should have.
func (p *payload) set(key string, v gjson.Result) bool {
	if to := p.text(key); to != nil {
		*to = v.Str
		return v.Type == gjson.String
	}
	switch key {
	case "tool_input":
		p.ToolInput = json.RawMessage(v.Raw)
	case "tool_response":
		p.Response = json.RawMessage(v.Raw)
	case "error":
		p.Error = json.RawMessage(v.Raw)
	case "timestamp":
		p.Timestamp = json.RawMessage(v.Raw)
	case "stop_hook_active":
		p.Held = v.Bool()
		return v.IsBool()
	case "background_tasks":
		return p.setTasks(v)
	case "session_crons":
		p.Crons = json.RawMessage(v.Raw)
	}
	return true
}

// text is where a member that is a text goes.
func (p *payload) text(key string) *string {
	switch key {
	case "session_id":
		return &p.SessionID
	case "transcript_path":
		return &p.Transcript
	case "cwd":
		return &p.Dir
	case "hook_event_name":
		return &p.Event
	case "agent_id":
		return &p.AgentID
	case "agent_type":
		return &p.AgentType
	case "source":
		return &p.Source
	case "reason":
		return &p.Reason
	case "prompt":
		return &p.Prompt
	case "prompt_id":
		return &p.PromptID
	case "command_name":
		return &p.Command
	case "tool_name":
		return &p.ToolName
	case "tool_use_id":
		return &p.ToolUseID
	case "last_assistant_message":
		return &p.LastMessage
	case "agent_transcript_path":
		return &p.AgentFile
	case "file_path":
		return &p.File
	}
	return nil
}

func (p *payload) setTasks(v gjson.Result) bool {
	tasks, usual := []task{}, v.IsArray()
	v.ForEach(func(_, item gjson.Result) bool {
		var t task
		usual = usual && item.IsObject()
		item.ForEach(func(k, v gjson.Result) bool {
			switch to := map[string]*string{"id": &t.ID, "type": &t.Type, "status": &t.Status}[k.Str]; {
			case to == nil:
			case v.Type != gjson.String:
				usual = false
			default:
				*to = v.Str
			}
			return usual
		})
		tasks = append(tasks, t)
		return usual
	})
	p.Tasks = &tasks
	return usual
}

// deepest is how deep a payload that is as it should be is nested.
const deepest = 500
