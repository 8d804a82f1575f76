package dialect

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// tagged is a payload as encoding/json reads it.
type tagged struct {
	SessionID   string          `json:"session_id"`
	Transcript  string          `json:"transcript_path"`
	Dir         string          `json:"cwd"`
	Event       string          `json:"hook_event_name"`
	AgentID     string          `json:"agent_id"`
	AgentType   string          `json:"agent_type"`
	ParentAgent string          `json:"parent_agent_id"`
	AgentFile   string          `json:"agent_transcript_path"`
	Source      string          `json:"source"`
	Reason      string          `json:"reason"`
	Mode        string          `json:"permission_mode"`
	Prompt      string          `json:"prompt"`
	PromptID    string          `json:"prompt_id"`
	Command     string          `json:"command_name"`
	Submitted   string          `json:"submitted_prompt"`
	Turn        string          `json:"turn_id"`
	LastMessage string          `json:"last_assistant_message"`
	ToolName    string          `json:"tool_name"`
	ToolUseID   string          `json:"tool_use_id"`
	CallID      string          `json:"tool_call_id"`
	File        string          `json:"file_path"`
	Session     string          `json:"sessionId"`
	Path        string          `json:"transcriptPath"`
	ToolInput   json.RawMessage `json:"tool_input"`
	Response    json.RawMessage `json:"tool_response"`
	ToolResult  json.RawMessage `json:"tool_result"`
	Error       json.RawMessage `json:"error"`
	Crons       json.RawMessage `json:"session_crons"`
	Timestamp   json.RawMessage `json:"timestamp"`
	Held        bool            `json:"stop_hook_active"`
	Tasks       *[]Task         `json:"background_tasks"`
	Notes       []string
}

// TestFast holds the reader to encoding/json on every recorded payload.
func TestFast(t *testing.T) {
	files, err := filepath.Glob("../claude/testdata/*/*.json")
	if err != nil || len(files) < 100 {
		t.Fatalf("%d recorded payloads, %v", len(files), err)
	}
	for _, f := range files {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var slow tagged
		if err := json.Unmarshal(body, &slow); err != nil {
			continue // a test of its own has those
		}
		fast, err := Decode(bytes.NewReader(body))
		if err != nil || fast.Notes != nil {
			t.Errorf("%s: %v, notes %q", f, err, fast.Notes)
			continue
		}
		if d := cmp.Diff(Payload(slow), fast, cmpopts.IgnoreFields(Payload{}, "Notes")); d != "" {
			t.Errorf("%s: %s", f, d)
		}
	}
}

func TestNoPayload(t *testing.T) {
	for _, body := range []string{``, `[]`, `5`, `"x"`, `{"a":`, `{"a":1}x`} {
		if _, err := Decode(strings.NewReader(body)); err == nil {
			t.Errorf("%q was taken", body)
		}
	}
}
