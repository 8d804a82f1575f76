package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// The document has each phase with its status, and ids where it refers to phases.
func TestTasksDocument(t *testing.T) {
	g, mistakes := tasks.Parse([]byte(`{"phases":[{"id":"a","agent":"x"},{"id":"b","agent":"y","after":["a"]},{"id":"c","agent":"z","after":["a","b"]}]}`))
	if mistakes != nil {
		t.Fatal(mistakes)
	}
	pr := g.Start(tasks.Progress{}, "x", "1", strings.EqualFold).Stop("1", true)
	doc := describeTasks(g, g.Start(pr, "y", "2", strings.EqualFold))
	if doc.Mode != "subagent" || doc.Done != 1 || doc.Total != 3 || !slices.Equal(doc.Left, []string{"b", "c"}) {
		t.Errorf("%+v", doc)
	}
	for i, want := range []tasks.Status{tasks.Done, tasks.Running, tasks.Waiting} {
		if doc.Phases[i].Status != want {
			t.Errorf("%+v", doc.Phases[i])
		}
	}
	if !slices.Equal(doc.Phases[2].WaitsFor, []string{"b"}) || doc.Phases[1].WaitsFor != nil {
		t.Errorf("%+v", doc.Phases)
	}
}
