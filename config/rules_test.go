package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
)

func TestRules(t *testing.T) {
	p := compiledText(t, `version: 1
orchestrator:
  default: {deny: true, reason: no, delegate_to: [Plan]}
  rules:
    - {name: a, allow: [Task, "mcp__*"], agents: ["@some", x]}
    - name: b
      warn: [Bash]
      commands: ["git  push", "?"]
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
    - {name: a, ask: [Read], budget: 3}
groups: {some: [x, y-*]}
agents: {b: {keywords: [k]}, a: {description: d}}
remind: {self_check: true}
`)
	want := fsm.Rules{
		List: []fsm.Rule{
			{Name: "a", Place: "pipeline.yaml:5", Tools: []string{"Agent", "mcp__*"}, Agents: []string{"x", "y-*"}},
			{Name: "b", Place: "pipeline.yaml:6", Verdict: fsm.Warn, Tools: []string{"Bash"}, Commands: [][]string{{"git", "push"}, {"?"}},
				Inputs: []fsm.Input{{Name: "a", Value: "*"}, {Name: "z", Value: "1"}}, Env: []fsm.Input{{Name: "A", Value: "a"}, {Name: "B", Value: "b"}},
				UnlessEnv: []fsm.Input{{Name: "C", Value: "c"}}, Budgeted: true, ResetOn: []string{"prompt"}, Within: 2, Levelled: true,
				Type: "T", Example: "E", Reason: "R"},
		},
		Default: fsm.Rule{Name: "default", Place: "pipeline.yaml:3", Verdict: fsm.Deny, Reason: "no", DelegateTo: []string{"Plan"}},
	}
	if diff := cmp.Diff(want, p.Main); diff != "" {
		t.Error(diff)
	}
	sub := fsm.Rules{List: []fsm.Rule{{Name: "a", Place: "pipeline.yaml:21", Verdict: fsm.Ask, Tools: []string{"Read"}, Budgeted: true, Budget: 3}}}
	if diff := cmp.Diff(sub, p.Subagents); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]fsm.AgentInfo{{Name: "a", Description: "d", Place: "pipeline.yaml:23"}, {Name: "b", Keywords: []string{"k"}, Place: "pipeline.yaml:23"}}, p.Agents); diff != "" || !p.SelfCheck {
		t.Error(diff, p.SelfCheck)
	}
}

// What is not written is not enforced.
func TestNoRules(t *testing.T) {
	p := compiledText(t, "version: 1\norchestrator: {}\n")
	if diff := cmp.Diff(&fsm.Policy{Level: fsm.Strict, AuditInput: "summary", Keep: auditDefaults().compile(), Readiness: readinessDefaults().compile(), Bypass: bypassDefaults().compile(), Talk: talkDefaults().compile()}, p, asWritten(), cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Fails" }, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
}

func rule(tools string, more ...func(*fsm.Rule)) *fsm.Rule {
	r := &fsm.Rule{Tools: strings.Fields(tools)}
	for _, m := range more {
		m(r)
	}
	return r
}

func runs(patterns ...string) func(*fsm.Rule) {
	return func(r *fsm.Rule) { r.Commands = parseCommands(patterns) }
}

func TestHides(t *testing.T) {
	in := func(paths ...string) func(*fsm.Rule) { return func(r *fsm.Rule) { r.Paths = paths } }
	when := func(states ...string) func(*fsm.Rule) { return func(r *fsm.Rule) { r.States = states } }
	with := func(in ...fsm.Input) func(*fsm.Rule) { return func(r *fsm.Rule) { r.Env = in } }
	level := func(l fsm.Level) func(*fsm.Rule) { return func(r *fsm.Rule) { r.Level, r.Levelled = l, true } }
	ci, x := fsm.Input{Name: "CI", Value: "1"}, fsm.Input{Name: "X", Value: "*"}
	for _, c := range []struct {
		why  string
		a, b *fsm.Rule
		want bool
	}{
		{"the same", rule("Read"), rule("Read"), true},
		{"fewer", rule("Read Write"), rule("Write"), true},
		{"more", rule("Read"), rule("Read Write"), false},
		{"a glob", rule("mcp__*"), rule("mcp__a mcp__b*"), true},
		{"a narrower glob", rule("mcp__a*"), rule("mcp__*"), false},
		{"a class", rule("[RW]*"), rule("Read"), true},
		{"a class on a glob", rule("[RW]*"), rule("R*"), false},
		{"an exception first", rule("Read", in("/p/a")), rule("Read"), false},
		{"an exception later", rule("Read"), rule("Read", in("/p/a")), true},
		{"below", rule("Read", in("/p/**")), rule("Read", in("/p/a/*", "/p/**")), true},
		{"beside", rule("Read", in("/p/**")), rule("Read", in("/p/a/*", "/px")), false},
		{"words", rule("Bash", runs("git")), rule("Bash", runs("git push")), true},
		{"fewer words", rule("Bash", runs("git push")), rule("Bash", runs("git")), false},
		{"a script", rule("Bash", runs("npm run")), rule("Bash", runs("npm run test")), false},
		{"unknown", rule("Bash", runs("?")), rule("Bash", runs("? x")), false},
		{"unknown twice", rule("Bash", runs("?")), rule("Bash", runs("?")), true},
		{"states", rule("Read", when("A", "B")), rule("Read", when("B")), true},
		{"other states", rule("Read", when("A")), rule("Read", when("A", "B")), false},
		{"a variable", rule("Read", with(ci)), rule("Read", with(ci, x)), true},
		{"another variable", rule("Read", with(ci, x)), rule("Read", with(ci)), false},
		{"a budget", rule("Read", func(r *fsm.Rule) { r.Budgeted = true }), rule("Read"), false},
		{"within", rule("Read", func(r *fsm.Rule) { r.Within = 1 }), rule("Read"), false},
		{"a level", rule("Read", level(fsm.Guidance)), rule("Read"), true},
		{"no level", rule("Read", level(fsm.Off)), rule("Read"), false},
	} {
		if got := hides(c.a, c.b); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
}
