package fsm_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestRulings: a decision says of each part of a call which rule decided it, also where
// the rule let it pass.
func TestRulings(t *testing.T) {
	rules := fsm.Rules{Default: fsm.Rule{}, List: []fsm.Rule{
		{Name: "looking", Place: "p:1", Tools: []string{"Bash"}, Commands: [][]string{{"git", "status"}}},
		{Name: "pushing", Place: "p:2", Tools: []string{"Bash"}, Commands: [][]string{{"git", "push"}},
			Verdict: fsm.Deny, Type: "PUSH"},
		{Name: "reading", Place: "p:3", Tools: []string{"Read"}, Verdict: fsm.Deny, Budgeted: true, Budget: 2},
		{Name: "building", Place: "p:4", Tools: []string{"Bash"}, Commands: [][]string{{"make"}}, Verdict: fsm.Ask},
	}}
	policy := fsm.Policy{Level: fsm.Strict, Initial: "IDLE", Main: rules,
		States: []fsm.State{{Name: "IDLE", Place: "p:9",
			Triggers: []fsm.Trigger{{Name: "x", Agents: []string{"x"}, To: "IDLE"}}}}}
	status, push, read := bash("git", "status"), bash("git", "push"), file("Read", "/p/a")
	guarded := file("Write", "/p/pipeline.yaml")
	guarded.Guards = "the policy"
	client := bash("claude", "-p", "x")
	client.Client = "claude"

	type want struct {
		rule, where      string
		verdict, strict  fsm.Verdict
		free             int
		spent, uncovered fsm.Verdict
		bypassed         bool
	}
	for name, c := range map[string]struct {
		level  fsm.Level
		bypass string
		starts string
		parts  []fsm.Part
		want   []want
	}{
		"what is allowed, what is denied, what no rule names": {parts: []fsm.Part{status, push, bash("ls")},
			want: []want{
				{rule: "looking", where: "p:1"}, {rule: "pushing", where: "p:2", verdict: fsm.Deny,
					strict: fsm.Deny}, {rule: "default"}}},
		"a level that only warns": {level: fsm.Guidance, parts: []fsm.Part{push}, want: []want{
			{rule: "pushing", where: "p:2", verdict: fsm.Warn, strict: fsm.Deny}}},
		"a level that records": {level: fsm.Observe, parts: []fsm.Part{push}, want: []want{
			{rule: "pushing", where: "p:2", strict: fsm.Deny}}},
		"a free call": {parts: []fsm.Part{read}, want: []want{
			{rule: "reading", where: "p:3", free: 2, spent: fsm.Deny, uncovered: fsm.Deny}}},
		"a free call, where the user is asked": {level: fsm.AskFirst, parts: []fsm.Part{read}, want: []want{
			{rule: "reading", where: "p:3", free: 2, spent: fsm.Ask, uncovered: fsm.Deny}}},
		"more calls than are free": {parts: []fsm.Part{read, read, read}, want: []want{
			{rule: "reading", where: "p:3", free: 2, spent: fsm.Deny, uncovered: fsm.Deny},
			{rule: "reading", where: "p:3", free: 2, spent: fsm.Deny, uncovered: fsm.Deny},
			{rule: "reading", where: "p:3", verdict: fsm.Deny, strict: fsm.Deny}}},
		"a bypass": {bypass: "pushing", parts: []fsm.Part{push, bash("make")}, want: []want{
			{rule: "pushing", where: "p:2", strict: fsm.Deny, bypassed: true},
			{rule: "building", where: "p:4", verdict: fsm.Ask, strict: fsm.Ask}}},
		"a free call under a bypass": {bypass: "reading", parts: []fsm.Part{read}, want: []want{
			{rule: "reading", where: "p:3", free: 2, uncovered: fsm.Deny}}},
		"a protected file beside what is denied": {parts: []fsm.Part{guarded, push, status, read}, want: []want{
			{rule: fsm.RuleProtect, verdict: fsm.Deny, strict: fsm.Deny},
			{rule: "pushing", where: "p:2", verdict: fsm.Deny, strict: fsm.Deny}, {rule: "looking", where: "p:1"},
			{rule: "reading", where: "p:3", free: 2, spent: fsm.Deny, uncovered: fsm.Deny}}},
		"an agent that the state does not admit": {starts: "y", parts: []fsm.Part{{Tool: "Agent"}}, want: []want{
			{rule: fsm.RulePipeline, where: "p:9", verdict: fsm.Deny, strict: fsm.Deny}}},
		"an agent that the state admits": {starts: "x", parts: []fsm.Part{{Tool: "Agent"}},
			want: []want{{rule: "default"}}},
		"a client among the parts": {parts: []fsm.Part{status, client}, want: []want{
			{rule: "looking", where: "p:1"}, {rule: fsm.RulePipeline, where: "p:9", verdict: fsm.Deny,
				strict: fsm.Deny}}},
	} {
		t.Run(name, func(t *testing.T) {
			p := policy
			if c.level != 0 {
				p.Level = c.level
			}
			e := fsm.Event{Kind: fsm.ToolRequest, Tool: fsm.Tool{Name: c.parts[0].Tool, UseID: "1", Parts: c.parts}}
			if c.starts != "" {
				e.Tool.Starts = &fsm.Start{How: fsm.ByAgent, Type: c.starts}
			}
			if c.bypass != "" {
				e.Facts.Overrides.Bypasses = []fsm.Bypass{{Rule: c.bypass}}
			}
			d := begin(t, &p).do(e).d
			if len(d.Parts) != len(c.want) {
				t.Fatalf("%d rulings on %d parts", len(d.Parts), len(c.want))
			}
			var strictest, strict fsm.Verdict
			for i, r := range d.Parts {
				got := want{r.Rule, r.Where, r.Verdict, r.StrictVerdict, r.Free, r.Spent, r.SpentStrict, r.Bypassed}
				if got != c.want[i] || r.Part.Tool != c.parts[i].Tool {
					t.Errorf("part %d: %+v, expected %+v", i, got, c.want[i])
				}
				strictest, strict = max(strictest, r.Verdict), max(strict, r.StrictVerdict)
			}
			if strictest != d.Verdict || strict != d.StrictVerdict {
				t.Errorf("the parts come to %s (%s), the call to %s (%s)", strictest, strict, d.Verdict,
					d.StrictVerdict)
			}
		})
	}
}

// TestObjections: a decision lists every objection, not only the one that it names.
func TestObjections(t *testing.T) {
	deny := fsm.Rule{Name: "no-agents", Tools: []string{"Agent"}, Verdict: fsm.Deny}
	p := fsm.Policy{Level: fsm.AskFirst, Initial: "IDLE", Main: fsm.Rules{List: []fsm.Rule{deny}},
		States: []fsm.State{{Name: "IDLE"}}}
	pl := begin(t, &p).asks(main(), "y", "1")
	var rules []string
	for _, o := range pl.d.Objections {
		rules = append(rules, o.Rule)
		if o.Verdict != fsm.Ask || o.StrictVerdict != fsm.Deny || o.Reason == "" {
			t.Errorf("%+v", o)
		}
	}
	if len(rules) != 2 || rules[0] != "no-agents" || rules[1] != fsm.RulePipeline || pl.d.Rule != "no-agents" {
		t.Errorf("objections of %v, decided by %s", rules, pl.d.Rule)
	}
}
