// Package dialect reads the payloads and writes the answers of the clients that do it as
// Claude Code does. In what each of them differs says a Dialect.
package dialect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// maxPayload bounds what is read of a payload. The client does not cut what it sends: a
// write of 1.5 MB came whole.
const maxPayload = 64 << 20

// Payload is what the client sends, as far as we look at it.
type Payload struct {
	SessionID   string          `json:"session_id"`
	Transcript  string          `json:"transcript_path"`
	Dir         string          `json:"cwd"`
	Event       string          `json:"hook_event_name"`
	AgentID     string          `json:"agent_id"`
	AgentType   string          `json:"agent_type"`
	Source      string          `json:"source"`
	Reason      string          `json:"reason"`
	Prompt      string          `json:"prompt"`
	PromptID    string          `json:"prompt_id"`
	Command     string          `json:"command_name"`
	ToolName    string          `json:"tool_name"`
	ToolInput   json.RawMessage `json:"tool_input"`
	Response    json.RawMessage `json:"tool_response"`
	ToolUseID   string          `json:"tool_use_id"`
	Error       json.RawMessage `json:"error"`
	Held        bool            `json:"stop_hook_active"`
	LastMessage string          `json:"last_assistant_message"`
	AgentFile   string          `json:"agent_transcript_path"`
	Tasks       *[]Task         `json:"background_tasks"`
	Crons       json.RawMessage `json:"session_crons"`
	File        string          `json:"file_path"`
	Mode        string          `json:"permission_mode"`
	Timestamp   json.RawMessage `json:"timestamp"` // Claude Code sends none
	ParentAgent string          `json:"parent_agent_id"`
	Turn        string          `json:"turn_id"`
	Submitted   string          `json:"submitted_prompt"`
	CallID      string          `json:"tool_call_id"`
	Session     string          `json:"sessionId"` // Copilot's, in some of its payloads
	Path        string          `json:"transcriptPath"`
	ToolResult  json.RawMessage `json:"tool_result"`

	Notes []string // fields that are not of their type
}

// A Task is one of those that run in the background.
type Task struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

// Decode takes one payload.
func Decode(r io.Reader) (Payload, error) {
	var p Payload
	body, err := io.ReadAll(io.LimitReader(r, maxPayload+1))
	switch {
	case err != nil:
		return p, fmt.Errorf("read payload: %w", err)
	case len(body) > maxPayload:
		return p, fmt.Errorf("read payload: it is larger than %d MB", maxPayload>>20)
	}
	if err := p.fill(body); err != nil {
		return p, fmt.Errorf("read payload: %w", err)
	}
	return p, nil
}

// CheckNamed wants a session and an event. A name in a form that cannot be read is replaced:
// the session's by the transcript's, the event's by what the hook is registered for.
func (p *Payload) CheckNamed(registered string) error {
	if p.SessionID == Unknown {
		p.SessionID = strings.TrimSuffix(filepath.Base(p.Transcript), ".jsonl")
		if p.Transcript == "" {
			p.SessionID = "unknown"
		}
	}
	if p.Event == Unknown {
		p.Event = registered
	}
	if p.SessionID == "" || p.Event == "" {
		return errors.New("read payload: it has no session_id or no hook_event_name")
	}
	return nil
}

// MaxDepth is how deep a usual payload is nested at most. gjson checks only those, because
// it recurses; encoding/json has a limit of its own.
const MaxDepth = 500

// fill reads a payload. encoding/json would learn the types again in every process, which
// takes a tenth of a hook call; it is asked only about what gjson does not take.
func (p *Payload) fill(body []byte) error {
	if !utf8.Valid(body) {
		body = bytes.ToValidUTF8(body, []byte("\ufffd"))
	}
	if settings.IsDeeper(body, MaxDepth) || !gjson.ValidBytes(body) {
		if len(body) == 0 {
			return errors.New("it is empty")
		}
		var whole json.RawMessage
		if err := json.Unmarshal(body, &whole); err != nil {
			return fmt.Errorf("not JSON: %w", err)
		}
	}
	root := gjson.ParseBytes(body)
	if !root.IsObject() && root.Type != gjson.Null {
		return fmt.Errorf("found %s, expected an object", typeOf(root))
	}
	root.ForEach(func(k, v gjson.Result) bool {
		p.setField(k.Str, v)
		return true
	})
	return nil
}

// setField takes one field. A field that is not of its type is left out and noted: the call
// is judged all the same.
func (p *Payload) setField(key string, v gjson.Result) {
	if to := p.textField(key); to != nil {
		*to = v.Str
		if v.Type != gjson.String {
			*to = p.strayIdentity(key, v)
			p.ignore(key, v, "a string")
		}
		return
	}
	switch key {
	case "tool_input":
		if p.ToolInput = json.RawMessage(v.Raw); !v.IsObject() && v.Type != gjson.Null {
			p.Notes = append(
				p.Notes,
				"found "+typeOf(v)+" in tool_input, expected an object: judged by the tool's name alone",
			)
		}
	case "tool_result":
		p.ToolResult = json.RawMessage(v.Raw)
	case "tool_response":
		p.Response = json.RawMessage(v.Raw)
	case "error":
		p.Error = json.RawMessage(v.Raw)
	case "timestamp":
		p.Timestamp = json.RawMessage(v.Raw)
	case "stop_hook_active":
		if p.Held = v.Type == gjson.True; !v.IsBool() {
			p.ignore(key, v, "true or false")
		}
	case "background_tasks":
		p.setTasks(v)
	case "session_crons":
		p.Crons = json.RawMessage(v.Raw)
	}
}

func (p *Payload) ignore(key string, v gjson.Result, expected string) {
	p.Notes = append(p.Notes, "found "+typeOf(v)+" in "+key+", expected "+expected+": ignored")
}

// Unknown stands for a name that the payload has in a form that cannot be read.
const Unknown = "?"

// strayIdentity is what stands for a name that is no string. Ignoring such a name would
// take an agent for the main agent, and a tool for none.
func (p *Payload) strayIdentity(key string, v gjson.Result) string {
	switch {
	case v.Type == gjson.Null:
		return ""
	case key == "tool_name" || key == "agent_id":
		return Unknown
	case key == "session_id" || key == "hook_event_name":
		return Unknown
	}
	return ""
}

// typeOf names a value's type in the terms of JSON.
func typeOf(v gjson.Result) string {
	switch {
	case v.IsArray():
		return "array"
	case v.IsObject():
		return "object"
	case v.IsBool():
		return "bool"
	}
	return strings.ToLower(v.Type.String())
}

func (p *Payload) textField(key string) *string {
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
	case "permission_mode":
		return &p.Mode
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
	case "parent_agent_id":
		return &p.ParentAgent
	case "turn_id":
		return &p.Turn
	case "submitted_prompt":
		return &p.Submitted
	case "tool_call_id":
		return &p.CallID
	case "sessionId":
		return &p.Session
	case "transcriptPath":
		return &p.Path
	}
	return nil
}

// setTasks reads what runs in the background. A list with one entry that cannot be read is
// ignored: by a shorter list an agent that runs would count as lost.
func (p *Payload) setTasks(v gjson.Result) {
	p.Tasks = nil
	if v.Type == gjson.Null {
		return
	}
	tasks, usual := []Task{}, v.IsArray()
	v.ForEach(func(_, item gjson.Result) bool {
		var t Task
		usual = usual && item.IsObject()
		item.ForEach(func(k, v gjson.Result) bool {
			var to *string
			switch k.Str {
			case "id":
				to = &t.ID
			case "type":
				to = &t.Type
			case "status":
				to = &t.Status
			default:
				return true
			}
			*to = v.Str
			usual = usual && v.Type == gjson.String
			return true
		})
		tasks = append(tasks, t)
		return usual
	})
	if !usual {
		p.ignore("background_tasks", v, "an array of tasks")
		return
	}
	p.Tasks = &tasks
}
