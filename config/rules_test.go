package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestRules(t *testing.T) {
	p := compiledText(t, `version: 1
orchestrator:
  default: {deny: true, reason: no, delegate_to: [Plan]}
  rules:
    - {name: a, allow: [Task, "mcp__*"], starts: ["@some", x]}
    - name: b
      warn: [Bash]
      commands: ["git  push", "?"]
      changes: false
      input: {z: "1", a: "*"}
      env: {B: b, A: a}
      unless_env: {C: c}
      budget: 0
      reset_on: [prompt]
      within: 2
      level: "off"
      type: T
      example: E
      reason: R
subagents:
  rules:
    - {name: a, ask: [Read], budget: 3, agents: ["@some", x]}
groups: {some: [x, y-*]}
agents: {b: {keywords: [k]}, a: {description: d}}
remind: {self_check: true}
`)
	want := fsm.Rules{
		List: []fsm.Rule{
			{Name: "a", Place: "pipeline.yaml:5", Tools: []string{"Agent", "mcp__*"}, Starts: []string{"x", "y-*"}},
			{Name: "b", Place: "pipeline.yaml:6", Verdict: fsm.Warn, Tools: []string{"Bash"}, Commands: [][]string{{"git", "push"}, {"?"}},
				Changes:   new(bool),
				Inputs:    []fsm.Input{{Name: "a", Value: "*"}, {Name: "z", Value: "1"}},
				Env:       []fsm.Input{{Name: "A", Value: "a"}, {Name: "B", Value: "b"}},
				UnlessEnv: []fsm.Input{{Name: "C", Value: "c"}}, Budgeted: true, ResetOn: []string{"prompt"}, Within: 2,
				Levelled: true,
				Type:     "T", Example: "E", Reason: "R"},
		},
		Default: fsm.Rule{Name: "default", Place: "pipeline.yaml:3", Verdict: fsm.Deny, Reason: "no",
			DelegateTo: []string{"Plan"}},
	}
	if diff := cmp.Diff(want, p.Main); diff != "" {
		t.Error(diff)
	}
	sub := fsm.Rules{List: []fsm.Rule{{Name: "a", Place: "pipeline.yaml:22", Verdict: fsm.Ask, Tools: []string{"Read"},
		Budgeted: true, Budget: 3,
		Agents: []string{"x", "y-*"}}}}
	if diff := cmp.Diff(sub, p.Subagents); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]fsm.AgentInfo{{Name: "a", Description: "d", Place: "pipeline.yaml:24"},
		{Name: "b", Keywords: []string{"k"}, Place: "pipeline.yaml:24"}}, p.Agents); diff != "" || !p.SelfCheck {
		t.Error(diff, p.SelfCheck)
	}
}

// What is not written is not enforced.
func TestNoRules(t *testing.T) {
	p := compiledText(t, "version: 1\norchestrator: {}\n")
	if diff := cmp.Diff(&fsm.Policy{Level: fsm.Strict, AuditInput: "summary", Keep: auditDefaults().compile(),
		Readiness: fsm.Readiness(readinessDefaults()), Bypass: bypassDefaults().compile(), Talk: fsm.TalkLimits(talkDefaults()),
		Confinement: p.Confinement}, p, asWritten(),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Fails" }, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
}
