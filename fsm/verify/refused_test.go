package verify_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// TestFindRefused: only what no state, caller, condition or level lets pass.
func TestFindRefused(t *testing.T) {
	deny := func(r fsm.Rule, tools ...string) fsm.Rule {
		r.Name, r.Verdict, r.Tools = "r", fsm.Deny, tools
		return r
	}
	no := func(tools ...string) []fsm.Rule { return []fsm.Rule{deny(fsm.Rule{}, tools...)} }
	for name, c := range map[string]struct {
		main, subagents []fsm.Rule
		level           fsm.Level
		want            verify.Refused
	}{
		"tool, to all": {no("WebFetch"), no("WebFetch", "Write"), fsm.Strict,
			verify.Refused{Tools: []string{"WebFetch"}}},
		"old name":            {no("Task"), no("Agent"), fsm.Strict, verify.Refused{Tools: []string{"Agent"}}},
		"only the main agent": {no("WebFetch"), nil, fsm.Strict, verify.Refused{}},
		"a pattern":           {no("Web*"), no("Web*"), fsm.Strict, verify.Refused{}},
		"covered by a pattern": {no("WebFetch"), no("Web*"), fsm.Strict,
			verify.Refused{Tools: []string{"WebFetch"}}},
		"at a level that only warns": {no("WebFetch"), no("WebFetch"), fsm.Guidance, verify.Refused{}},
		"allowed before": {append([]fsm.Rule{{Name: "a", Tools: []string{"WebFetch"},
			Inputs: []fsm.Input{{Name: "url", Value: "x"}}}},
			no("WebFetch")...), no("WebFetch"), fsm.Strict, verify.Refused{}},
		"on a condition": {[]fsm.Rule{deny(fsm.Rule{States: []string{"A"}}, "WebFetch")}, no("WebFetch"), fsm.Strict,
			verify.Refused{}},
		"from a number on": {[]fsm.Rule{deny(fsm.Rule{Budgeted: true, Budget: 1}, "WebFetch")}, no("WebFetch"),
			fsm.Strict,
			verify.Refused{}},
		"at a level of its own": {[]fsm.Rule{deny(fsm.Rule{Levelled: true, Level: fsm.Guidance}, "WebFetch")},
			no("WebFetch"),
			fsm.Strict, verify.Refused{}},
		"agent that no state admits": {[]fsm.Rule{deny(fsm.Rule{Starts: []string{"leaf", "worker", "c-*"}}, "Agent")},
			nil, fsm.Strict,
			verify.Refused{Agents: []string{"leaf"}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := pipeline("A: worker→B", "B: helper→B")
			p.Main.List = c.main
			p.Ceiling = fsm.Ceiling{Level: c.level, RuleLevel: c.level, Main: fsm.Rules{List: c.main},
				Subagents: fsm.Rules{List: c.subagents}}
			if diff := cmp.Diff(c.want, verify.FindRefused(p, []string{"states"})); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if got := verify.FindRefused(p, nil); len(got.Agents) > 0 {
				t.Errorf("the states are not locked: %+v", got)
			}
			if p.Ceiling.Allow = []string{"INC-*"}; len(verify.FindRefused(p, []string{"states"}).Tools) > 0 {
				t.Error("a bypass is allowed")
			}
		})
	}
	free := ruled(&fsm.Policy{Level: fsm.Strict}, fsm.Pass, deny(fsm.Rule{Starts: []string{"leaf"}}, "Agent"))
	free.Ceiling = fsm.Ceiling{Level: fsm.Strict, RuleLevel: fsm.Strict}
	if got := verify.FindRefused(free, []string{"states"}); len(got.Agents) != 0 {
		t.Errorf("without states any agent may be admitted: %+v", got)
	}
}
