// Package tasks keeps the agents of a plan in order. A plan is a graph of phases: each is
// the work of one agent or a team, in a wave, after other phases. The graph and its
// progress determine what a phase waits for and who may start. Progress follows from
// evidence, which is that agents start and stop, never from what a model claims. The
// package is pure.
package tasks

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// A Graph is a plan. Its JSON is the first of the spellings that Parse accepts.
type Graph struct {
	Mode   string  `json:"execution_mode,omitempty"` // Subagents or Team; "" is Subagents
	Source string  `json:"source,omitempty"`         // FromHost, else a plan
	Phases []Phase `json:"phases"`
}

// The values of Graph.Mode. A team orders its work itself: its members take tasks from a
// list. So in team mode the graph only keeps the progress and refuses no agent.
const (
	Subagents = "subagent"
	Team      = "team"
)

// FromHost is the Source of a graph made of the host's own list of tasks. Its phases need
// no agent.
const FromHost = "tasks"

// A Phase is one piece of a plan.
type Phase struct {
	ID          string     `json:"id"`
	Title       string     `json:"title,omitempty"`
	Agent       string     `json:"agent,omitempty"` // a type or pattern; "" for teammates, or work that is not seen
	Wave        int        `json:"wave,omitempty"`  // from 1: waits for all phases of earlier waves; 0: in no wave
	After       []string   `json:"after,omitempty"` // ids of the phases that it waits for
	Type        string     `json:"phase_type,omitempty"`
	Teammates   []Teammate `json:"teammates,omitempty"` // work side by side; the phase is done when each is
	Deliverable string     `json:"deliverable,omitempty"`
}

// A Teammate is one of those who do a team's phase.
type Teammate struct {
	Agent string `json:"agent,omitempty"` // its agent type
	Name  string `json:"name,omitempty"`  // its own name, which Claude Code's hooks report as its type
	Role  string `json:"role,omitempty"`
}

// Same reports whether a pattern of the graph matches a name. The host decides how names
// compare.
type Same func(pattern, name string) bool

// Encode is the graph as JSON, which Parse reads again.
func (g Graph) Encode() string {
	body, _ := json.Marshal(g) // texts and numbers are always encoded
	return string(body)
}

// String names a phase to a reader: its id, and who does it.
func (p Phase) String() string {
	switch workers := p.workers(); {
	case workers == "":
		return p.ID
	case len(p.Teammates) > 1:
		return fmt.Sprintf("%s (team of %d)", p.ID, len(p.Teammates))
	default:
		return p.ID + " (" + workers + ")"
	}
}

// String names a teammate by its name, else by its type.
func (t Teammate) String() string { return cmp.Or(t.Name, t.Agent) }

// workers names who does a phase.
func (p Phase) workers() string {
	if len(p.Teammates) == 0 {
		return p.Agent
	}
	var names []string
	for _, t := range p.Teammates {
		names = append(names, t.String())
	}
	return strings.Join(names, " + ")
}

func haveSameWorkers(a, b Phase) bool {
	return a.Agent == b.Agent && slices.Equal(a.Teammates, b.Teammates)
}

// isUnseen reports that no agent does the phase, so that there can be no evidence of it.
func (p Phase) isUnseen() bool { return p.Agent == "" && len(p.Teammates) == 0 }

func (g Graph) indexOf(id string) int {
	for i := range g.Phases { // without copies: this runs often
		if g.Phases[i].ID == id {
			return i
		}
	}
	return -1
}

// phasesBefore lists the phases that a phase waits for: those that it names, and all of
// the waves before its own.
func (g Graph) phasesBefore(i int) (out []int) {
	p := &g.Phases[i]
	for k := range g.Phases {
		q := &g.Phases[k]
		if k != i && (p.Wave > 0 && q.Wave > 0 && q.Wave < p.Wave || slices.Contains(p.After, q.ID)) {
			out = append(out, k)
		}
	}
	return out
}

// markBefore marks the phases that a phase waits for, and what these wait for: all, or only what
// those wait for that no agent does.
func (g Graph) markBefore(i int, marked []bool, all bool) {
	for _, k := range g.phasesBefore(i) {
		if marked[k] {
			continue
		}
		if marked[k] = true; all || g.Phases[k].isUnseen() {
			g.markBefore(k, marked, all)
		}
	}
}

// A slot is one agent's part of a phase: all of it, or a teammate's. Marks are kept by
// slot.
type slot struct {
	phase    int
	part     int // which of the phase's slots
	teammate Teammate
	mark     byte // on a board: see Progress.Marks
	live     bool // on a board: an agent is at work on it
}

func (g Graph) listSlots() []slot {
	out := make([]slot, 0, len(g.Phases))
	for i, p := range g.Phases {
		for k, t := range p.Teammates {
			out = append(out, slot{phase: i, part: k, teammate: t})
		}
		if len(p.Teammates) == 0 {
			out = append(out, slot{phase: i, teammate: Teammate{Agent: p.Agent}})
		}
	}
	return out
}

func (s slot) isFor(agent string, same Same) bool {
	t := s.teammate
	return t.Agent != "" && same(t.Agent, agent) || t.Name != "" && same(t.Name, agent)
}
