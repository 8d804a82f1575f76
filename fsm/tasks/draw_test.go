package tasks_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

func TestDrawings(t *testing.T) {
	for name, script := range map[string][]string{
		"waves":       nil,
		"waves-begun": {"+1 planner", "-1", "+2 c-developer", "+3 bash-x", "!3", "+4 writer", "-4"},
		"waves-team": {"+1 planner", "-1", "+2 c-developer", "-2", "+3 bash-x", "-3", "+5 tester", "-5", "+6 critic",
			"-6"},
		"after": {"+1 a", "-1"},
		"host":  nil,
	} {
		t.Run(name, func(t *testing.T) {
			file, _, _ := strings.Cut(name, "-")
			g := parsed(t, read(t, "testdata/good/"+file+".json"))
			pr := play(t, g, tasks.Progress{}, script...)
			golden(t, "testdata/drawings/"+name+".txt", g.Text(pr))
		})
	}
}
