package verify

import (
	"path"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm"
)

// listCandidates lists agents that represent all that may start in a state: those that states, rules
// and these other patterns tell apart, and those that exist. Without states they are all.
func (x *explored) listCandidates(state string, patterns ...string) []string {
	key := strings.Join(append([]string{state}, patterns...), "\x00")
	if out, known := x.open[key]; known {
		return out
	}
	names, out := x.listNames(), []string{}
	for _, r := range x.p.Subagents.List {
		patterns = append(patterns, r.Agents...)
	}
	for _, pattern := range append(patterns, "*") {
		names = append(names, listMatches(pattern)...)
	}
	for _, name := range names {
		if x.admits(state, name) {
			out = addMissing(out, name)
		}
	}
	x.open[key] = out
	return out
}

// anyWorker is an agent that every client has.
const anyWorker = "general-purpose"

// listNames lists the agents that states and rules can tell apart.
func (x *explored) listNames() []string {
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
		inputs = append(inputs, r.Starts...)
	}
	for _, p := range slices.Concat(patterns, inputs) {
		out = append(out, listMatches(p)...)
	}
	put := func(a, b string) string { return strings.ReplaceAll(a, "*", strings.ReplaceAll(b, "*", "")) }
	for _, a := range patterns {
		for _, b := range inputs { // names that both may mean: the fixed part of one in place of the star of the other
			if fsm.IsGlob(a) && fsm.IsGlob(b) {
				out = slices.Concat(out, listMatches(put(a, b)), listMatches(put(b, a)))
			}
		}
	}
	for _, a := range x.known {
		out = append(out, a.Name)
	}
	return out
}

// maxMatches is how many names stand for one pattern: a class of characters has no
// more.
const maxMatches = 128

// listMatches lists names that a pattern of agents matches. A name stands for itself.
// The names for a glob are unlikely in other patterns, so that an earlier trigger does
// not hide them.
func listMatches(pattern string) []string {
	return slices.DeleteFunc(fillGlob(pattern), func(name string) bool {
		return name == "" || !fsm.NamesAgent(pattern, name)
	})
}

// findMatch is a text that a glob matches.
func findMatch(glob string) string { return fillGlob(glob)[0] }

// fillGlob fills in everything that a glob leaves open.
func fillGlob(glob string) []string {
	out := []string{""}
	for rest := glob; rest != ""; {
		var pieces, longer []string
		pieces, rest = nextPiece(rest)
		for _, start := range out {
			for _, p := range pieces {
				longer = append(longer, start+p)
			}
		}
		out = longer[:min(len(longer), maxMatches)]
	}
	return out
}

// nextPiece is what the beginning of a glob may stand for, and the rest of the glob.
func nextPiece(glob string) (names []string, rest string) {
	switch glob[0] {
	case '*':
		return []string{"zq7", ""}, glob[1:]
	case '?':
		return []string{"q", "7", "z"}, glob[1:]
	case '[':
		if end := strings.IndexByte(glob[1:], ']'); end > 0 {
			class := glob[:2+end] // of its characters those that it names, and of what names are made of
			for _, c := range class + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.:" {
				if ok, _ := path.Match(class, string(c)); ok {
					names = addMissing(names, string(c))
				}
			}
			if len(names) > 0 {
				return names, glob[2+end:]
			}
		}
	case '\\':
		if len(glob) > 1 {
			return []string{glob[1:2]}, glob[2:]
		}
	}
	return []string{glob[:1]}, glob[1:]
}
