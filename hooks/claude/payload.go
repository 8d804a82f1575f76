// Package claude is the adapter for Claude Code: its payloads read, its answers written. What it relies on was
// established by experiment with clients 2.1.197 and 2.1.329; the recorded payloads in testdata are from those.
package claude

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
)

// maxPayload is how much of a payload is read. The client does not cut what it sends: a write of 1.5 MB was seen whole.
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
	Timestamp   json.RawMessage `json:"timestamp"` // another client's: see foreign
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
	if !c.payload.fill(body) {
		c.payload = payload{}
		if err := json.Unmarshal(body, &c.payload); err != nil {
			return nil, bad(err, len(body))
		}
	}
	if !c.foreign() && (c.SessionID == "" || c.payload.Event == "") {
		return nil, errors.New("read payload: it has no session_id or no hook_event_name")
	}
	return c, nil
}

func bad(err error, size int) error {
	var wrong *json.UnmarshalTypeError
	switch {
	case size == 0:
		return errors.New("read payload: it is empty")
	case errors.As(err, &wrong) && wrong.Field == "":
		return fmt.Errorf("read payload: found %s, expected an object", wrong.Value)
	case errors.As(err, &wrong):
		return fmt.Errorf("read payload: found %s in %s, expected %s", wrong.Value, wrong.Field, expected(wrong.Type))
	}
	return fmt.Errorf("read payload: not JSON: %w", err)
}

// expected is what JSON calls a type of ours.
func expected(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Slice:
		return "an array"
	case reflect.Struct:
		return "an object"
	}
	return "a string"
}

// Event translates the payload into our terms.
func (c *call) Event(now time.Time) (fsm.Event, bool) {
	if c.foreign() {
		return fsm.Event{}, false
	}
	e := fsm.Event{Session: c.SessionID, Time: now, Dir: c.Dir, Agent: c.agent()}
	switch c.payload.Event {
	case "SessionStart":
		e.Kind, e.Source = fsm.SessionStart, c.Source
		if c.Source == "compact" || !e.Agent.IsMain() {
			e.Kind = fsm.Compacted
		} else if to := c.renamed(); to != "" {
			e.Session, e.Source = to, "fork"
		}
	case "UserPromptSubmit":
		e.Kind, e.Prompt = fsm.Prompt, c.PromptID
		e.Text, e.Origin, e.Notice = spoken(c.Prompt)
	case "UserPromptExpansion":
		e.Kind, e.Text, e.Tool.Starts, e.Tool.Skill = fsm.PromptExpansion, c.Prompt, c.typed(), c.Command
	case "PreToolUse":
		e.Kind, e.Tool = fsm.ToolRequest, c.requested(&e.Notes)
	case "PostToolUse":
		e.Kind, e.Tool = fsm.ToolResult, c.tool(nil)
	case "PostToolUseFailure":
		e.Kind, e.Tool, e.Text = fsm.ToolFailure, c.tool(nil), c.failure()
	case "SubagentStart":
		e.Kind = fsm.AgentStart
	case "SubagentStop":
		e.Kind, e.Text, e.Held, e.Tasks = fsm.AgentStop, c.LastMessage, c.Held, c.tasks()
	case "Stop":
		e.Kind, e.Text, e.Held, e.Tasks, e.Crons = fsm.TurnStop, c.LastMessage, c.Held, c.tasks(), c.crons()
	case "StopFailure":
		e.Kind, e.Text = fsm.TurnFailure, c.LastMessage
		if !e.Agent.IsMain() {
			e.Kind = fsm.AgentFailure
		}
	case "SessionEnd":
		e.Kind, e.Source = fsm.SessionEnd, c.Reason
	case "ConfigChange":
		e.Kind, e.Source = fsm.ConfigChange, c.File
	default:
		return e, false
	}
	return e, true
}

// agent tells who is calling. An agent_id, and nothing else, makes a caller a subagent:
//
//	caller                               agent_id            agent_type   it is
//	main agent, also a notification's    -                   -            main
//	main agent of --agent NAME           -                   NAME         main
//	subagent, nested or in background    a + 16 hex digits   its type     that agent
//	a plugin's agent                     a + 16 hex digits   plugin:name  that agent
//	workflow's or forked skill's agent   a + 16 hex digits   its type     that agent
//	fork (/fork, subagent_type fork)     a + slug + - + hex  fork         that agent
//	teammate                             a + name + - + hex  its name     that agent
//	API error in a subagent              its own             its type     that agent (StopFailure)
//	compaction                           one never started   ""           a phantom (SubagentStop)
//	compaction of the main agent         -                   -            main (SessionStart, compact)
//	compaction of a subagent             its own (2.1.329)   its type     that agent
//	the same, 2.1.197                    -                   -            main: nothing tells
//	client without agent fields          -                   -            main: nothing tells
func (c *call) agent() fsm.Agent {
	if c.AgentID == "" {
		return fsm.Agent{Basis: "no agent_id"}
	}
	mate := c.AgentType != "" && strings.HasPrefix(c.AgentID, "a"+c.AgentType+"-") && c.AgentType != "fork"
	return fsm.Agent{ID: c.AgentID, Type: c.AgentType, Teammate: mate, Basis: "agent_id"}
}

// foreign reports whether another client called us that merely reads the same settings file. Copilot CLI does; all its
// payloads carry a timestamp, and none of this client's does (by experiment). Its variable alone does not tell: a client
// started in its shell inherits it.
func (c *call) foreign() bool {
	return len(c.Timestamp) > 0 && c.host.env("COPILOT_CLI") != ""
}

// failure is why a call failed, where that is said in words.
func (c *call) failure() string {
	var s string
	_ = json.Unmarshal(c.Error, &s)
	return s
}

func (c *call) tasks() *fsm.Background {
	if c.Tasks == nil {
		return nil
	}
	out := &fsm.Background{}
	for _, t := range *c.Tasks {
		if t.Status != "running" && t.Status != "pending" {
			continue
		}
		switch t.Type {
		case "subagent":
			out.IDs = append(out.IDs, t.ID)
		case "workflow":
			out.Workflow = true
		case "teammate":
			out.Team = true
		}
	}
	return out
}

// crons are the prompts that the client gives by itself. Whatever else may stand there, the rest of the payload counts.
func (c *call) crons() (prompts []string) {
	gjson.ParseBytes(c.Crons).ForEach(func(_, cron gjson.Result) bool {
		if p := cron.Get("prompt"); p.Type == gjson.String {
			prompts = append(prompts, p.Str)
		}
		return true
	})
	return prompts
}

// Bare is a call of which only the event's name is known, because its payload could not be read.
func (h Host) Bare(event string) hooks.Call {
	return &call{host: h, payload: payload{Event: eventName(event)}}
}
