package config

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/fsm/verify"
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
			{Name: "b", Place: "pipeline.yaml:6", Verdict: fsm.Warn, Tools: []string{"Bash"},
				Commands:  [][]string{{"git", "push"}, {"?"}},
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
		Readiness: fsm.Readiness(readinessDefaults()), Bypass: bypassDefaults().compile(),
		Talk:           fsm.TalkLimits(talkDefaults()),
		NeverDelegated: [][]string{{fsm.RemoteCommands}, {fsm.DestroyingCommands}},
		Confinement:    p.Confinement}, p, asWritten(),
		cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == ".Fails" }, cmp.Ignore())); diff != "" {
		t.Error(diff)
	}
}

// deadRules are the rules that check and verify call dead, in a config with these
// rules.
func deadRules(t *testing.T, rules string) (checked, verified []string, p *fsm.Policy) {
	t.Helper()
	file := t.TempDir() + "/pipeline.yaml"
	write(t, file, "version: 1\norchestrator:\n  rules:\n"+rules)
	policy, problems, err := buildPolicy(Project{Root: "/work/p", Owner: "/work/p", Files: []string{file}},
		World{Home: "/home/me"})
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		_, name, ok := strings.Cut(problem.Message, `found rule "`)
		if name, _, _ = strings.Cut(name, `"`); !ok || !strings.Contains(problem.Message, "never decides") {
			t.Fatalf("%+v in\n%s", problem, rules)
		}
		checked = append(checked, name)
	}
	if policy == nil {
		return checked, nil, nil
	}
	for _, f := range verify.Verify(policy, nil) {
		if f.Check == "dead-rule" {
			verified = append(verified, f.Names...)
		}
	}
	return checked, verified, policy
}

// TestExceptionsAboveObjections: an exception fits only the bare command, an objection
// also what is inside of wrappers. A narrower objection below an exception is thus not
// dead.
func TestExceptionsAboveObjections(t *testing.T) {
	for _, c := range []struct{ above, below, call string }{
		{"allow: [Bash], commands: [git push]", "deny: [Bash], commands: [git push]", ""},
		{"allow: [Bash], commands: [uv]", "deny: [Bash], commands: [uv run]", "sudo uv run x"},
		{"allow: [Bash], commands: [bash]", `deny: [Bash], commands: ["bash deploy.sh"]`, "bash deploy.sh"},
	} {
		checked, verified, p := deadRules(t, fmt.Sprintf("    - {name: above, %s}\n    - {name: below, %s}\n", c.above,
			c.below))
		if len(checked)+len(verified) > 0 {
			t.Errorf("%s: check calls %v dead, verify %v", c.above, checked, verified)
			continue
		}
		if c.call == "" {
			continue
		}
		e := fsm.Event{Kind: fsm.ToolRequest, Session: "s", Tool: fsm.Tool{Name: "Bash"}}
		for _, call := range shell.Parse(c.call, shell.Options{}) {
			e.Tool.Parts = append(e.Tool.Parts, fsm.Part{Tool: "Bash", Words: call.Words, Via: call.Via,
				Code: call.Code})
		}
		_, d := p.Step(fsm.Session{ID: "s"}, e)
		if d.Rule != "below" {
			t.Errorf("%s is decided by %q", c.call, d.Rule)
		}
	}
}

// TestCheckAgreesWithVerify: of random configs, check and verify name the same dead
// rules.
func TestCheckAgreesWithVerify(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	dead := 0
	for range 150 {
		var b strings.Builder
		for i := range 2 + r.IntN(3) {
			fmt.Fprintf(&b, "    - {name: r%d, %s: [%s]%s%s}\n", i, pick("allow", "deny", "warn"),
				pick("Bash", `"*"`, "Bash, Read"),
				pick("", ", commands: [git push]", ", commands: [git]", ", commands: [uv, bash]", `, commands: ["?"]`),
				pick("", ", env: {CI: x}", ", level: off"))
		}
		checked, _, _ := deadRules(t, b.String())
		dead += len(checked)
		// check refuses the config, so verify sees it without the dead rules
		alive := slices.Clone(strings.SplitAfter(b.String(), "\n"))
		alive = slices.DeleteFunc(alive, func(line string) bool {
			return slices.ContainsFunc(checked, func(name string) bool {
				return strings.Contains(line,
					"name: "+name+",")
			})
		})
		if again, verified, _ := deadRules(t, strings.Join(alive, "")); len(again)+len(verified) > 0 {
			t.Fatalf("check finds %v, then %v, and verify %v:\n%s", checked, again, verified, b.String())
		}
	}
	if dead < 30 {
		t.Errorf("only %d rules are dead", dead)
	}
}

// TestRuleMistakes: a rule that can never fire, or that has a key without effect, is reported.
func TestRuleMistakes(t *testing.T) {
	for rule, want := range map[string]string{
		"env: {CI: '1'}, unless_env: {CI: '1'}":    `found "CI" in ` + "`env` and in `unless_env`",
		"env: {CI: '1'}, unless_env: {CI: '*'}":    `found "CI" in ` + "`env` and in `unless_env`",
		"env: {CI: '*'}, unless_env: {CI: '1'}":    "",
		"env: {CI: '1'}, unless_env: {CI: '2'}":    "",
		"env: {CI: '1'}, unless_env: {OTHER: '*'}": "",
		"else: deny":         "found `else` without `confine`, expected both or `confine` alone",
		"admitted_in: [A]":   "found `admitted_in` on a rule for the main agent",
		"states: [A]":        "",
		"reset_on: [prompt]": "found `reset_on` without `budget`",
	} {
		mistaken(t, "version: 1\ninitial: A\nstates: {A: {agents: [x]}}\n"+
			"orchestrator: {rules: [{name: a, deny: [Bash], "+rule+"}]}\n", want)
	}
	mistaken(t, "version: 1\norchestrator: {rules: [{name: a, confine: [Bash], else: deny}]}\n", "")
}
