package claude_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	graph "github.com/agent-pipeline/pipeline/fsm/tasks"
)

func TestRecordedTasks(t *testing.T) {
	for name, want := range map[string]graph.HostTask{
		"2.1.197/PostToolUse.TaskCreate": {ID: "1", Subject: "T1", Description: "desc", Status: "pending"},
		"2.1.329/PostToolUse.TaskCreate": {ID: "1", Subject: "T1", Description: "desc", Status: "pending"},
		"2.1.197/PostToolUse.TaskUpdate": {ID: "1", Status: "in_progress"},
	} {
		if diff := cmp.Diff(&want, event(t, host(nil), recorded(t, name)).Tool.Task); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	for _, name := range []string{"2.1.197/PostToolUse.TaskGet", "2.1.197/PostToolUse.TaskStop",
		"2.1.197/PreToolUse.TaskCreate"} {
		if got := event(t, host(nil), recorded(t, name)).Tool.Task; got != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHostTask(t *testing.T) {
	updated := func(input, response string) *graph.HostTask {
		return event(t, host(nil), payload("PostToolUse",
			`"tool_name":"TaskUpdate","tool_input":`+input+`,"tool_response":`+response)).Tool.Task
	}
	got := updated(`{"taskId":"2","addBlockedBy":["1",3],"addBlocks":["4"],"owner":"ann","metadata":{"agent":"dev"},"subject":7}`,
		`{"success":true}`)
	want := &graph.HostTask{ID: "2", Agent: "dev", Owner: "ann", BlockedBy: []string{"1"}, Blocks: []string{"4"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if updated(`{"taskId":"2","status":"completed"}`, `{"success":false}`) != nil {
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
	file := filepath.Join(t.TempDir(), "plan.md")
	if err := os.WriteFile(file, []byte("the plan in a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"2.1.197/PostToolUse.ExitPlanMode": "the plan",
		"2.1.329/PostToolUse.ExitPlanMode": "the plan in a file",
	} {
		sent := strings.ReplaceAll(recorded(t, name), "/home/user/.claude/plans/groovy-frolicking-wand.md",
			filepath.ToSlash(file))
		if got := event(t, host(nil), sent).Tool; !got.Planned || got.Plan != want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
