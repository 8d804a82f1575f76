package config

import "testing"

// TestEmptyStates: each state in which no agent may run is reported.
func TestEmptyStates(t *testing.T) {
	const message = " found a state in which no agent may run, expected `agents`, `helpers` or `moves`"
	got := problemsOf(t, "version: 1\ninitial: A\nstates:\n  A: {inject: x}\n  B: {inject: x}\n  C: {on_plan: A}\n")
	if want := "4" + message + "\n5" + message; got != want {
		t.Error(got)
	}
}

// TestCaptureOfAPlan: a state that a plan ends keeps the plan under its capture's name. In others only agents' messages
// are kept.
func TestCaptureOfAPlan(t *testing.T) {
	for more, want := range map[string]string{"": "", ", on_plan: A": "kept"} {
		p := compiledText(t, "version: 1\ninitial: A\nstates: {A: {agents: [x], capture: kept"+more+"}}\n")
		if s := p.States[0]; s.Capture != want || s.Triggers[0].Capture != "kept" {
			t.Errorf("%q: %+v", more, s)
		}
	}
}
