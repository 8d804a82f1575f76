package claude

import (
	"io"
	"os"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm"
)

// longestPlan bounds what is read of a plan's file.
const longestPlan = 256 << 10

// planned adds what a finished call says about the work to be done: an approved plan, the client's own tasks.
func (c *call) planned(t *fsm.Tool, in object) {
	switch t.Name {
	case "ExitPlanMode":
		text, file := Plan(c.ToolInput, c.Response)
		if text == "" && file != "" {
			text = planFile(file)
		}
		t.Planned, t.Plan = true, text
	case "TaskCreate", "TaskUpdate":
		if task, ok := HostTask(t.Name, c.ToolInput, c.Response); ok {
			t.Task = &task
		}
	case "TodoWrite":
		t.Listed = true
		in["todos"].ForEach(func(_, todo gjson.Result) bool {
			if todo.Get("status").Str != "completed" {
				t.Todos = append(t.Todos, todo.Get("content").Str)
			}
			return true
		})
	}
}

// planFile reads the file that plan mode writes; one that cannot be read holds no graph.
func planFile(path string) string {
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	body, _ := io.ReadAll(io.LimitReader(f, longestPlan))
	return string(body)
}
