package tasks

import (
	"fmt"
	"slices"
	"strings"
)

// checkGraph finds what is wrong between phases.
func (r *reader) checkGraph(g Graph) {
	seen := len(r.found)
	r.checkUnique(g)
	for i, p := range g.Phases {
		for k, id := range p.After {
			r.checkReference(g, i, fmt.Sprintf("phases[%d].after[%d]", i, k), id)
		}
	}
	if n := len(g.listSlots()); n > maxSlots {
		r.addError("phases", "the phases have %d teammates and agents together, at most %d may be", n, maxSlots)
	}
	if !Wrong(r.found[seen:]) { // what is out of order is a cycle too, and was told
		r.checkCycles(g)
	}
}

func (r *reader) checkUnique(g Graph) {
	for i, p := range g.Phases {
		if first := g.indexOf(p.ID); first < i && p.ID != "" {
			r.addError(fmt.Sprintf("phases[%d].id", i), "phase %s is there twice: phases[%d] has the same id", quoteName(p.ID), first)
		}
	}
}

func (r *reader) checkReference(g Graph, i int, at, id string) {
	p := g.Phases[i]
	before := g.indexOf(id)
	switch {
	case id == "": // told when it was read
	case before < 0:
		r.addError(at, "phase %s comes after %s, which does not exist%s", quoteName(p.ID), quoteName(id), hintNearest(id, g.phaseIDs()))
	case id == p.ID:
		r.addError(at, "phase %s comes after itself", quoteName(id))
	case p.Wave > 0 && g.Phases[before].Wave > p.Wave:
		r.addError(at, "phase %s is in wave %d, but comes after %s of wave %d", quoteName(p.ID), p.Wave, quoteName(id), g.Phases[before].Wave)
	}
}

// checkCycles names each circle in which phases wait for each other. One phase is named in one of them only: what is left
// shows when that one is mended.
func (r *reader) checkCycles(g Graph) {
	const fresh, open, closed = 0, 1, 2
	state, path := make([]int, len(g.Phases)), []int{}
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		path = append(path, i)
		for _, b := range g.phasesBefore(i) {
			if state[b] == fresh {
				visit(b)
			} else if state[b] == open {
				r.reportCycle(g, path[slices.Index(path, b):])
			}
		}
		path = path[:len(path)-1]
		state[i] = closed
	}
	for i := range g.Phases {
		if state[i] == fresh {
			visit(i)
		}
	}
}

func (r *reader) reportCycle(g Graph, path []int) {
	where := fmt.Sprintf("phases[%d]", path[0])
	if slices.ContainsFunc(r.found, func(m Mistake) bool { return m.Where == where && !m.Note }) {
		return
	}
	var steps []string
	for k, i := range path {
		next := path[(k+1)%len(path)]
		steps = append(steps, g.describeWait(i, next))
	}
	r.addError(where, "these phases wait for each other: %s", strings.Join(steps, ", "))
}

func (g Graph) describeWait(i, next int) string {
	a, b := g.Phases[i], g.Phases[next]
	if slices.Contains(a.After, b.ID) {
		return fmt.Sprintf("%s comes after %s", quoteName(a.ID), quoteName(b.ID))
	}
	return fmt.Sprintf("%s of wave %d after %s of wave %d", quoteName(a.ID), a.Wave, quoteName(b.ID), b.Wave)
}

// phasesBefore are the phases that a phase waits for: those that it names, and all of the waves before its own.
func (g Graph) phasesBefore(i int) []int {
	var out []int
	p := &g.Phases[i]
	for k := range g.Phases { // without copies: it is asked of every phase
		q := &g.Phases[k]
		if k != i && (p.Wave > 0 && q.Wave > 0 && q.Wave < p.Wave || slices.Contains(p.After, q.ID)) {
			out = append(out, k)
		}
	}
	return out
}

// hintNearest is the hint for a name that is not there; "" when none is like it.
func hintNearest(word string, among []string) string {
	best, least := "", (len([]rune(word))+1)/3+1
	for _, w := range among {
		d := editDistance([]rune(strings.ToLower(word)), []rune(strings.ToLower(w)))
		if w != "" && w != word && (d < least || strings.HasPrefix(w, word) && best == "") {
			best, least = w, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + quoteName(best) + "?"
}

// editDistance counts the letters to put in, take out or change on the way from one word to the other.
func editDistance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		last := row[0]
		row[0] = i + 1
		for j := range b {
			change := last
			if a[i] != b[j] {
				change++
			}
			last = row[j+1]
			row[j+1] = min(change, last+1, row[j]+1)
		}
	}
	return row[len(b)]
}
