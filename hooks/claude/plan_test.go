package claude_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	graph "github.com/agent-pipeline/pipeline/fsm/tasks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// result is the tool, its input and its response in a recorded payload.
func result(t *testing.T, name string) (tool string, input, response []byte) {
	t.Helper()
	var p struct {
		Tool     string          `json:"tool_name"`
		Input    json.RawMessage `json:"tool_input"`
		Response json.RawMessage `json:"tool_response"`
	}
	if err := json.Unmarshal([]byte(recorded(t, name)), &p); err != nil {
		t.Fatal(err)
	}
	return p.Tool, p.Input, p.Response
}

func TestRecordedTasks(t *testing.T) {
	for name, want := range map[string]graph.HostTask{
		"2.1.197/PostToolUse.TaskCreate": {ID: "1", Subject: "T1", Description: "desc", Status: "pending"},
		"2.1.329/PostToolUse.TaskCreate": {ID: "1", Subject: "T1", Description: "desc", Status: "pending"},
		"2.1.197/PostToolUse.TaskUpdate": {ID: "1", Status: "in_progress"},
	} {
		got, ok := claude.HostTask(result(t, name))
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %v %s", name, ok, diff)
		}
	}
	for _, name := range []string{"2.1.197/PostToolUse.TaskGet", "2.1.197/PostToolUse.TaskStop",
		"2.1.197/PreToolUse.TaskCreate"} {
		if got, ok := claude.HostTask(result(t, name)); ok {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHostTask(t *testing.T) {
	got, ok := claude.HostTask("TaskUpdate",
		[]byte(`{"taskId":"2","addBlockedBy":["1",3],"addBlocks":["4"],"owner":"ann","metadata":{"agent":"dev"},"subject":7}`), []byte(`{"success":true}`))
	want := graph.HostTask{ID: "2", Agent: "dev", Owner: "ann", BlockedBy: []string{"1"}, Blocks: []string{"4"}}
	if diff := cmp.Diff(want, got); diff != "" || !ok {
		t.Error(ok, diff)
	}
	if _, ok := claude.HostTask("TaskUpdate", []byte(`{"taskId":"2","status":"completed"}`),
		[]byte(`{"success":false}`)); ok {
		t.Error("a change that was refused counts")
	}
}

// TestAskedNobody: a client that lets everything pass, and that no person attends, asks
// no one about a plan.
func TestAskedNobody(t *testing.T) {
	for mode, want := range map[string]bool{"default": false, "acceptEdits": false, "plan": false, "": false,
		"bypassPermissions": true, "auto": true, "dontAsk": true} {
		e := event(t, host(nil), payload("PostToolUse",
			`"tool_name":"ExitPlanMode","tool_input":{},"permission_mode":"`+
				mode+`","tool_response":{"plan":"p"}`))
		if !e.Tool.Planned || e.Tool.Plan != "p" || e.Tool.Unasked != want {
			t.Errorf("%s: %+v", mode, e.Tool)
		}
	}
}

func TestRecordedPlans(t *testing.T) {
	for name, want := range map[string][2]string{
		"2.1.197/PostToolUse.ExitPlanMode": {"the plan", ""},
		"2.1.329/PostToolUse.ExitPlanMode": {"", "/home/user/.claude/plans/groovy-frolicking-wand.md"},
	} {
		_, input, response := result(t, name)
		if plan, file := claude.Plan(input, response); plan != want[0] || file != want[1] {
			t.Errorf("%s: %q %q", name, plan, file)
		}
	}
}
