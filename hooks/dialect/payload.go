// Package dialect reads the payloads and writes the answers of the clients that do it as
// Claude Code does. In what each of them differs says a Dialect.
package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/settings"
)

// maxPayload bounds what is read of a payload. The client does not cut what it sends: a
// write of 1.5 MB came whole.
const maxPayload = 64 << 20

// Payload is what the client sends, as far as we look at it: see Decode.
type Payload struct {
	SessionID, Transcript, Dir, Event, AgentID, AgentType, ParentAgent, AgentFile string
	Source, Reason, Mode, Prompt, PromptID, Command, Submitted, Turn, LastMessage string
	ToolName, ToolUseID, CallID, File                                             string
	// Copilot's, in some of its payloads:
	Session, Path string

	ToolInput, Response, ToolResult, Error, Crons json.RawMessage
	Timestamp                                     json.RawMessage // Claude Code sends none

	Held  bool
	Tasks *[]Task
	Notes []string // fields that are not of their type
}

// A Task is one of those that run in the background.
type Task struct{ ID, Type, Status string }

// Decode takes one payload. A field that is not of its type is left out and noted: the call is judged all the same.
func Decode(r io.Reader) (Payload, error) {
	var p Payload
	root, err := ReadJSON(r, maxPayload)
	if err == nil && !root.IsObject() && root.Type != gjson.Null {
		err = fmt.Errorf("found %s, expected an object", typeOf(root))
	}
	if err != nil {
		return p, fmt.Errorf("read payload: %w", err)
	}
	fields := map[string]any{ // where each is put: a text, a truth, or JSON as it is
		"session_id": &p.SessionID, "transcript_path": &p.Transcript, "cwd": &p.Dir, "hook_event_name": &p.Event,
		"agent_id": &p.AgentID, "agent_type": &p.AgentType, "source": &p.Source, "permission_mode": &p.Mode,
		"reason": &p.Reason, "prompt": &p.Prompt, "prompt_id": &p.PromptID, "command_name": &p.Command,
		"tool_name": &p.ToolName, "tool_use_id": &p.ToolUseID, "last_assistant_message": &p.LastMessage,
		"agent_transcript_path": &p.AgentFile, "file_path": &p.File, "parent_agent_id": &p.ParentAgent,
		"turn_id": &p.Turn, "submitted_prompt": &p.Submitted, "tool_call_id": &p.CallID, "sessionId": &p.Session,
		"transcriptPath": &p.Path, "tool_input": &p.ToolInput, "tool_result": &p.ToolResult,
		"tool_response": &p.Response, "error": &p.Error, "timestamp": &p.Timestamp, "session_crons": &p.Crons,
		"stop_hook_active": &p.Held,
	}
	root.ForEach(func(k, v gjson.Result) bool {
		key := k.Str
		switch to := fields[key].(type) {
		case *json.RawMessage:
			*to = json.RawMessage(v.Raw)
		case *bool:
			if *to = v.Type == gjson.True; !v.IsBool() {
				p.ignore(key, v, "true or false")
			}
		case *string:
			if *to = v.Str; v.Type != gjson.String {
				// Ignoring such a name would take an agent for the main agent, and a tool for none.
				if v.Type != gjson.Null &&
					slices.Contains([]string{"tool_name", "agent_id", "session_id", "hook_event_name"}, key) {
					*to = Unknown
				}
				p.ignore(key, v, "a string")
			}
		}
		switch {
		case key == "tool_input" && !v.IsObject() && v.Type != gjson.Null:
			p.Notes = append(p.Notes,
				"found "+typeOf(v)+" in tool_input, expected an object: judged by the tool's name alone")
		case key == "background_tasks":
			p.setTasks(v)
		}
		return true
	})
	return p, nil
}

// An Event is a hook that we register.
type Event struct {
	Name    string // the host's
	Called  string // on our command line: pre-tool-use
	Timeout int    // seconds; 0 in the table is the default of the host
	needs   hooks.Set
	takes   hooks.Set // what a host must be able to do to take text with it; 0 where none takes any
}

// events lists the hooks that we register with a host that can do what they need. A client that waits
// longer than the timeout goes on without us: checks may run after a tool, a gate at an agent's end.
var events = []Event{
	{Name: "SessionStart", Called: "session-start", takes: hooks.InjectsStart},
	{Name: "UserPromptSubmit", Called: "user-prompt-submit", takes: hooks.InjectsPrompt},
	{Name: "UserPromptExpansion", Called: "user-prompt-expansion", needs: hooks.Ordered},
	{Name: "PreToolUse", Called: "pre-tool-use"},
	{Name: "PostToolUse", Called: "post-tool-use", Timeout: 120, takes: hooks.InjectsResult},
	{Name: "PostToolUseFailure", Called: "post-tool-use-failure", needs: hooks.TellsFailure,
		takes: hooks.InjectsResult},
	{Name: "SubagentStart", Called: "subagent-start", needs: hooks.TellsStart, takes: hooks.InjectsAgent},
	{Name: "SubagentStop", Called: "subagent-stop", Timeout: 600, needs: hooks.TellsStop},
	{Name: "Stop", Called: "stop", Timeout: 600},
	{Name: "StopFailure", Called: "stop-failure", needs: hooks.TellsFailure | hooks.Ordered}, // no other client has it
	{Name: "SessionEnd", Called: "session-end", needs: hooks.TellsEnd},
	{Name: "ConfigChange", Called: "config-change", needs: hooks.TellsChange},
}

// Events lists the hooks that we register with a host that can do so much, each with its timeout in seconds.
func Events(can hooks.Set, usual int) (out []Event) {
	for _, e := range events {
		if e.Timeout = cmp.Or(e.Timeout, usual); can.Has(e.needs) {
			out = append(out, e)
		}
	}
	return out
}

// EventName is the name of an event that a host which can do so much has called us with; "" for no event of its.
func EventName(can hooks.Set, called string) string {
	for _, e := range events {
		if (e.Called == called || e.Name == called) && can.Has(e.needs) {
			return e.Name
		}
	}
	return ""
}

// CheckNamed wants a session and an event. A name in a form that cannot be read is replaced:
// the session's by the transcript's, the event's by what the hook is registered for.
func (p *Payload) CheckNamed(can hooks.Set, called string) error {
	if p.SessionID == Unknown {
		p.SessionID = strings.TrimSuffix(filepath.Base(p.Transcript), ".jsonl")
		if p.Transcript == "" {
			p.SessionID = "unknown"
		}
	}
	if p.Event == Unknown {
		p.Event = EventName(can, called)
	}
	if p.SessionID == "" || p.Event == "" {
		return errors.New("read payload: it has no session_id or no hook_event_name")
	}
	return nil
}

// maxDepth is how deep a usual payload is nested at most. gjson checks only those, because
// its check recurses; encoding/json has a limit of its own.
const maxDepth = 500

// ReadJSON reads what a client sends, of at most so many bytes. encoding/json would learn the
// types again in every process, which takes a tenth of a hook call; it is asked only about what
// gjson does not take.
func ReadJSON(r io.Reader, most int64) (root gjson.Result, err error) {
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	switch {
	case err != nil:
		return root, err
	case int64(len(body)) > most:
		return root, fmt.Errorf("it is larger than %d MB", most>>20)
	case len(body) == 0:
		return root, errors.New("it is empty")
	case !utf8.Valid(body):
		body = bytes.ToValidUTF8(body, []byte("\ufffd"))
	}
	isFlat := bytes.Count(body, []byte("{"))+bytes.Count(body, []byte("[")) <= maxDepth // as most are
	if !isFlat && settings.FindDeeper(body, maxDepth) >= 0 || !gjson.ValidBytes(body) {
		var whole json.RawMessage
		// A model can nest its input very deep. The call is judged all the same: gjson does not recurse to read.
		if err := json.Unmarshal(body, &whole); err != nil && !strings.HasSuffix(err.Error(), "exceeded max depth") {
			return root, fmt.Errorf("not JSON: %w", err)
		}
	}
	return gjson.ParseBytes(body), nil
}

func (p *Payload) ignore(key string, v gjson.Result, expected string) {
	p.Notes = append(p.Notes, "found "+typeOf(v)+" in "+key+", expected "+expected+": ignored")
}

// Unknown stands for a name that the payload has in a form that cannot be read.
const Unknown = "?"

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
		o := ObjectOf(item)
		for name, to := range map[string]*string{"id": &t.ID, "type": &t.Type, "status": &t.Status} {
			*to = o[name].Str
			usual = usual && (o[name].Type == gjson.String || !o[name].Exists())
		}
		tasks = append(tasks, t)
		return usual
	})
	if !usual {
		p.ignore("background_tasks", v, "an array of tasks")
		return
	}
	p.Tasks = &tasks
}
