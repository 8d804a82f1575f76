package verify

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// candidates lists agents that stand for all who may start in a state: those whose name some state or rule has, some
// for each pattern, and those that exist.
func (x *explored) candidates(state string) []string {
	if out, ok := x.open[state]; ok {
		return out
	}
	in, out := x.state(state), []string{}
	for _, name := range x.cast() {
		if _, ok := in.Admits(name); ok && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	x.open[state] = out
	return out
}

// cast lists everybody whom states and rules may tell from others.
func (x *explored) cast() []string {
	var patterns, inputs, out []string
	for _, st := range x.p.States {
		for _, t := range st.Triggers {
			patterns = append(patterns, t.Agents...)
		}
	}
	for _, r := range x.p.Main.List {
		for _, in := range r.Inputs {
			inputs = append(inputs, in.Value)
		}
	}
	for _, p := range slices.Concat(patterns, inputs) {
		out = append(out, witnesses(p)...)
	}
	for _, p := range patterns {
		for _, in := range inputs {
			out = append(out, both(p, in)...)
		}
	}
	for _, a := range x.known {
		out = append(out, a.Name)
	}
	return out
}

// both lists names that two globs may have in common: what one says, in place of what the other leaves open.
func both(a, b string) []string {
	if !fsm.IsGlob(a) || !fsm.IsGlob(b) {
		return nil
	}
	put := func(a, b string) string { return strings.ReplaceAll(a, "*", strings.ReplaceAll(b, "*", "")) }
	return slices.Concat(witnesses(put(a, b)), witnesses(put(b, a)))
}
