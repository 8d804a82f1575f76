package fsm

import (
	"strings"
	"testing"
)

// TestProtocolSaysTheConditions: what is refused only sometimes is not said to be refused.
func TestProtocolSaysTheConditions(t *testing.T) {
	p := Policy{Main: Rules{List: []Rule{
		{Name: "a", Verdict: Deny, Tools: []string{"Write"}},
		{Name: "b", Verdict: Deny, Tools: []string{"Agent"}, Inputs: []Input{{"team_name", "*"}}},
		{Name: "c", Verdict: Deny, Tools: []string{"SendMessage"}, UnlessEnv: []Input{{"TEAMS", "1"}}},
		{Name: "d", Verdict: Deny, Tools: []string{"TeamCreate"}, Env: []Input{{"TEAMS", "0"}}},
		{Name: "e", Verdict: Deny, Tools: []string{"Grep"}, Within: 3, DelegateTo: []string{"analyst", "Explore"}},
		{Name: "f", Verdict: Deny, Tools: []string{"Read"}, Budgeted: true, Budget: 2, ResetOn: []string{"delegate"}},
	}}}
	text := p.SelfCheckText()
	for _, want := range []string{"Tool: not for you: Write.\n",
		"Counted: Grep: not again within 3 calls; Read: 2 are free, and again after delegate.",
		"Delegate it to analyst or Explore."} {
		if !strings.Contains(text, want) {
			t.Errorf("it lacks %q:\n%s", want, text)
		}
	}
}
