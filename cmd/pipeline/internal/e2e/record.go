package e2e

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Log is what a recording hook saw: the payload of each hook call, in order.
type Log struct {
	File string

	t testing.TB
}

// Payload is one recorded hook call.
type Payload struct {
	Event      string          `json:"hook_event_name"`
	Session    string          `json:"session_id"`
	Transcript string          `json:"transcript_path"`
	AgentID    string          `json:"agent_id"`
	AgentType  string          `json:"agent_type"`
	Tool       string          `json:"tool_name"`
	ToolUseID  string          `json:"tool_use_id"`
	Input      map[string]any  `json:"tool_input"`
	Response   json.RawMessage `json:"tool_response"`
	Prompt     string          `json:"prompt"`
	Source     string          `json:"source"`
	Last       string          `json:"last_assistant_message"`
	Tasks      []any           `json:"background_tasks"`
	Raw        json.RawMessage `json:"-"`
}

// Record registers a hook that writes down every call, in the user's settings:
// the project's stay as the test or an installation makes them.
func (p *Project) Record() *Log {
	p.t.Helper()
	log := &Log{t: p.t, File: filepath.Join(filepath.Dir(p.Dir), "hooks.jsonl")}
	hooks := map[string]any{}
	for _, event := range recordedEvents() {
		hooks[event] = []any{map[string]any{"hooks": []any{
			// One write of cat is one append: parallel hooks do not mix.
			map[string]any{"type": "command", "command": "cat >> '" + log.File + "'"},
		}}}
	}
	writeFile(p.t, filepath.Join(p.ConfigDir, "settings.json"), toJSON(p.t, map[string]any{"hooks": hooks}))
	return log
}

// recordedEvents leaves out WorktreeCreate, which a hook replaces, and events that
// come with every piece of text.
func recordedEvents() []string {
	return []string{
		"SessionStart", "SessionEnd", "UserPromptSubmit", "UserPromptExpansion",
		"PreToolUse", "PostToolUse", "PostToolUseFailure", "PostToolBatch",
		"PermissionRequest", "PermissionDenied", "Notification", "ConfigChange",
		"SubagentStart", "SubagentStop", "Stop", "StopFailure", "PreCompact", "PostCompact",
	}
}

// Has holds when an event was recorded: Has("SubagentStop").
func (l *Log) Has(event string) Cond {
	return FileHas(l.File, `"hook_event_name":"`+event+`"`)
}

// Payloads are the calls so far; with events, only those.
func (l *Log) Payloads(events ...string) []Payload {
	l.t.Helper()
	data, err := os.ReadFile(l.File)
	if err != nil {
		l.t.Fatalf("no hook was recorded: %v", err)
	}
	var all []Payload
	for line := range bytes.Lines(data) {
		p := Payload{Raw: line}
		if err := json.Unmarshal(line, &p); err != nil {
			l.t.Fatalf("hook payload: %v in %s", err, line)
		}
		if len(events) == 0 || strings.Contains(" "+strings.Join(events, " ")+" ", " "+p.Event+" ") {
			all = append(all, p)
		}
	}
	return all
}

// Trace is the calls so far in short, such as "main PreToolUse(Agent)" or
// "gatherer SubagentStart".
func (l *Log) Trace(events ...string) []string {
	l.t.Helper()
	var trace []string
	for _, p := range l.Payloads(events...) {
		trace = append(trace, p.String())
	}
	return trace
}

// Decode reads what else the call's payload has.
func (p Payload) Decode(t testing.TB, into any) {
	t.Helper()
	if err := json.Unmarshal(p.Raw, into); err != nil {
		t.Fatalf("hook payload: %v in %s", err, p.Raw)
	}
}

// String names the caller, the event and the tool. Only an agent_id makes an agent:
// the main thread of `--agent NAME` has an agent_type too.
func (p Payload) String() string {
	who := Main
	if p.AgentID != "" {
		who = p.AgentType
	}
	if p.Tool != "" {
		return who + " " + p.Event + "(" + p.Tool + ")"
	}
	return who + " " + p.Event
}
