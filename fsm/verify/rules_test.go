package verify_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestDeadRulesAgainstBruteForce: a rule that is said never to fire decides none of the calls there are; and where
// rules only ask for tools and states, each that decides none is named.
func TestDeadRulesAgainstBruteForce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(11, 3))
	dead := 0
	for n := range policies / 6 {
		p := pipeline("Q0: a→Q1", "Q1: a→Q0", "Q2: a→Q0")
		p.Main.List = drawnRules(r, n%2 == 0)
		fired := deciding(p)
		said := map[string]bool{}
		for _, name := range named(verify.Verify(p, nil), "dead-rule", verify.Problem) {
			said[name] = true
		}
		for _, rule := range p.Main.List {
			switch {
			case said[rule.Name] && fired[rule.Name]:
				t.Fatalf("%s is said to be dead, and decides:\n%+v", rule.Name, p.Main.List)
			case n%2 == 0 && !said[rule.Name] && !fired[rule.Name]:
				t.Fatalf("%s decides nothing, and that is not said:\n%+v", rule.Name, p.Main.List)
			case said[rule.Name]:
				dead++
			}
		}
	}
	if dead < policies/60 {
		t.Errorf("only %d rules were dead", dead)
	}
	t.Logf("%d policies, %d dead rules", policies/6, dead)
}

func drawnRules(r *rand.Rand, plain bool) (out []fsm.Rule) {
	for i := range 1 + r.IntN(5) {
		rule := fsm.Rule{Name: fmt.Sprint("r", i), Verdict: fsm.Deny}
		for range 1 + r.IntN(2) {
			rule.Tools = append(rule.Tools, []string{"Read", "Write", "Bash", "Task", "TodoWrite", "TaskCreate",
				"*"}[r.IntN(7)])
		}
		for s := range 3 {
			if r.IntN(3) == 0 {
				rule.States = append(rule.States, fmt.Sprint("Q", s))
			}
		}
		if !plain && r.IntN(3) == 0 {
			rule.Paths = []string{[]string{"/a/**", "**", "/a/*.go"}[r.IntN(3)]}
		}
		if !plain && r.IntN(3) == 0 {
			rule.Commands = [][]string{{"git"}, {"git", "push"}}[r.IntN(2):]
		}
		if !plain && r.IntN(4) == 0 {
			rule.Inputs = []fsm.Input{{Name: "x", Value: []string{"1", "*"}[r.IntN(2)]}}
		}
		if !plain && r.IntN(5) == 0 {
			rule.Level, rule.Levelled = fsm.Level(r.IntN(5)), true
		}
		out = append(out, rule)
	}
	return out
}

// deciding are the rules that decide any call that there is.
func deciding(p *fsm.Policy) map[string]bool {
	out := map[string]bool{}
	all := *p // every rule objects, so that each tells when it decides; one that is switched off stays so
	all.Main.List = nil
	for _, r := range p.Main.List {
		if r.Verdict = fsm.Deny; r.Level != fsm.Off {
			r.Levelled = false
		}
		all.Main.List = append(all.Main.List, r)
	}
	for _, state := range walk(p).states() {
		for _, part := range parts() {
			for _, input := range []map[string]string{nil, {"x": "1"}, {"x": "2"}} {
				s := fsm.Session{ID: "s", Machine: fsm.Machine{State: state, Visit: 1}}
				_, d := all.Step(s, fsm.Event{Kind: fsm.ToolRequest, Session: "s",
					Tool: fsm.Tool{Name: part.Tool, Input: input, Parts: []fsm.Part{part}}})
				out[d.Rule] = true
			}
		}
	}
	return out
}

func parts() (out []fsm.Part) {
	for _, tool := range []string{"Read", "Write", "Bash", "Agent", "TodoWrite", "TaskCreate", "TaskUpdate", "TaskList",
		"TaskGet", "Other"} {
		for _, path := range []string{"", "/a/x.go", "/a/b/x", "/c"} {
			for _, words := range [][]string{nil, {"git", "push"}, {"git", "log"}, {"ls"}} {
				out = append(out, fsm.Part{Tool: tool, Path: path, Words: words})
			}
		}
	}
	return out
}
