package claude_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	graph "github.com/agent-pipeline/pipeline/fsm/tasks"
	"github.com/agent-pipeline/pipeline/hooks/claude"
)

// TestPlanned: what a finished call says about the work to be done, as the clients wrote it.
func TestPlanned(t *testing.T) {
	for name, want := range map[string]fsm.Tool{
		"2.1.197/PostToolUse.ExitPlanMode": {Planned: true, Plan: "the plan"},
		"2.1.329/PostToolUse.ExitPlanMode": {Planned: true}, // its file is another computer's
		"2.1.197/PostToolUse.TaskCreate": {Task: &graph.HostTask{ID: "1", Subject: "T1", Description: "desc",
			Status: "pending"}},
		"2.1.197/PostToolUse.TaskUpdate":  {Task: &graph.HostTask{ID: "1", Status: "in_progress"}},
		"2.1.197/PostToolUse.TodoWrite":   {Listed: true, Todos: []string{"a"}},
		"2.1.197/PostToolUse.TaskList":    {},
		"2.1.197/PreToolUse.ExitPlanMode": {}, // not approved yet
		"2.1.197/PreToolUse.TaskCreate":   {},
		"2.1.197/PreToolUse.TodoWrite":    {},
	} {
		tool := event(t, host(nil), recorded(t, name)).Tool
		got := fsm.Tool{Planned: tool.Planned, Plan: tool.Plan, Task: tool.Task, Todos: tool.Todos, Listed: tool.Listed}
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// TestPlannedInAFile: the newer client's payload only says where the plan is.
func TestPlannedInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "groovy-frolicking-wand.md")
	text := strings.Replace(recorded(t, "2.1.329/PostToolUse.ExitPlanMode"),
		"/home/user/.claude/plans/groovy-frolicking-wand.md", filepath.ToSlash(file), 1)
	if err := os.WriteFile(file, []byte("# The plan\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := event(t, host(nil), text).Tool; !got.Planned || got.Plan != "# The plan\n" {
		t.Errorf("%+v", got)
	}
	if err := os.WriteFile(file, bytes.Repeat([]byte("x"), 1<<20), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := event(t, host(nil), text).Tool; !got.Planned || len(got.Plan) != 256<<10 {
		t.Errorf("%d bytes are read", len(got.Plan))
	}
}

func TestTodosThatAreDone(t *testing.T) {
	text := strings.Replace(recorded(t, "2.1.197/PostToolUse.TodoWrite"), `"status": "pending"`,
		`"status": "completed"`, 1)
	if got := event(t, host(nil), text).Tool; !got.Listed || got.Todos != nil {
		t.Errorf("%+v", got)
	}
}

// TestHeldBefore: the client says that a turn or an agent was held just before.
func TestHeldBefore(t *testing.T) {
	for name, want := range map[string]bool{"Stop": false, "Stop.after_block": true, "SubagentStop": false,
		"SubagentStop.after_block": true} {
		if e := event(t, host(nil), recorded(t, "2.1.197/"+name)); e.Held != want {
			t.Errorf("%s: held %v", name, e.Held)
		}
	}
}

// TestHoldIsAnswered with a block at the two events where it keeps an agent going, and nowhere else.
func TestHoldIsAnswered(t *testing.T) {
	for _, name := range events() {
		got := reply(t, name, fsm.Decision{Hold: true, Rule: fsm.RuleHold, Reason: "REASON"})
		want := ""
		if name == "Stop" || name == "SubagentStop" {
			want = `{"decision":"block","reason":"REASON"}` + "\n"
		}
		if got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	if got := reply(t, "Stop", fsm.Decision{Rule: fsm.RuleHold, Reason: "REASON",
		Notices: []string{"LEFT"}}); got != `{"systemMessage":"pipeline: LEFT"}`+"\n" {
		t.Errorf("a turn that ends is answered %s", got)
	}
}

// TestWaits: the client waits for us longer than the longest gate and the longest check take.
func TestWaits(t *testing.T) {
	for _, e := range (claude.Host{}).Entries("pipeline", false) {
		want := 10
		switch e.Event {
		case "Stop", "SubagentStop":
			want = 9*60 + 60
		case "PostToolUse":
			want = 120
		}
		if e.Timeout != want {
			t.Errorf("%s: %d s", e.Event, e.Timeout)
		}
	}
}
