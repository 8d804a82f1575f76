package config

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/shell"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

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
