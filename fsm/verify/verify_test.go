package verify_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// round is a pipeline of which nothing is to be said.
var round = []string{"IDLE: a→WORK", "WORK: b→WORK ?h ends→DONE", "DONE: a→WORK"}

// A finds is what one check is to find in a policy: of which severity, about which name, by which way and with which
// words.
type finds struct {
	name     string
	policy   *fsm.Policy
	known    []verify.Agent
	check    string
	severity verify.Severity
	names    string
	trace    string
	text     string
}

func TestEachCheck(t *testing.T) {
	budget := func(on ...string) fsm.Rule {
		return with(deny("some", "Read"), func(r *fsm.Rule) { r.Budgeted, r.Budget, r.ResetOn = true, 2, on })
	}
	to := func(r fsm.Rule, agents ...string) fsm.Rule {
		return with(r, func(r *fsm.Rule) { r.DelegateTo = agents })
	}
	in := func(r fsm.Rule, states ...string) fsm.Rule {
		return with(r, func(r *fsm.Rule) { r.States = states })
	}
	starting := func(r fsm.Rule, agent string) fsm.Rule {
		return with(r, func(r *fsm.Rule) { r.Starts = []string{agent} })
	}
	table := []finds{
		{name: "an island", policy: pipeline("A: a→A", "B: b→A"), check: "unreachable-state", severity: verify.Problem,
			names: "B", text: "no state leads to it"},
		{name: "two islands", policy: pipeline("A: a→A", "B: b→C", "C: b→B"), check: "unreachable-state",
			severity: verify.Problem, names: "B C", text: "only unreachable states lead to it: C"},
		{name: "an earlier trigger takes all", policy: pipeline("A: *→A x→B", "B: a→A"), check: "unreachable-state",
			severity: verify.Problem, names: "B", text: "from A can never be taken"},
		{name: "the same words are taken before", policy: pipeline("A: */no/→A a/no/→B", "B: a→A"),
			check: "unreachable-state", severity: verify.Problem, names: "B"},
		{name: "turn ends, and no agent worked", policy: pipeline("A: a→B ?h ends→C", "B: a→A", "C: a→A"),
			check: "unreachable-state", severity: verify.Problem, names: "C"},
		{name: "a rule refuses who leads on", policy: ruled(pipeline("A: a→A b→B", "B: a→A"), fsm.Pass,
			starting(deny("no-b", "Agent"), "b")), check: "unreachable-state", severity: verify.Problem, names: "B"},

		{name: "a rule refuses the plan", policy: ruled(pipeline("A: a→A plans→B", "B: a→A"), fsm.Pass,
			deny("no-plans", "ExitPlanMode")), check: "unreachable-state", severity: verify.Problem, names: "B"},

		{name: "all is denied", policy: ruled(pipeline(round...), fsm.Deny), check: "no-legal-move",
			severity: verify.Problem, names: "IDLE", trace: "IDLE",
			text: "rule default refuses the Agent tool (p.yaml:default)"},
		{name: "under its old name", policy: ruled(pipeline(round...), fsm.Pass, in(deny("no-task", "Task"), "WORK")),
			check: "no-legal-move", severity: verify.Problem, names: "WORK", trace: "IDLE –a→ WORK", text: "no-task"},
		{name: "a budget of starts", policy: ruled(pipeline("A: a→A"), fsm.Pass,
			with(deny("few", "Agent"), func(r *fsm.Rule) { r.Budgeted, r.Budget = true, 3 })), check: "no-legal-move",
			severity: verify.Problem, names: "A", text: "once the budget is used up"},
		{name: "a budget that comes back", policy: ruled(pipeline("A: a→A"), fsm.Pass,
			with(deny("few", "Agent"), func(r *fsm.Rule) {
				r.Budgeted, r.Budget, r.ResetOn = true, 3,
					[]string{"prompt"}
			})), check: "no-legal-move", severity: verify.Note, names: "A", text: "until it is given back"},
		{name: "not twice in a row", policy: ruled(pipeline("A: a→A"), fsm.Pass,
			with(deny("twice", "Agent"), func(r *fsm.Rule) { r.Within = 2 })), check: "no-legal-move",
			severity: verify.Note, names: "A", text: "depending on the calls before"},
		{name: "in one environment", policy: ruled(pipeline("A: a→A"), fsm.Pass,
			with(deny("ci", "Agent"), func(r *fsm.Rule) { r.Env = []fsm.Input{{Name: "CI", Value: "t[r]*"}} })),
			check: "no-legal-move", severity: verify.Note, names: "A", text: "or on the environment"},
		{name: "no agent exists", policy: pipeline("A: a→A"), known: local("b"), check: "no-legal-move",
			severity: verify.Problem, names: "A", text: "no agent that exists"},
		{name: "no states", policy: ruled(pipeline(), fsm.Deny), check: "no-legal-move", severity: verify.Note,
			names: "default", text: "no agent"},

		{name: "round and round beside the end",
			policy: pipeline("A: a→B z→C", "B: a→D", "C: c→C ends→E", "D: a→B", "E: a→A"), check: "no-way-to-an-end",
			severity: verify.Problem, names: "B D", trace: "A –a→ B", text: "(E)"},
		{name: "the end admits no agent", policy: pipeline("A: a→B", "B: a→A", "C: c→C ends→D", "D: a→A"),
			check: "no-way-to-an-end", severity: verify.Problem, names: "A B", trace: "A"},

		{name: "it stays", policy: pipeline("A: a/yes/→B", "B: *→B"), check: "person-only", severity: verify.Note,
			names: "B", trace: "A –a says /yes/→ B"},
		{name: "nothing can be done", policy: pipeline("A: a→B", "B:"), check: "person-only", severity: verify.Note,
			names: "B"},
		{name: "the user is asked", policy: ruled(pipeline("A: a→B", "B: a→A"), fsm.Pass,
			in(fsm.Rule{Name: "ask", Verdict: fsm.Ask, Tools: []string{"Agent"}}, "B")), check: "person-only",
			severity: verify.Note, names: "B", text: "only if the user agrees"},

		{name: "unused", policy: pipeline(round...),
			known: append(local("a", "b", "h", "c"), verify.Agent{Name: "Explore"}), check: "unused-agent",
			severity: verify.Problem, names: "c", text: "1 of the project's 4"},
		{name: "unused elsewhere", policy: pipeline(round...),
			known: append(local("a", "b", "h"), verify.Agent{Name: "p:a", From: "p", Shared: true},
				verify.Agent{Name: "p:x", From: "p", Shared: true}), check: "unused-agent", severity: verify.Note,
			names: "p:x", text: "1 of the 2"},
		{name: "a name of no agent", policy: pipeline("A: a→A b→A ?c", "B: c→A"), known: local("a", "b"),
			check: "unknown-agent", severity: verify.Problem, names: "c", text: "may start in A, B"},
		{name: "a pattern of no agent", policy: pipeline("A: a→A x-*→A"), known: local("a", "xx"),
			check: "unknown-agent", severity: verify.Note, names: "x-*"},

		{name: "delegates to no agent", policy: ruled(pipeline("A: x-*→A"), fsm.Pass,
			to(deny("no", "Read"), "x-1", "x-2")), known: local("x-3"), check: "unknown-agent", severity: verify.Note,
			names: "x-1 x-2", text: "no such agent exists"},
		{name: "delegates to somebody at least",
			policy: ruled(pipeline("A: x-*→A"), fsm.Pass, to(deny("no", "Read"), "x-1", "x-3")), known: local("x-3"),
			check: "unknown-agent", severity: verify.Note, names: "x-1", text: "of which x-1"},

		{name: "shadowed", policy: ruled(pipeline(round...), fsm.Pass, deny("wide", "*"), deny("narrow", "Read")),
			check: "dead-rule", severity: verify.Problem, names: "narrow", text: "wide decides before it"},
		{name: "shadowed by two", policy: ruled(pipeline(round...), fsm.Pass, in(deny("one", "Read"), "IDLE", "DONE"),
			in(deny("two", "Read", "Write"), "WORK"), deny("late", "Read")), check: "dead-rule",
			severity: verify.Problem, names: "late", text: "one, two decides"},
		{name: "by another name", policy: ruled(pipeline(round...), fsm.Pass, deny("tasks", "Task*", "TodoWrite"),
			deny("todo", "TodoWrite")), check: "dead-rule", severity: verify.Problem, names: "todo"},
		{name: "where no session comes", policy: ruled(pipeline("A: a→A", "B: a→A"), fsm.Pass,
			in(deny("there", "Read"), "B")), check: "dead-rule", severity: verify.Problem, names: "there",
			text: "cannot be reached"},
		{name: "for no agent", policy: subagents(ruled(pipeline(round...), fsm.Pass,
			with(deny("x", "Read"), func(r *fsm.Rule) { r.Agents = []string{"x"} }))), check: "dead-rule",
			severity: verify.Note, names: "x"},

		{name: "of starting no agent", policy: ruled(pipeline(round...), fsm.Pass, starting(deny("x", "Agent"), "y")),
			check: "dead-rule", severity: verify.Note, names: "x"},

		{name: "delegates to an agent that no state lets in",
			policy: ruled(pipeline(round...), fsm.Pass, to(in(deny("no", "Read"), "IDLE"), "b")),
			check:  "refused-remedy", severity: verify.Note, names: "b",
			text: "in any state where the rule objects (IDLE)"},
		{name: "delegates to an agent that a rule refuses",
			policy: ruled(pipeline(round...), fsm.Pass, starting(deny("not-h", "Agent"), "h"),
				to(deny("no", "Read"), "h")), check: "refused-remedy", severity: verify.Note, names: "h",
			text: "rule no delegates to h"},
		{name: "a subagent that may start none",
			policy: subagents(ruled(pipeline(round...), fsm.Deny, to(deny("no", "Read"), "h"))),
			check:  "refused-remedy", severity: verify.Note, names: "h", text: "rule no delegates to h"},
		{name: "the second that it delegates to",
			policy: ruled(pipeline("A: a→A b→A"), fsm.Pass, starting(deny("not-b", "Agent"), "b"),
				to(deny("no", "Read"), "a", "b")), check: "refused-remedy", severity: verify.Note, names: "b",
			text: "rule no delegates to b"},
		{name: "no states, and no agent to delegate to",
			policy: subagents(ruled(pipeline(), fsm.Deny, to(deny("no", "Read"), "h"))), check: "refused-remedy",
			severity: verify.Note, names: "h", text: "(no states)"},
		{name: "delegates to one without the tool",
			policy: ruled(pipeline(round...), fsm.Pass, to(deny("no", "Edit"), "h", "b")),
			known:  []verify.Agent{{Name: "a"}, {Name: "b"}, {Name: "h", Tools: []string{"Read"}}},
			check:  "refused-remedy", severity: verify.Note, names: "h", text: "not do the work"},
		{name: "delegates to a pattern that no state lets in",
			policy: ruled(pipeline("A: x-*→A"), fsm.Pass, to(deny("no", "Read"), "y-*")), check: "refused-remedy",
			severity: verify.Note, names: "y-*"},
		{name: "a state names an agent that a rule refuses",
			policy: ruled(pipeline(round...), fsm.Pass, starting(deny("not-h", "Agent"), "h")), check: "refused-remedy",
			severity: verify.Problem, names: "h", text: "state WORK names h"},

		{name: "never given back", policy: ruled(pipeline(round...), fsm.Pass, budget()), check: "lost-budget",
			severity: verify.Note, names: "some"},
		{name: "given back by what cannot be", policy: ruled(pipeline("A: a→A"), fsm.Pass, budget("state")),
			check: "lost-budget", severity: verify.Problem, names: "some", text: "state never happens"},
		{name: "given back where no agent starts",
			policy: ruled(pipeline("A: a→B", "B:"), fsm.Pass, in(budget("delegate"), "B")), check: "lost-budget",
			severity: verify.Problem, names: "some", trace: "A –a→ B", text: "delegate never happens"},
		{name: "a subagent's", policy: subagents(ruled(pipeline(round...), fsm.Pass, budget("prompt"))),
			check: "lost-budget", severity: verify.Note, names: "some", text: "one run"},
	}
	for _, f := range table {
		t.Run(f.name, func(t *testing.T) { f.test(t) })
	}
	for _, check := range []string{"unreachable-state", "no-legal-move", "no-way-to-an-end", "person-only",
		"unused-agent", "unknown-agent", "dead-rule", "refused-remedy", "lost-budget"} {
		if !slices.ContainsFunc(table, func(f finds) bool { return f.check == check }) {
			t.Errorf("%s: no case", check)
		}
	}
}

// TestPlanLeadsOn: an approved plan is a way like any other.
func TestPlanLeadsOn(t *testing.T) {
	if found := verify.Verify(pipeline("A: ?h plans→B", "B: b→B ends→A"), nil); len(found) > 0 {
		t.Error(list(found))
	}
}

// TestMisspelledAgent: a name that is a slip of another is named with it.
func TestMisspelledAgent(t *testing.T) {
	p := ruled(pipeline("A: pyton-dev→A zzz→A"), fsm.Pass, with(deny("no", "Read"),
		func(r *fsm.Rule) { r.DelegateTo = []string{"pyton-dev"} }))
	var hints []string
	for _, f := range of(verify.Verify(p, local("python-dev")), "unknown-agent") {
		hints = append(hints, f.Hint)
	}
	want := []string{"write python-dev, if that is meant, or create .claude/agents/pyton-dev.md",
		"correct the name, or create .claude/agents/zzz.md",
		"write python-dev, if that is meant, or leave delegate_to out: then any agent that may do the work is proposed"}
	if !slices.Equal(hints, want) {
		t.Errorf("%q", hints)
	}
}

func (f finds) test(t *testing.T) {
	found := verify.Verify(f.policy, f.known)
	if got := strings.Join(named(found, f.check, f.severity), " "); got != f.names {
		t.Fatalf("%s: %q, expected %q; found:\n%s", f.check, got, f.names, list(found))
	}
	if !slices.ContainsFunc(of(found, f.check), func(g verify.Finding) bool {
		return strings.Contains(g.Text, f.text) && (f.trace == "" || strings.Join(g.Trace, " ") == f.trace)
	}) {
		t.Errorf("expected %q by %q; found:\n%s", f.text, f.trace, list(found))
	}
	if verify.Passes(found) && f.severity == verify.Problem {
		t.Error("it passes")
	}
}

func list(found []verify.Finding) string {
	var b strings.Builder
	for _, f := range found {
		fmt.Fprintf(&b, "%+v\n", f)
	}
	return b.String()
}

// TestNoFalseAlarm: policies in which what looks like a mistake is none.
func TestNoFalseAlarm(t *testing.T) {
	read := deny("read", "Read")
	all := map[string]*fsm.Policy{
		"nothing":            {},
		"round":              pipeline(round...),
		"a class":            pipeline("A: a-1→A a-[12]→B", "B: a→A"),
		"every name but one": pipeline("A: x→A x*→B", "B: a→A"),
		"either message":     pipeline("A: a/yes/→B a/no/→C a→A", "B: a→A", "C: a→A"),
		"works and moves":    pipeline("A: a/go/→B a→A ends→C", "B: a→A", "C: a→A"),
		"another path": ruled(pipeline(round...), fsm.Pass,
			with(read, func(r *fsm.Rule) { r.Paths = []string{"/a/**"} }), read),
		"a budget above": ruled(pipeline(round...), fsm.Pass,
			with(read, func(r *fsm.Rule) { r.Budgeted, r.Budget, r.ResetOn = true, 1, []string{"state"} }), read),
		"switched off above": ruled(pipeline(round...), fsm.Pass,
			with(read, func(r *fsm.Rule) { r.Level, r.Levelled = fsm.Off, true }), read),
		"wrapped commands": ruled(pipeline(round...), fsm.Pass,
			fsm.Rule{Name: "git", Tools: []string{"Bash"}, Commands: [][]string{{"git"}}},
			with(deny("git-too", "Bash"), func(r *fsm.Rule) { r.Commands = [][]string{{"git"}} })),
		"one of a glob": ruled(pipeline("A: bash-*→B", "B: *-1→A"), fsm.Deny,
			with(fsm.Rule{Name: "some", Tools: []string{"Agent"}},
				func(r *fsm.Rule) { r.Inputs = []fsm.Input{{Name: "subagent_type", Value: "*-1"}} })),
		"only so written": ruled(pipeline(round...), fsm.Deny,
			with(fsm.Rule{Name: "some", Tools: []string{"Agent"}},
				func(r *fsm.Rule) { r.Inputs = []fsm.Input{{Name: "run_in_background", Value: "tru[e]"}} })),
		"only observed": ruled(pipeline(round...), fsm.Pass, with(deny("no", "Write"), func(r *fsm.Rule) {
			r.States, r.DelegateTo, r.Level, r.Levelled = []string{"IDLE"}, []string{"b"}, fsm.Observe, true
		})),
		"falls back": ruled(pipeline(round...), fsm.Pass,
			with(read, func(r *fsm.Rule) { r.DelegateTo = []string{"h"} })),
		"denied but agents": ruled(pipeline(round...), fsm.Deny, fsm.Rule{Name: "agents", Tools: []string{"Agent"}}),
		"asked elsewhere too": ruled(pipeline(round...), fsm.Ask,
			fsm.Rule{Name: "agents", Tools: []string{"Agent"}, States: []string{"IDLE", "WORK", "DONE"}}),
	}
	for name, p := range all {
		t.Run(name, func(t *testing.T) {
			if found := verify.Verify(p, nil); len(found) > 0 {
				t.Errorf("found:\n%s", list(found))
			}
		})
	}
}

// TestNeverAsksWithInputs: an exception for an input of the call is a way to what may never happen.
func TestNeverAsksWithInputs(t *testing.T) {
	some := fsm.Rule{Name: "some", Tools: []string{"Bash"}, Inputs: []fsm.Input{{Name: "background", Value: "t*"}}}
	never := verify.Intention{Calls: verify.CommandParts("git push"), What: "never: git push", Most: fsm.Ask}
	for name, want := range map[string]int{"with an exception": 1, "without": 0} {
		p := subagents(ruled(pipeline(round...), fsm.Deny))
		ruled(p, fsm.Deny)
		if want > 0 {
			ruled(p, fsm.Deny, some)
		}
		if found := verify.Prove(p, []verify.Intention{never}); len(found) != want {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
