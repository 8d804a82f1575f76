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

// commands refuses commands of one word.
func commands(name string, words ...string) fsm.Rule {
	r := fsm.Rule{Name: name, Place: "p.yaml:" + name, Verdict: fsm.Deny, Tools: []string{"Bash"}}
	for _, w := range words {
		r.Commands = append(r.Commands, []string{w})
	}
	return r
}

// filed refuses to write what a glob matches.
func filed(name, glob string) fsm.Rule {
	r := deny(name, "Write")
	r.Paths = []string{glob}
	return r
}

// starting refuses a tool that starts a worker.
func starting(tool string) fsm.Rule {
	return fsm.Rule{Name: "no", Place: "p.yaml:no", Verdict: fsm.Deny, Tools: []string{tool},
		Starts: []string{"worker"}}
}

// checked has a check, which is left out where one of these variables is set.
func checked(unless ...fsm.Input) *fsm.Policy {
	p := pipeline("A: a→A")
	p.Checks = []fsm.Check{{Name: "vet", Files: []string{"*.go"}, Run: "go vet", At: []string{"edit"},
		UnlessEnv: unless}}
	return p
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
		return ruled(pipeline(round...), fsm.Pass, fsm.Rule{Name: "twice", Verdict: fsm.Deny,
			Tools: []string{"WebFetch"}, Within: n})
	}
	budget := func(n int, on ...string) *fsm.Policy {
		return ruled(pipeline(round...), fsm.Pass,
			fsm.Rule{Name: "few", Verdict: fsm.Deny, Tools: []string{"WebFetch"}, Budgeted: true, Budget: n,
				ResetOn: on})
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
			"widened moves: gate after a: make test → true [A] A\n" +
				"narrowed moves: gate after a: make test → true [A] A"},
		"a second lead": {pipeline("A: a/ok/→B", "B: b→A"), pipeline("A: a/ok/→B a→C", "B: b→A", "C: b→A"),
			"widened moves: completion of a: nowhere → C [A] A"},
		"a lead less": {pipeline("A: a/ok/→B a→C", "B: b→A", "C: b→A"), pipeline("A: a/ok/→B", "B: b→A"),
			"narrowed moves: completion of a: C → nowhere [A] A"},
		"a second message": {pipeline("A: a/ok/→B", "B: b→A"), pipeline("A: a/ok/→B a/no/→C", "B: b→A", "C: b→A"),
			"widened moves: completion of a that says /no/: nowhere → C [A] A"},
		"the same leads in another order": {pipeline("A: a/ok/→B a/no/→C", "B: b→A", "C: b→A"),
			pipeline("A: a/no/→C a/ok/→B", "B: b→A", "C: b→A"), ""},
		"a helper more, here and there": {pipeline("A: a→B", "B: b→A"), pipeline("A: a→B ?h ?k", "B: b→A ?h"),
			"widened agents: start of h: deny by the state (p.yaml:A) → pass [A] A\n" +
				"widened agents: start of k: deny by the state (p.yaml:A) → pass [A] A\n" +
				"widened agents: start of h: deny by the state (p.yaml:B) → pass [B] A –a→ B"},
		"other conditions": {pipeline("A: a/ok/→B", "B: a/done/→A"), pipeline("A: a→B", "B: a→A"),
			"widened moves: final message of a that moves: ok → none [A] A\n" +
				"widened moves: final message of a that moves: done → none [B] A –a says /ok/→ B"},
		"conditions": {pipeline("A: a→B", "B: a→A"), pipeline("A: a/ok/→B", "B: a/done/→A"),
			"narrowed moves: final message of a that moves: none → ok [A] A\n" +
				"narrowed moves: final message of a that moves: none → done [B] A –a→ B"},
		"two rules less": {ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch"), deny("not", "WebSearch")),
			ruled(pipeline(round...), fsm.Pass),
			"widened tools: main agent: WebFetch: deny by no (p.yaml:no) → pass [IDLE WORK DONE] IDLE\n" +
				"widened tools: main agent: WebSearch: deny by not (p.yaml:not) → pass [IDLE WORK DONE] IDLE"},
		"a rule less for all": {subagents(ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch"))),
			ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch")),
			"narrowed tools: main agent: WebFetch: pass → deny by no (p.yaml:no) [IDLE WORK DONE] IDLE\n" +
				"widened tools: other agents: WebFetch: deny by no (p.yaml:no) → pass [IDLE WORK DONE] IDLE"},
		"one verdict for two": {ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch", "WebSearch", "Bash")),
			ruled(pipeline(round...), fsm.Pass, fsm.Rule{Name: "soft", Verdict: fsm.Ask, Tools: []string{"WebSearch"}}),
			"widened commands: main agent: Bash: deny by no (p.yaml:no) → pass [IDLE WORK DONE] IDLE\n" +
				"widened tools: main agent: WebFetch: deny by no (p.yaml:no) → pass [IDLE WORK DONE] IDLE\n" +
				"widened tools: main agent: WebSearch: deny by no (p.yaml:no) → ask by soft (p.yaml:soft) [IDLE " +
				"WORK DONE] IDLE"},
		"many commands": {ruled(pipeline(round...), fsm.Pass, commands("no", "a", "b", "c", "d", "e", "f", "g", "h")),
			ruled(pipeline(round...), fsm.Pass),
			"widened commands: main agent: Bash `a …`, `a`, `b …`, `b`, `c …`, `c`, and 18 more: deny by no " +
				"(p.yaml:no) → pass [IDLE WORK DONE] IDLE"},
		"two tools": {ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch", "WebSearch")),
			ruled(pipeline(round...), fsm.Pass),
			"widened tools: main agent: WebFetch; WebSearch: deny by no (p.yaml:no) → pass [IDLE WORK DONE] IDLE"},
		"one condition in two states": {pipeline("A: a/ok/→B", "B: a/ok/→A"), pipeline("A: a→B", "B: a→A"),
			"widened moves: final message of a that moves: ok → none [A B] A"},
		"a rule less": {ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch")),
			ruled(pipeline(round...), fsm.Pass),
			"widened tools: main agent: WebFetch: deny by no (p.yaml:no) → pass [IDLE WORK DONE] IDLE"},
		"a file of a class that excludes": {ruled(pipeline(round...), fsm.Pass, filed("no", "/p/[^a-c]?.md")),
			ruled(pipeline(round...), fsm.Pass),
			"widened tools: main agent: Write of /p/[^a-c]?.md: deny by no (p.yaml:no) → pass [IDLE WORK DONE] IDLE"},
		"a file of a class without a letter": {ruled(pipeline(round...), fsm.Pass, filed("no", "/p/[^!-~]")),
			ruled(pipeline(round...), fsm.Pass),
			""},
		"a rule of agents": {pipeline(round...), subagents(ruled(pipeline(round...), fsm.Pass, deny("no", "WebFetch"))),
			"narrowed tools: other agents: WebFetch: pass → deny by no (p.yaml:no) [IDLE WORK DONE] IDLE"},
		"a budget": {budget(1), budget(2),
			"widened budgets: main agent: WebFetch, from call 2 on: deny by few (p.yaml:few) → pass by few " +
				"(p.yaml:few) [IDLE WORK DONE] IDLE"},
		"given back": {budget(1), budget(1, "prompt"), "widened settings: reset_on: none → WebFetch on prompt [] "},
		"farther apart": {within(2), within(1),
			"widened budgets: main agent: WebFetch, again after 1 others: deny by twice (p.yaml:twice) → pass [IDLE " +
				"WORK DONE] IDLE"},
		"a level": {pipeline(round...), with(pipeline(round...), func(p *fsm.Policy) { p.Level = fsm.Guidance }),
			"widened settings: level: strict → guidance [] "},
		"fails closed": {pipeline(round...), with(pipeline(round...), func(p *fsm.Policy) { p.FailClosed = true }),
			"narrowed settings: on_error: none → deny [] "},
		"a bound": {with(pipeline(round...), func(p *fsm.Policy) { p.Limits.Running = 2 }), pipeline(round...),
			"widened settings: limits.running: 2 → none [] "},
		"no form": {with(pipeline(round...), func(p *fsm.Policy) {
			p.Agents = []fsm.AgentInfo{{Name: "a",
				Returns: "^ok"}}
		}),
			pipeline(round...), "widened settings: agents.returns: a: ^ok → none [] "},
		"a variable for a bound": {pipeline(round...),
			with(pipeline(round...), func(p *fsm.Policy) { p.Limits.RunningEnv = "N" }),
			"widened settings: limits.running_env: none → N [] "},
		"a lock less": {with(pipeline(round...), func(p *fsm.Policy) { p.Locked = []string{"level", "states"} }),
			with(pipeline(round...), func(p *fsm.Policy) { p.Locked = []string{"level"} }),
			"widened settings: locked: states → none [] "},
		"a permission": {pipeline(round...), with(pipeline(round...),
			func(p *fsm.Policy) { p.Bypass.Allow = []string{"@sre"} }),
			"widened settings: bypass.allow: none → @sre [] "},
		"a failure less": {with(pipeline(round...), func(p *fsm.Policy) { p.Fails = []string{"^no"} }),
			pipeline(round...),
			"widened settings: fails: ^no → none [] "},
		"another caller": {pipeline(round...), with(pipeline(round...), func(p *fsm.Policy) { p.Caller.RoleEnv = "R" }),
			"widened settings: caller: none → R [] \nnarrowed settings: caller: none → R [] "},
		"a check at times": {checked(), checked(fsm.Input{Name: "CI", Value: "1"}),
			"widened settings: checks.env: none → vet unless CI=1 [] "},
		"a start by agents": {ruled(pipeline("A: worker→A"), fsm.Pass),
			subagents(ruled(pipeline("A: worker→A"), fsm.Pass, starting("Agent"))),
			"narrowed agents: other agents: Agent that starts worker: pass → deny by no (p.yaml:no) [A] A"},
		"a start by agents, by its input": {subagents(ruled(pipeline("A: worker→A"), fsm.Pass,
			fsm.Rule{Name: "no", Place: "p.yaml:no",
				Verdict: fsm.Deny, Tools: []string{"Agent"}, Inputs: []fsm.Input{{Name: "subagent_type",
					Value: "worker"}}})), ruled(pipeline("A: worker→A"), fsm.Pass),
			"widened agents: other agents: Agent that starts worker: deny by no (p.yaml:no) → pass [A] A"},
		"any agent more": {pipeline("A: a→A"), pipeline("A: a→A *→A"),
			"widened agents: start of any other: deny by the state (p.yaml:A) → pass [A] A"},
		"a client's start": {ruled(pipeline("A: worker→A"), fsm.Pass, starting("Bash")),
			ruled(pipeline("A: worker→A"), fsm.Pass),
			"widened commands: main agent: Bash that starts the client worker: deny by no (p.yaml:no) → pass [A] A"},
		"a skill's start": {ruled(pipeline("A: worker→A"), fsm.Pass, starting("Skill")),
			ruled(pipeline("A: worker→A"), fsm.Pass),
			"widened agents: main agent: Skill that starts worker: deny by no (p.yaml:no) → pass [A] A"},
		"no states": {pipeline(), ruled(pipeline(), fsm.Deny, deny("no", "Read")), ""},
	} {
		t.Run(name, func(t *testing.T) {
			found := verify.Diff(c.old, c.new)
			if got := printChanges(found); name != "no states" && got != c.want {
				t.Errorf("got\n%s\nwant\n%s", got, c.want)
			}
			if name == "no states" && !slices.ContainsFunc(found,
				func(ch verify.Change) bool { return ch.Direction == verify.Narrowed && ch.Kind == "agents" }) {
				t.Errorf("a default that denies agents: %s", printChanges(found))
			}
			for _, ch := range verify.Diff(c.new, c.old) { // the same edit, undone
				if !slices.ContainsFunc(found, func(f verify.Change) bool {
					return f.Kind == ch.Kind &&
						f.Direction != ch.Direction
				}) {
					t.Errorf("undone: %+v", ch)
				}
			}
		})
	}
}
