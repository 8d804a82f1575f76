package config

import (
	"slices"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestIntentions: what may never happen has its place, its calls in words, the strongest verdict that it may meet, and
// who must have come first.
func TestIntentions(t *testing.T) {
	file := t.TempDir() + "/pipeline.yaml"
	write(t, file, `version: 1
initial: A
groups: {all: [x, "y-*"]}
states: {A: {agents: ["*"]}}
never:
  - {state: A, without: x}
  - {state: A, without: x, or: plan}
  - {agents: ["@all"], changes: true}
  - {admitted_in: [A], commands: ["@remote", git push], verdict: ask}
  - {agents: [x], tools: [Write]}
`)
	d, err := Read(Project{Root: "/work/p", Owner: "/work/p", Files: []string{file}}, World{Home: "/home/me"})
	if err != nil || len(d.Problems) > 0 {
		t.Fatal(d.Problems, err)
	}
	all := d.Intentions()
	for i, want := range []struct {
		what, place     string
		without, agents []string
		most            fsm.Verdict
		calls           bool
	}{
		{"x", "pipeline.yaml:6", []string{"x"}, nil, fsm.Warn, false},
		{"x or an approved plan", "pipeline.yaml:7", []string{"x", fsm.PlanApproved}, nil, fsm.Warn, false},
		{"never changes: true", "pipeline.yaml:8", nil, []string{"x", "y-*"}, fsm.Warn, true},
		{"never commands: [@remote, git push]", "pipeline.yaml:9", nil, nil, fsm.Ask, true},
		{"never tools: [Write]", "pipeline.yaml:10", nil, []string{"x"}, fsm.Warn, true},
	} {
		got := all[i]
		if got.What != want.what || got.Place != want.place || !slices.Equal(got.Without, want.without) ||
			!slices.Equal(got.Agents, want.agents) || got.Most != want.most || len(got.Calls) > 0 != want.calls {
			t.Errorf("%d: %+v", i, got)
		}
	}
	if len(all) != 5 || !slices.Equal(all[3].AdmittedIn, []string{"A"}) {
		t.Errorf("%d, %q", len(all), all[3].AdmittedIn)
	}
}
