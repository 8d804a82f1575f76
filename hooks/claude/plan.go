package claude

import (
	"cmp"

	"github.com/tidwall/gjson"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// HostTask is what a result of TaskCreate or TaskUpdate says about the client's list of tasks. Nothing, when the tool is
// another or has changed nothing: the client answers success false where a TaskCompleted hook has objected.
func HostTask(tool string, input, response []byte) (tasks.HostTask, bool) {
	in, out := gjson.ParseBytes(input), gjson.ParseBytes(response)
	t := tasks.HostTask{Subject: text(in, "subject"), Description: text(in, "description"), Agent: text(in, "metadata.agent")}
	switch tool {
	case "TaskCreate": // the id, and the texts as they were saved (the description from 2.1.329 on)
		t.ID = text(out, "task.id")
		t.Subject, t.Description = cmp.Or(text(out, "task.subject"), t.Subject), cmp.Or(text(out, "task.description"), t.Description)
		t.Status = "pending"
	case "TaskUpdate":
		if out.Get("success").Type == gjson.False {
			return tasks.HostTask{}, false
		}
		t.ID, t.Owner, t.Status = text(in, "taskId"), text(in, "owner"), text(in, "status")
		t.BlockedBy, t.Blocks = texts(in, "addBlockedBy"), texts(in, "addBlocks")
	}
	return t, t.ID != ""
}

// Plan is the plan that a person has approved, by a result of ExitPlanMode: its text, or where that is not in the payload
// (2.1.329) the file that it was written to.
func Plan(input, response []byte) (plan, file string) {
	in, out := gjson.ParseBytes(input), gjson.ParseBytes(response)
	if plan = cmp.Or(text(out, "plan"), text(in, "plan")); plan != "" {
		return plan, ""
	}
	return "", text(out, "filePath")
}

func text(v gjson.Result, path string) string {
	if f := v.Get(path); f.Type == gjson.String {
		return f.Str
	}
	return ""
}

func texts(v gjson.Result, path string) []string {
	list := v.Get(path)
	if !list.IsArray() {
		return nil
	}
	var out []string
	for _, x := range list.Array() {
		if x.Type == gjson.String {
			out = append(out, x.Str)
		}
	}
	return out
}
