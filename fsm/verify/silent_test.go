package verify_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestWhatNeverHappens: moves, rules and messages that look as if they had an effect.
func TestWhatNeverHappens(t *testing.T) {
	allow := func(name string, tools ...string) fsm.Rule { return fsm.Rule{Name: name, Tools: tools} }
	in := func(r fsm.Rule, paths ...string) fsm.Rule { r.Paths = paths; return r }
	runs := func(r fsm.Rule, words ...string) fsm.Rule { r.Commands = append(r.Commands, words); return r }
	fails := func(p *fsm.Policy, fails ...string) *fsm.Policy { p.Fails = fails; return p }
	for _, f := range []finds{
		{name: "a move below one that asks for nothing", policy: pipeline("A: a→A a/x/→B b→B", "B: a→A"),
			check: "dead-move", severity: verify.Problem, names: "a says /x/",
			text: "state A: a says /x/ leads nowhere"},
		{name: "a helper that a pattern takes", policy: pipeline("A: *→A ?h", "B: a→A"), check: "dead-move",
			severity: verify.Problem, names: "h"},
		{name: "every message fails", policy: fails(pipeline(round...), "^API", ".*"), check: "all-fails",
			severity: verify.Problem, names: ".*", text: "every agent has failed"},
		{name: "every message fails by nothing", policy: fails(pipeline(round...), "x*"), check: "all-fails",
			severity: verify.Problem, names: "x*"},
		{name: "an exception for some tools", policy: ruled(pipeline(round...), fsm.Pass,
			in(allow("all", "Write", "Edit"), "/p/**"), in(deny("no", "Write", "Edit", "Delete"), "/p/**")),
			check: "overruled", severity: verify.Note, names: "no",
			text: "rule no does not decide about Write, Edit: all allows"},
		{name: "an exception for the command", policy: ruled(pipeline(round...), fsm.Pass,
			runs(allow("git", "Bash"), "git"), runs(runs(deny("no", "Bash"), "git", "push"), "npm")),
			check: "overruled", severity: verify.Note, names: "no",
			text: "rule no decides about `git push` only inside of other commands, such as sudo: git allows"},
	} {
		t.Run(f.name, func(t *testing.T) { f.test(t) })
	}
}

// TestNothingSilentIsInvented: what may happen is not called impossible.
func TestNothingSilentIsInvented(t *testing.T) {
	allow := fsm.Rule{Name: "some", Tools: []string{"Bash"}, Commands: [][]string{{"git", "status"}}}
	git := with(deny("git", "Bash"), func(r *fsm.Rule) { r.Commands = [][]string{{"git"}} })
	all := map[string]*fsm.Policy{
		"an exception first":   ruled(pipeline(round...), fsm.Pass, allow, git),
		"anchors of lines":     pipeline(`A: a/(?m)x$\n^y/→B a→A`, "B: b→A"),
		"nothing, then an end": pipeline(`A: a/x*$^/→B a/(|x)^y/→B a→A`, "B: b→A"),
		"some fail": also(pipeline(round...),
			func(p *fsm.Policy) { p.Fails = []string{"^$", "^x.*", "(?i)error"} }),
	}
	for name, p := range all {
		t.Run(name, func(t *testing.T) {
			for _, check := range []string{"dead-move", "overruled", "all-fails", "unused-returns"} {
				if found := of(verify.Verify(p, nil), check); len(found) > 0 {
					t.Error(list(found))
				}
			}
		})
	}
}
