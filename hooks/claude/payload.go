// Package claude is the adapter for Claude Code: it reads its payloads, writes its answers
// and knows its files. What it relies on was established by experiment with clients
// 2.1.197 and 2.1.329; the recorded payloads in testdata are from those.
package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// maxPayload bounds what is read of a payload. The client does not cut what it sends: a
// write of 1.5 MB came whole.
const maxPayload = 64 << 20

// payload is what the client sends, as far as we look at it.
type payload struct {
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
	Tasks       *[]task         `json:"background_tasks"`
	Crons       json.RawMessage `json:"session_crons"`
	File        string          `json:"file_path"`
	Timestamp   json.RawMessage `json:"timestamp"` // another client's: see isForeign
}

type task struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Status string `json:"status"`
}

// call is one call of a hook.
type call struct {
	payload
	host Host
}

// Read takes one payload.
func (h Host) Read(r io.Reader) (hooks.Call, error) {
	body, err := io.ReadAll(io.LimitReader(r, maxPayload+1))
	if err != nil {
		return nil, fmt.Errorf("read payload: %w", err)
	}
	if len(body) > maxPayload {
		return nil, fmt.Errorf("read payload: it is larger than %d MB", maxPayload>>20)
	}
	c := &call{host: h}
	if !c.payload.fillFast(body) {
		c.payload = payload{}
		if err := json.Unmarshal(body, &c.payload); err != nil {
			return nil, explainError(err, len(body))
		}
	}
	if !c.isForeign() && (c.SessionID == "" || c.payload.Event == "") {
		return nil, errors.New("read payload: it has no session_id or no hook_event_name")
	}
	return c, nil
}

// Bare is a call whose payload could not be read: only the event's name is known.
func (h Host) Bare(event string) hooks.Call {
	return &call{host: h, payload: payload{Event: eventName(event)}}
}

// explainError says what is wrong with a payload in the terms of JSON.
func explainError(err error, size int) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case size == 0:
		return errors.New("read payload: it is empty")
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("read payload: found %s, expected an object", wrong.Value)
	case errors.As(err, &wrong):
		expected := "a string"
		switch wrong.Type.Kind() {
		case reflect.Bool:
			expected = "true or false"
		case reflect.Slice:
			expected = "an array"
		case reflect.Struct:
			expected = "an object"
		}
		return fmt.Errorf("read payload: found %s in %s, expected %s", wrong.Value, wrong.Field, expected)
	}
	return fmt.Errorf("read payload: not JSON: %w", err)
}

// maxDepth is how deep a well-formed payload is nested at most.
const maxDepth = 500

// fillFast reads a well-formed payload. encoding/json learns the types again in every process,
// which takes a tenth of a hook call. Anything unusual is left to encoding/json, which
// says what is wrong and where.
func (p *payload) fillFast(body []byte) bool {
	if !utf8.Valid(body) || settings.IsDeeper(body, maxDepth) || !gjson.ValidBytes(body) {
		return false
	}
	root := gjson.ParseBytes(body)
	usual := root.IsObject()
	root.ForEach(func(k, v gjson.Result) bool {
		usual = usual && p.setField(k.Str, v)
		return usual
	})
	return usual
}

// setField is false for a value that is not of the type that it should have.
func (p *payload) setField(key string, v gjson.Result) bool {
	if to := p.textField(key); to != nil {
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

func (p *payload) textField(key string) *string {
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
