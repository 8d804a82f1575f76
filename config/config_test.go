package config

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/fsm"
)

func names(p *fsm.Policy) []string {
	var out []string
	for _, s := range p.States {
		out = append(out, s.Name)
	}
	return out
}

func compiledText(t *testing.T, text string) *fsm.Policy {
	t.Helper()
	file := t.TempDir() + "/pipeline.yaml"
	write(t, file, text)
	return compiled(t, file)
}

func TestStatesInTheOrderOfTheRoad(t *testing.T) {
	p := compiledText(t, `
version: 1
initial: M
states:
  Z: {agents: [x]}
  B: {agents: [x], on_complete: M}
  C: {agents: [x], on_stop: D}
  D: {agents: [x]}
  A: {agents: [x], on_complete: Z}
  M: {agents: [x], on_complete: C, moves: [{agent: y, to: B}]}
`)
	if diff := cmp.Diff([]string{"M", "C", "B", "D", "A", "Z"}, names(p)); diff != "" {
		t.Error(diff)
	}
}

func TestTriggers(t *testing.T) {
	p := compiledText(t, `version: 1
initial: A
states:
  A:
    helpers: ["@both"]
    agents: [a, "@more"]
    on_complete: B
    capture: found
    moves:
      - {agent: "@more", says: "^no", to: A, capture: other}
      - {agent: z, to: B}
  B:
    agents: [b]
groups:
  both: ["@more", c-*, d-*]
  more: [d-*, "@last"]
  last: [e]
`)
	want := []fsm.Trigger{
		{Name: "@more says /^no/", Agents: []string{"d-*", "e"}, Says: "^no", To: "A", Capture: "other",
			Place: "pipeline.yaml:10"},
		{Name: "z", Agents: []string{"z"}, To: "B", Place: "pipeline.yaml:11"},
		{Name: "a", Agents: []string{"a"}, To: "B", Capture: "found", Place: "pipeline.yaml:6"},
		{Name: "@more", Agents: []string{"d-*", "e"}, To: "B", Capture: "found", Place: "pipeline.yaml:6"},
		{Name: "@both", Agents: []string{"d-*", "e", "c-*"}, To: "A", Helper: true, Place: "pipeline.yaml:5"},
	}
	if diff := cmp.Diff(want, p.States[0].Triggers); diff != "" {
		t.Error(diff)
	}
	if b := p.States[1]; b.Place != "pipeline.yaml:12" || b.Triggers[0].To != "B" {
		t.Errorf("%+v", b)
	}
}

func TestFolder(t *testing.T) {
	o := &Origins{home: "/home/me", project: Project{Root: "/wt/x", Owner: "/main/x"}}
	for dir, want := range map[string]string{"": "", "~/s": "/home/me/s", "/abs/../s": "/s", "s/t": "/main/x/s/t"} {
		if got := o.resolveDir(dir); got != want {
			t.Errorf("folder(%q) is %q, want %q", dir, got, want)
		}
	}
}

// The default pipeline, as the documentation describes it.
func TestDefaultPipeline(t *testing.T) {
	p := compiled(t, "../configs/pipeline.yaml")
	if diff := cmp.Diff([]string{"IDLE", "GATHERING", "REFINING", "EXECUTING", "COMPLETE"}, names(p)); diff != "" {
		t.Error(diff)
	}
	const none = "-"
	agents := []string{"context-gatherer", "context-refiner", "strategic-orchestrator", "bash-developer", "c-developer",
		"Explore", "general-purpose"}
	for state, leads := range map[string][]string{
		"IDLE":      {"GATHERING", none, none, none, none, none, none},
		"GATHERING": {"GATHERING", "REFINING", none, none, none, "GATHERING", "GATHERING"},
		"REFINING":  {"GATHERING", "REFINING", "EXECUTING", none, none, "REFINING", "REFINING"},
		"EXECUTING": {"GATHERING", none, none, "EXECUTING", "EXECUTING", "EXECUTING", "EXECUTING"},
		"COMPLETE":  {"GATHERING", none, none, none, none, none, none},
	} {
		checkLeads(t, p, state, agents, leads)
	}
}

func TestOrchestratingPipeline(t *testing.T) {
	p := compiled(t, "../configs/presets/orchestrating.yaml")
	if diff := cmp.Diff([]string{"IDLE", "REFINING", "ORCHESTRATING", "EXECUTING", "COMPLETE"}, names(p)); diff != "" {
		t.Error(diff)
	}
	const none = "-"
	agents := []string{"context-gatherer", "context-refiner", "strategic-orchestrator", "nix-developer", "Plan"}
	for state, leads := range map[string][]string{
		"IDLE":          {"REFINING", none, none, none, none},
		"REFINING":      {"REFINING", "ORCHESTRATING", none, none, "REFINING"},
		"ORCHESTRATING": {"REFINING", "ORCHESTRATING", "EXECUTING", none, "ORCHESTRATING"},
		"EXECUTING":     {"REFINING", none, none, "EXECUTING", "EXECUTING"},
		"COMPLETE":      {"REFINING", none, none, none, none},
	} {
		checkLeads(t, p, state, agents, leads)
	}
}

func checkLeads(t *testing.T, p *fsm.Policy, state string, agents, leads []string) {
	t.Helper()
	s := p.FindState(state)
	if s.Name == "" {
		t.Fatalf("no state %s", state)
	}
	for i, agent := range agents {
		got := "-"
		if trigger := p.NewTable().Admits(s.Name, agent); trigger != nil {
			got = trigger.To
		}
		if got != leads[i] {
			t.Errorf("in %s %s leads to %s, want %s", state, agent, got, leads[i])
		}
	}
	if onStop := map[bool]string{true: "COMPLETE"}[state == "EXECUTING"]; s.OnStop != onStop {
		t.Errorf("%s: on_stop %q, want %q", state, s.OnStop, onStop)
	}
	if s.Inject == "" {
		t.Errorf("%s says nothing", state)
	}
}

// A session shows what was gathered, refined and orchestrated.
func TestCaptures(t *testing.T) {
	p := compiled(t, "../configs/pipeline.yaml")
	var captured []string
	for _, s := range p.States {
		for _, trigger := range s.Triggers {
			captured = append(captured, trigger.Capture)
		}
	}
	for _, name := range []string{"gathered", "refined", "orchestration"} {
		if !slices.Contains(captured, name) {
			t.Errorf("nothing captures %s", name)
		}
	}
}

// TestDirWithoutRoot: where the project is not known, no folder is in it.
func TestDirWithoutRoot(t *testing.T) {
	dir := system.Clean(t.TempDir())
	file := system.Join(dir, "pipeline.yaml")
	write(t, file, "version: 1\ndir: '"+dir+"/state'\n")
	problems, err := listProblems(Project{Files: []string{file}}, World{})
	if err != nil || len(problems) > 0 {
		t.Errorf("%v %v", problems, err)
	}
}
