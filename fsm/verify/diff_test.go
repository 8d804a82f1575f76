package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// printChanges prints changes as the table of TestDiff has them.
func printChanges(found []verify.Change) string {
	var out []string
	for _, ch := range found {
		out = append(out, fmt.Sprintf("%s %s: %s: %s → %s [%s] %s", ch.Direction, ch.Kind, ch.Text, ch.Old, ch.New,
			strings.Join(ch.States, " "), strings.Join(ch.Trace, ", ")))
	}
	return strings.Join(out, "\n")
}

func TestDiff(t *testing.T) {
	gated := func(p *fsm.Policy, run string) *fsm.Policy {
		p.States[0].Triggers[0].Gate = &fsm.Gate{Run: run}
		return p
	}
	with := func(p *fsm.Policy, change func(*fsm.Policy)) *fsm.Policy {
		change(p)
		return p
	}
	within := func(n int) *fsm.Policy {
		return ruled(pipeline(round...), fsm.Pass, fsm.Rule{Name: "twice", Verdict: fsm.Deny, Tools: []string{"WebFetch"}, Within: n})
	}
	budget := func(n int, on ...string) *fsm.Policy {
		return ruled(pipeline(round...), fsm.Pass,
			fsm.Rule{Name: "few", Verdict: fsm.Deny, Tools: []string{"WebFetch"}, Budgeted: true, Budget: n, ResetOn: on})
	}
	for name, c := range map[string]struct {
		old, new *fsm.Policy
		want     string
	}{
		"the same":        {pipeline(round...), pipeline(round...), ""},
		"a renamed state": {pipeline("A: a→B", "B: b→A"), pipeline("A: a→C", "C: b→A"), ""},
		"an agent more": {pipeline("A: a→B", "B: b→B"), pipeline("A: a→B", "B: b→B c→B"),
			"widened agents: start of c: deny by the state (p.yaml:B) → pass [B] A –a→ B"},
		"a helper more": {pipeline("A: a→B", "B: b→B"), pipeline("A: a→B ?h", "B: b→B"),
			"widened agents: start of h: deny by the state (p.yaml:A) → pass [A] A"},
		"a shorter way": {pipeline("A: a→B", "B: b→C", "C: c→C"), pipeline("A: a→C", "B: b→C", "C: c→C"),
			"narrowed agents: start of b: pass → deny by the state (p.yaml:C) [C (was B)] A –a→ C (was B)\n" +
				"widened agents: start of c: deny by the state (p.yaml:B) → pass [C (was B)] A –a→ C (was B)"},
		"the turn's end leads on": {pipeline("A: a→A"), pipeline("A: a→A ends→B", "B: a→A"),
			"widened moves: end of the turn: nowhere → B [A] A"},
		"no plan leads on": {pipeline("A: a→A plans→B", "B: a→A"), pipeline("A: a→A"),
			"narrowed moves: approved plan: B → nowhere [A] A"},
		"no condition": {pipeline("A: a/ok/→B", "B: b→A"), pipeline("A: a→B", "B: b→A"),
			"widened moves: final message of a that moves: ok → none [A] A"},
		"a gate": {pipeline("A: a→B", "B: b→A"), gated(pipeline("A: a→B", "B: b→A"), "make test"),
			"narrowed moves: gate after a: none → make test [A] A"},
		"another gate": {gated(pipeline("A: a→B", "B: b→A"), "make test"), gated(pipeline("A: a→B", "B: b→A"), "true"),
			"widened moves: gate after a: make test → true [A] A\nnarrowed moves: gate after a: make test → true [A] A"},
		"a second lead": {pipeline("A: a/ok/→B", "B: b→A"), pipeline("A: a/ok/→B a→C", "B: b→A", "C: b→A"),
			"widened moves: completion of a: nowhere → C [A] A"},
		"a rule less": {ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch")), ruled(pipeline(round...), fsm.Pass),
			"widened tools: main agent: WebFetch: deny by no (p.yaml:no) → pass [IDLE WORK DONE] IDLE"},
		"a rule of agents": {pipeline(round...), subagents(ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch"))),
			"narrowed tools: other agents: WebFetch: pass → deny by no (p.yaml:no) [IDLE WORK DONE] IDLE"},
		"a budget": {budget(1), budget(2),
			"widened budgets: main agent: WebFetch, from call 2 on: deny by few (p.yaml:few) → pass by few (p.yaml:few) [IDLE WORK DONE] IDLE"},
		"given back": {budget(1), budget(1, "prompt"), "widened settings: reset_on: none → WebFetch on prompt [] "},
		"farther apart": {within(2), within(1),
			"widened budgets: main agent: WebFetch, again after 1 others: deny by twice (p.yaml:twice) → pass [IDLE WORK DONE] IDLE"},
		"a level": {pipeline(round...), with(pipeline(round...), func(p *fsm.Policy) { p.Level = fsm.Guidance }),
			"widened settings: level: strict → guidance [] "},
		"fails closed": {pipeline(round...), with(pipeline(round...), func(p *fsm.Policy) { p.FailClosed = true }),
			"narrowed settings: on_error: none → deny [] "},
		"a bound": {with(pipeline(round...), func(p *fsm.Policy) { p.Limits.Running = 2 }), pipeline(round...),
			"widened settings: limits.running: 2 → none [] "},
		"no form": {with(pipeline(round...), func(p *fsm.Policy) { p.Agents = []fsm.AgentInfo{{Name: "a", Returns: "^ok"}} }),
			pipeline(round...), "widened settings: agents.returns: a: ^ok → none [] "},
		"no states": {pipeline(), ruled(pipeline(), fsm.Deny, deny("no", "Read")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := verify.Diff(c.old, c.new)
			if got := printChanges(found); name != "no states" && got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if name == "no states" && !slices.ContainsFunc(found, func(ch verify.Change) bool { return ch.Direction == verify.Narrowed && ch.Kind == "agents" }) {
				t.Errorf("a default that denies agents: %s", printChanges(found))
			}
			for _, ch := range verify.Diff(c.new, c.old) { // the same edit, undone
				if !slices.ContainsFunc(found, func(f verify.Change) bool { return f.Kind == ch.Kind && f.Direction != ch.Direction }) {
					t.Errorf("undone: %+v", ch)
				}
			}
		})
	}
}
