package fsm

import (
	"fmt"
	"slices"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// A CheckResult is what a check found.
type CheckResult struct {
	Name    string `json:"name"`
	OK      bool   `json:"ok,omitempty"`
	Missing bool   `json:"missing,omitempty"` // its program is missing: a matter for the user, not the agent
	Output  string `json:"output,omitempty"`  // the end of what it printed
}

// A GateResult is what a gate's command came to.
type GateResult struct {
	Key    string `json:"key"` // of the gate: the state, the visit and the trigger
	OK     bool   `json:"ok,omitempty"`
	Output string `json:"output,omitempty"` // the end of what it printed
}

// EditedFiles lists the files that a call has written.
func EditedFiles(t Tool) (files []string) {
	for _, p := range t.Parts {
		if ChangesFiles(p.Tool) && p.Tool != "Delete" && p.Path != "" && p.Path != shell.Unknown &&
			!slices.Contains(files, p.Path) {
			files = append(files, p.Path)
		}
	}
	return files
}

// reportMissingChecks notifies the user once of checks whose program is missing. A late
// event has no reader.
func (st *step) reportMissingChecks() {
	if st.e.Late {
		return
	}
	for _, r := range st.e.Facts.Checks {
		if name := short(r.Name, 40); r.Missing && !slices.Contains(st.s.Turn.MissingChecks, name) {
			st.s.Turn.MissingChecks = append(st.s.Turn.MissingChecks, name)
			st.d.notify(fmt.Sprintf("the check %s could not be run: %s", r.Name, short(r.Output, 200)))
		}
	}
}

// A gateError says why a gate keeps an agent from moving the machine.
type gateError struct {
	gate   *Gate
	wasRun bool
}

func (e gateError) Error() string {
	what := short(e.gate.Run, 60)
	switch {
	case e.gate.Person != "":
		return "a person must agree first: " + e.gate.Person
	case e.wasRun:
		return "the gate is not passed: " + what + " failed"
	}
	return "the gate is not passed: it was not run for this (" + what + ")"
}

// findResult is what a trigger's gate came to in this visit of the state; nil where it was not run.
func (st *step) findResult(g *Gate, trigger string) *GateResult {
	key := fmt.Sprintf("%s/%d/%s", st.s.Machine.State, st.s.Machine.Visit, trigger)
	if r := st.e.Facts.Gate; r != nil && r.Key == key {
		return r
	}
	if st.asked == nil {
		st.asked, st.askedKey = g, key
	}
	return nil
}

// passGate reports whether an agent passes a trigger's gate, if there is one.
func (mv mover) passGate(t Trigger) error {
	if t.Gate == nil || mv.level <= Guidance {
		return nil
	}
	if _, ok := mv.findBypass(RuleGate); ok {
		return nil
	}
	if t.Gate.Person != "" {
		return gateError{t.Gate, false}
	}
	if r := mv.findResult(t.Gate, t.Name); r == nil || !r.OK {
		return gateError{t.Gate, r != nil}
	}
	return nil
}
