package qwen_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/qwen"
)

// TestGenuine: what a hook has and an agent's shell has not.
func TestGenuine(t *testing.T) {
	for name, row := range map[string]struct {
		env  map[string]string
		want bool
	}{
		"hook":       {map[string]string{"QWEN_PROJECT_DIR": "/p"}, true},
		"old client": {nil, true},
		"shell":      {map[string]string{"QWEN_CODE": "1"}, false},
		"nested":     {map[string]string{"QWEN_CODE": "1", "QWEN_PROJECT_DIR": "/p"}, true},
	} {
		h := qwen.New(hooks.Surroundings{Environment: func(name string) string { return row.env[name] }})
		if h.IsGenuine() != row.want {
			t.Errorf("%s: genuine %v", name, h.IsGenuine())
		}
		if h.CheckAttended() == nil {
			t.Errorf("%s: a person was reported", name)
		}
	}
}

// TestWithout: a stop that lists nothing says nothing of agents, and only an agent's call has an agent as its result.
func TestWithout(t *testing.T) {
	if e := event(t, `{"hook_event_name":"Stop","session_id":"s"}`); e.Tasks != nil {
		t.Errorf("runs %+v", e.Tasks)
	}
	const answer = `"tool_call_id":"c1","tool_response":{"returnDisplay":{"subagentName":"x","status":"completed"}}`
	for tool, want := range map[string]fsm.Result{"agent": {AgentID: "x-c1", Done: true}, "workflow": {},
		"read_file": {}} {
		e := event(t, `{"hook_event_name":"PostToolUse","session_id":"s","tool_name":"`+tool+`","tool_input":{},`+answer+`}`)
		if e.Tool.Result != want {
			t.Errorf("%s: %+v", tool, e.Tool.Result)
		}
	}
}
