package tasks

import (
	"slices"
	"strings"
)

// Progress is how far a graph has come. It is small, under 3 KB for the largest graph, because it travels in every line
// of a session's journal; the graph itself is kept elsewhere, under its hash. Its functions return a new Progress and
// leave the old one as it was. A mark says done only when an agent has been seen to stop; nothing takes it away again
// but that the phase is taken out of the graph or given to another agent.
type Progress struct {
	Graph string `json:"graph,omitempty"` // the hash of the graph's text; the caller's, not looked at here
	Marks string `json:"marks,omitempty"` // a letter per agent's part of a phase, in the graph's order; what is missing is pending
	Runs  []Run  `json:"runs,omitempty"`  // the agents that run, and the latest of those that ran
}

// The letters of Progress.Marks. Running is no mark: it follows from Runs.
const (
	pending = '.'
	done    = 'd'
	failed  = 'x'
)

// A Run is an agent at work on its part of a phase. The same run may stop and start several times.
type Run struct {
	ID    string `json:"id"`
	Slot  int    `json:"slot"`
	Ended bool   `json:"ended,omitempty"`
}

// How many runs are remembered: ended ones, so that one that wakes up again is known; and all, should ends get lost.
const (
	keptEnded = 20
	keptAll   = 40
)

// Start lets an agent of a type take its part: the first that is ready; where all wait, the first of them (it was let in
// over an objection); where all are taken or done, none, and the run is not kept. A run that is known goes on where it was.
func (g Graph) Start(pr Progress, agent, run string, same Same) Progress {
	if i := pr.indexOfRun(run); i >= 0 {
		pr.Runs = slices.Clone(pr.Runs)
		pr.Runs[i].Ended = false
		return pr
	}
	_, take := g.findSlot(pr, agent, 0, same)
	if take < 0 {
		return pr
	}
	pr.Runs = trimRuns(append(slices.Clone(pr.Runs), Run{ID: run, Slot: take}))
	return pr
}

// Stop ends a run. ok: it has done its part. A run that was never seen to start does nothing: whoever knows its type may
// Start it first.
func (pr Progress) Stop(run string, ok bool) Progress {
	i := pr.indexOfRun(run)
	if i < 0 {
		return pr
	}
	letter := byte(failed)
	if ok {
		letter = done
	}
	return pr.setMark(pr.Runs[i].Slot, letter).endRun(i)
}

// Lose frees what a run had taken, when it can no longer be running and nobody told how it ended. It may wake up again.
func (pr Progress) Lose(run string) Progress {
	if i := pr.indexOfRun(run); i >= 0 {
		return pr.endRun(i)
	}
	return pr
}

func (pr Progress) endRun(i int) Progress {
	r := pr.Runs[i]
	r.Ended = true
	pr.Runs = trimRuns(append(slices.Delete(slices.Clone(pr.Runs), i, i+1), r))
	return pr
}

func (pr Progress) indexOfRun(id string) int {
	return slices.IndexFunc(pr.Runs, func(r Run) bool { return r.ID == id })
}

// Live are the ids of the runs that have not ended.
func (pr Progress) Live() []string {
	var out []string
	for _, r := range pr.Runs {
		if !r.Ended {
			out = append(out, r.ID)
		}
	}
	return out
}

// setMark writes a letter. Done stays.
func (pr Progress) setMark(slot int, letter byte) Progress {
	if pr.markAt(slot) != done {
		pr = pr.writeMark(slot, letter)
	}
	return pr
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

// trimRuns forgets the oldest runs that have ended, and, when there are far too many, the oldest of all.
func trimRuns(runs []Run) []Run {
	ended := 0
	for _, r := range runs {
		if r.Ended {
			ended++
		}
	}
	for len(runs) > keptAll || ended > keptEnded {
		i := max(0, slices.IndexFunc(runs, func(r Run) bool { return r.Ended }))
		if runs[i].Ended {
			ended--
		}
		runs = slices.Delete(runs, i, i+1)
	}
	return runs
}

// Carry takes progress over to a new version of the graph: for each phase that has the same id, title and agents as
// before. The caller writes the new hash.
func Carry(from, to Graph, pr Progress) Progress {
	return carryProgress(from, to, pr, func(a, b Phase) bool { return a.Title == b.Title && haveSameWorkers(a, b) })
}

func haveSameWorkers(a, b Phase) bool { return a.Agent == b.Agent && slices.Equal(a.Teammates, b.Teammates) }

func carryProgress(from, to Graph, pr Progress, unchanged func(a, b Phase) bool) Progress {
	out, moved := Progress{Graph: pr.Graph}, map[int]int{}
	first := map[int]int{} // of a phase of the old graph, its first slot
	for n, s := range from.listSlots() {
		if _, seen := first[s.phase]; !seen {
			first[s.phase] = n
		}
	}
	last, k := -1, 0 // the phase of the new graph, and which of its slots
	for n, s := range to.listSlots() {
		if s.phase != last {
			last, k = s.phase, 0
		}
		i := from.indexOf(to.Phases[s.phase].ID)
		if i >= 0 && unchanged(from.Phases[i], to.Phases[s.phase]) {
			moved[first[i]+k] = n
		}
		k++
	}
	for old, n := range moved {
		if at := pr.markAt(old); at != pending {
			out = out.writeMark(n, at)
		}
	}
	for _, r := range pr.Runs {
		if n, ok := moved[r.Slot]; ok {
			out.Runs = append(out.Runs, Run{r.ID, n, r.Ended})
		}
	}
	return out
}
