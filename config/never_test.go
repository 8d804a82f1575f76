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

// TestStateBesideCalls: an intention about a state says nothing of calls.
func TestStateBesideCalls(t *testing.T) {
	for more, want := range map[string]string{"": "",
		", agents: [x]": "found `state` beside what is about calls", ", admitted_in: [A]": "found `state` beside",
		", verdict: ask": "found `state` beside", ", tools: [Write]": "found `state` beside",
		", commands: [make]": "found `state` beside", ", changes: true": "found `state` beside"} {
		mistaken(t, "version: 1\ninitial: A\nstates: {A: {agents: [x]}}\nnever: [{state: A, without: x"+more+"}]\n",
			want)
	}
}

// TestChangesByTools: of the calls that change something those of the named tools are meant.
func TestChangesByTools(t *testing.T) {
	calls := func(intention string) (tools []string) {
		file := t.TempDir() + "/pipeline.yaml"
		write(t, file, "version: 1\nnever: [{"+intention+"}]\n")
		d, err := Read(alone(file), World{})
		if err != nil || len(d.Problems) > 0 {
			t.Fatal(d.Problems, err)
		}
		for _, part := range d.Intentions()[0].Calls {
			tools = append(tools, part.Tool)
		}
		slices.Sort(tools)
		return slices.Compact(tools)
	}
	all := calls("changes: true")
	if len(all) < 2 || !slices.Contains(all, "Write") {
		t.Errorf("all: %q", all)
	}
	if got := calls("changes: true, tools: [Write]"); !slices.Equal(got, []string{"Write"}) {
		t.Errorf("by Write: %q", got)
	}
}
