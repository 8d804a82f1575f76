package fsm_test

import (
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
)

// TestProtocolSaysTheConditions: what is refused only sometimes is not said to be refused.
func TestProtocolSaysTheConditions(t *testing.T) {
	p := fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{
		{Name: "a", Verdict: fsm.Deny, Tools: []string{"Write"}},
		{Name: "b", Verdict: fsm.Deny, Tools: []string{"Agent"}, Inputs: []fsm.Input{{"team_name", "*"}}},
		{Name: "c", Verdict: fsm.Deny, Tools: []string{"SendMessage"}, UnlessEnv: []fsm.Input{{"TEAMS", "1"}}},
		{Name: "d", Verdict: fsm.Deny, Tools: []string{"TeamCreate"}, Env: []fsm.Input{{"TEAMS", "0"}}},
		{Name: "e", Verdict: fsm.Deny, Tools: []string{"Grep"}, Within: 3, DelegateTo: []string{"analyst", "Explore"}},
		{Name: "k", Verdict: fsm.Confine, Tools: []string{"Bash"}, Commands: [][]string{{fsm.UnknownCode}}},
		{Name: "f", Verdict: fsm.Deny, Tools: []string{"Read"}, Budgeted: true, Budget: 2,
			ResetOn: []string{"delegate"}},
	}}}
	text := p.SelfCheckText()
	for _, want := range []string{"Tool: not for you: Write.\n",
		"Counted: Grep: not again within 3 calls; Read: 2 are free, and again after delegate.",
		"Commands: kept from writing: whatever cannot be known before it runs.",
		"Delegate it to analyst or Explore."} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}

// TestEveryConditionIsSaid: a rule that refuses a tool on some condition is not said to refuse it always. A field
// that somebody adds is in neither list, and fails here.
func TestEveryConditionIsSaid(t *testing.T) {
	some, input, yes := []string{"X"}, []fsm.Input{{"X", "1"}}, true
	conditions := map[string]func(*fsm.Rule){
		"Verdict":    func(r *fsm.Rule) { r.Verdict = fsm.Ask },
		"Commands":   func(r *fsm.Rule) { r.Commands = [][]string{some} },
		"Changes":    func(r *fsm.Rule) { r.Changes = &yes },
		"Inputs":     func(r *fsm.Rule) { r.Inputs = input },
		"Paths":      func(r *fsm.Rule) { r.Paths = some },
		"States":     func(r *fsm.Rule) { r.States = some },
		"Agents":     func(r *fsm.Rule) { r.Agents = some },
		"AdmittedIn": func(r *fsm.Rule) { r.AdmittedIn = some },
		"Starts":     func(r *fsm.Rule) { r.Starts = some },
		"Env":        func(r *fsm.Rule) { r.Env = input },
		"UnlessEnv":  func(r *fsm.Rule) { r.UnlessEnv = input },
		"Budgeted":   func(r *fsm.Rule) { r.Budgeted = true },
		"Within":     func(r *fsm.Rule) { r.Within = 2 },
		"Levelled":   func(r *fsm.Rule) { r.Levelled, r.Level = true, fsm.Guidance },
	}
	const noCondition = "it is no condition"
	checkFields[fsm.Rule](t, conditions, map[string]string{"Tools": "without them, no tool is named",
		"Name":  noCondition,
		"Place": noCondition, "Reason": noCondition, "Type": noCondition, "Example": noCondition,
		"Describe":   noCondition,
		"DelegateTo": noCondition, "Else": "it is of the verdict confine", "Budget": "it counts with Budgeted",
		"ResetOn": "it counts with Budgeted", "Level": "it counts with Levelled"})
	refuses := func(set func(*fsm.Rule)) bool {
		r := fsm.Rule{Name: "no", Verdict: fsm.Deny, Tools: []string{"Write"}}
		set(&r)
		p := fsm.Policy{Main: fsm.Rules{List: []fsm.Rule{r}}}
		return strings.Contains(p.SelfCheckText(), "not for you: Write")
	}
	if !refuses(func(*fsm.Rule) {}) {
		t.Error("a rule without a condition is not said")
	}
	if !refuses(func(r *fsm.Rule) { r.Levelled, r.Level = true, fsm.Strict }) {
		t.Error("a rule that is strict by its own level is not said")
	}
	for field, set := range conditions {
		if refuses(set) {
			t.Errorf("%s: the rule is said to refuse every call", field)
		}
	}
}
