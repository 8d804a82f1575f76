package verify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/diagram"
	"github.com/agent-pipeline/pipeline/fsm/verify"
)

// policies is how many random policies each property is tried on.
const policies = 2000

// TestAgainstBruteForce: what Verify says of the states is what playing every session comes to.
func TestAgainstBruteForce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(20, 26))
	counted := map[string]int{}
	for range policies {
		p := drawn(r)
		restricted(r, p, false)
		w, found := walk(p), verify.Verify(p, nil)
		for check, want := range w.expects() {
			slices.Sort(want)
			got := append(named(found, check, verify.Problem), named(found, check, verify.Note)...)
			if !slices.Equal(got, want) {
				t.Fatalf("%s: found %q, by force %q\n%s\nfound:\n%s", check, got, want, drawing(t, p), list(found))
			}
			counted[check] += len(want)
		}
		for _, f := range found {
			w.follow(t, f)
		}
	}
	for check, n := range counted {
		if n < policies/50 {
			t.Errorf("%s: only %d states in %d policies", check, n, policies)
		}
	}
	t.Logf("%d policies; states found: %v", policies, counted)
}

// expects are the findings about states, by force.
func (w *walker) expects() map[string][]string {
	out := map[string][]string{"unreachable-state": nil, "no-legal-move": nil, "no-way-to-an-end": nil,
		"person-only": nil}
	ends := w.ends()
	for _, st := range w.p.States {
		if !slices.Contains(w.states(), st.Name) {
			out["unreachable-state"] = append(out["unreachable-state"], st.Name)
			continue
		}
		if w.dead[st.Name] {
			out["no-legal-move"] = append(out["no-legal-move"], st.Name)
		}
		if len(ends) > 0 && w.distance(st.Name, ends...) < 0 {
			out["no-way-to-an-end"] = append(out["no-way-to-an-end"], st.Name)
		}
		if w.leaves(st.Name) >= fsm.Ask {
			out["person-only"] = append(out["person-only"], st.Name)
		}
	}
	return out
}

func (w *walker) leaves(state string) fsm.Verdict {
	least := fsm.Deny
	for way, v := range w.way {
		if way[0] == state && way[1] != state {
			least = min(least, v)
		}
	}
	return least
}

func (w *walker) ends() (out []string) {
	for _, st := range w.p.States {
		moves, stopped := false, false
		for _, t := range st.Triggers {
			moves = moves || !t.Helper
		}
		for _, from := range w.p.States {
			stopped = stopped || from.OnStop == st.Name
		}
		if stopped || !moves {
			out = append(out, st.Name)
		}
	}
	return out
}

// follow holds a trace to what was played: it exists, and there is none that is shorter.
func (w *walker) follow(t *testing.T, f verify.Finding) {
	t.Helper()
	if len(f.Trace) == 0 || f.Trace[0] == "Q0" {
		return
	}
	at := "Q0"
	for _, step := range f.Trace {
		from, to, _ := strings.Cut(step, " –")
		to = to[strings.LastIndex(to, "→ ")+len("→ "):]
		if _, ok := w.way[[2]string{from, to}]; !ok || from != at {
			t.Fatalf("trace %q: no way from %s to %s\n%s", f.Trace, at, to, drawing(t, w.p))
		}
		at = to
	}
	if n := w.distance("Q0", at); n != len(f.Trace) {
		t.Fatalf("trace %q is %d long, the shortest %d", f.Trace, len(f.Trace), n)
	}
}

func drawing(t *testing.T, p *fsm.Policy) string {
	t.Helper()
	out, err := diagram.Draw(p, "Q0", "text")
	if err != nil {
		t.Fatal(err)
	}
	return out + fmt.Sprintf("%+v", p.Main)
}

// TestCountingRulesAgainstBruteForce: with rules that count calls it depends on the way what is refused; then
// everything that can be reached, and every state that is ever stuck, must be known to Verify.
func TestCountingRulesAgainstBruteForce(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 7))
	stuck := 0
	for range policies / 2 {
		p := drawn(r)
		restricted(r, p, true)
		w, found := walk(p), verify.Verify(p, nil)
		said := append(named(found, "no-legal-move", verify.Problem), named(found, "no-legal-move", verify.Note)...)
		for state := range w.dead {
			if w.dead[state] && !slices.Contains(said, state) {
				t.Fatalf("%s is stuck, by force; found:\n%s\n%s", state, list(found), drawing(t, p))
			}
			if w.dead[state] {
				stuck++
			}
		}
		for _, state := range named(found, "unreachable-state", verify.Problem) {
			if slices.Contains(w.states(), state) {
				t.Fatalf("%s was reached by force\n%s", state, drawing(t, p))
			}
		}
	}
	if stuck < policies/50 {
		t.Errorf("only %d states were ever stuck", stuck)
	}
}
