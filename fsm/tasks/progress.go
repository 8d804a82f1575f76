package tasks

import (
	"slices"
	"strings"
)

// Progress is how far a graph has come. It is small, under 3 KB for the largest graph,
// because it is in every line of a session's journal. The graph itself is kept elsewhere,
// under its hash. The functions return a new Progress and leave the old one unchanged. A
// mark says done only when an agent was seen to stop. It stays until the phase leaves the
// graph or goes to another agent.
type Progress struct {
	Graph string `json:"graph,omitempty"` // the hash of the graph's text; set by the caller, not used here
	Marks string `json:"marks,omitempty"` // a letter per slot, in the graph's order; a missing one is pending
	Runs  []Run  `json:"runs,omitempty"`  // the agents that run, and the latest of those that ran
	More  bool   `json:"more,omitempty"`  // there are ended runs that are no longer kept
}

// The letters of Progress.Marks. Running is no mark: it follows from Runs.
const (
	pending = '.'
	done    = 'd'
	failed  = 'x'
)

// A Run is an agent at work on its slot. The same run may stop and start several times.
type Run struct {
	ID    string `json:"id"`
	Slot  int    `json:"slot"`
	Ended bool   `json:"ended,omitempty"`
}

// keptEnded is how many ended runs are kept, so that one that starts again is known. All
// that run are kept.
const keptEnded = 40

// Start gives a run its slot: the first that is ready. Where all wait it takes the first
// of them, since it was admitted over an objection. Where all are taken or done it takes
// none, and is not kept. A known run continues in its slot.
func (g Graph) Start(pr Progress, agent, run string, same Same) Progress {
	if i := pr.indexOfRun(run); i >= 0 {
		pr.Runs = slices.Clone(pr.Runs)
		pr.Runs[i].Ended = false
		return pr
	}
	if n := g.MayStart(pr, agent, 0, same).slot; n >= 0 {
		pr.Runs = append(slices.Clone(pr.Runs), Run{ID: run, Slot: n})
	}
	return pr
}

// Stop ends a run; ok says that it has done its part. A run that was never seen to start
// has no effect: a caller that knows its type may Start it first.
func (pr Progress) Stop(run string, ok bool) Progress {
	i := pr.indexOfRun(run)
	if i < 0 {
		return pr
	}
	if n := pr.Runs[i].Slot; ok {
		pr = pr.writeMark(n, done)
	} else if pr.markAt(n) != done {
		pr = pr.writeMark(n, failed)
	}
	return pr.Lose(run)
}

// Lose frees the slot of a run that can no longer be running although its end was not
// seen. It may start again.
func (pr Progress) Lose(run string) Progress {
	i := pr.indexOfRun(run)
	if i < 0 {
		return pr
	}
	r := pr.Runs[i]
	r.Ended = true
	pr.Runs = append(slices.Delete(slices.Clone(pr.Runs), i, i+1), r)
	ended := len(pr.Runs) - len(pr.Live())
	pr.Runs = slices.DeleteFunc(pr.Runs, func(r Run) bool { // the oldest that have ended
		if !r.Ended || ended <= keptEnded {
			return false
		}
		ended--
		pr.More = true
		return true
	})
	return pr
}

func (pr Progress) indexOfRun(id string) int {
	return slices.IndexFunc(pr.Runs, func(r Run) bool { return r.ID == id })
}

// Live lists the ids of the runs that have not ended.
func (pr Progress) Live() (out []string) {
	for _, r := range pr.Runs {
		if !r.Ended {
			out = append(out, r.ID)
		}
	}
	return out
}

func (pr Progress) writeMark(slot int, letter byte) Progress {
	marks := []byte(pr.Marks)
	for len(marks) <= slot {
		marks = append(marks, pending)
	}
	marks[slot] = letter
	pr.Marks = strings.TrimRight(string(marks), string(pending))
	return pr
}

func (pr Progress) markAt(slot int) byte {
	if slot < len(pr.Marks) {
		return pr.Marks[slot]
	}
	return pending
}

// MayResume reports whether a run that starts again may be given a slot: it has one, or
// never had one. One that is no longer kept would be given another agent's.
func (pr Progress) MayResume(run string) bool { return !pr.More || pr.indexOfRun(run) >= 0 }

// CarryProgress takes progress over to a new version of the graph, for each phase with the same
// id, title and agents as before. The caller writes the new hash.
func CarryProgress(from, to Graph, pr Progress) Progress {
	return carryProgress(from, to, pr, func(a, b Phase) bool { return a.Title == b.Title && haveSameWorkers(a, b) })
}

func carryProgress(from, to Graph, pr Progress, isUnchanged func(a, b Phase) bool) Progress {
	type part struct {
		phase string
		k     int // which of its slots
	}
	before, moved := map[part]int{}, map[int]int{}
	for n, s := range from.listSlots() {
		before[part{from.Phases[s.phase].ID, s.part}] = n
	}
	for n, s := range to.listSlots() {
		p := to.Phases[s.phase]
		old, known := before[part{p.ID, s.part}]
		if known && isUnchanged(from.Phases[from.indexOf(p.ID)], p) {
			moved[old] = n
		}
	}
	out := Progress{Graph: pr.Graph, More: pr.More}
	for old, n := range moved {
		if mark := pr.markAt(old); mark != pending {
			out = out.writeMark(n, mark)
		}
	}
	for _, r := range pr.Runs {
		if n, ok := moved[r.Slot]; ok {
			out.Runs = append(out.Runs, Run{r.ID, n, r.Ended})
		}
	}
	return out
}
