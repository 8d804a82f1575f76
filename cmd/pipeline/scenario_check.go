package main

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
)

// A failure is a step that did not come out as expected.
type failure struct {
	File     string   `json:"file"`
	Line     int      `json:"line"`
	Scenario string   `json:"scenario"`
	Step     string   `json:"step"`
	Expected []string `json:"expected"`
	Got      string   `json:"got"`
	Rule     string   `json:"rule,omitempty"`
	Where    string   `json:"where,omitempty"`
	Reason   string   `json:"reason,omitempty"`
	Notes    []string `json:"notes,omitempty"`
}

// compare holds a step to what is expected of it; nil when all is as it should be.
func (pl *player) compare(st scriptStep, o outcome) *failure {
	f := failure{Line: st.line, Step: st.text}
	var got []string
	for _, w := range st.wants {
		if is, ok := pl.meets(w, o); !ok {
			f.Expected = append(f.Expected, w.text)
			got = append(got, is)
		}
	}
	if len(got) == 0 {
		return nil
	}
	by := pl.decides(o)
	f.Got, f.Rule, f.Where, f.Reason, f.Notes = strings.Join(got, ", "), by.Rule, by.Where, o.Reason, o.notes
	return &f
}

// meets reports whether an outcome is as expected, and what it is.
func (pl *player) meets(w want, o outcome) (is string, ok bool) {
	switch w.kind {
	case wantState:
		if w.moves {
			return o.from + " -> " + o.to, w.from == o.from && w.state == o.to
		}
		return cmp.Or(o.to, "no state"), w.state == o.to
	case wantTold:
		return "told " + quote(o.told), strings.Contains(o.told, w.part) && (w.part != "" || o.told == "")
	case wantSays:
		return "says " + quote(o.Reason), strings.Contains(o.Reason, w.part) && (w.part != "" || o.Reason == "")
	}
	rule := o.Rule
	if o.judged && rule == "" && (w.rule != "" || o.StrictVerdict > fsm.Pass) {
		rule = cmp.Or(pl.decides(o).Rule, noRule)
	}
	return strings.TrimSpace(o.Verdict.String() + " " + rule), w.verdict == o.Verdict.String() && (w.rule == "" || w.rule == rule)
}

// printFailure tells a failed step: where, what was expected, what came, and by whose decision.
func (p *program) printFailure(f failure) {
	p.printf("%s:%d: %s\n", f.File, f.Line, f.Step)
	p.printf("    scenario  %s\n", f.Scenario)
	p.printf("    expected  %s\n", strings.Join(f.Expected, ", "))
	p.printf("    got       %s\n", f.Got)
	if f.Rule != "" {
		p.printf("    by        %s\n", ruling{Rule: f.Rule, Where: f.Where})
	}
	if f.Reason != "" {
		p.printf("    reason    %s\n", strings.Join(strings.Fields(f.Reason), " "))
	}
	for _, n := range f.Notes {
		p.printf("    note      %s\n", n)
	}
}

// unknown finds what a script calls a state and the config does not have.
func (s *script) unknown(p *fsm.Policy) []config.Problem {
	var out []config.Problem
	check := func(line, col int, name, others string) {
		if _, ok := p.FindState(name); !ok && name != "" {
			out = append(out, s.problem(line, col, fmt.Sprintf("found %s, expected %s%s", quote(name), others, stateNames(p)), ""))
		}
	}
	for _, sc := range s.scenarios {
		for _, st := range sc.steps {
			if st.verb == actReset {
				check(st.line, st.argCol, st.arg, "")
			}
			for _, w := range st.wants {
				if w.moves {
					check(st.line, w.col, w.from, "")
					check(st.line, w.col, w.state, "")
					continue
				}
				check(st.line, w.col, w.state, "pass, warn, ask, deny or ")
			}
		}
	}
	return out
}

func stateNames(p *fsm.Policy) string {
	var names []string
	for _, s := range p.States {
		names = append(names, s.Name)
	}
	if len(names) == 0 {
		return "no state: the config has none"
	}
	return "one of the states " + strings.Join(names, ", ")
}
