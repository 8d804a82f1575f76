// Package tasks keeps the agents of a plan in order. A plan is a graph of phases: each is one agent's work (or a team's),
// in a wave, after other phases. What a phase waits for and who may start follows from the graph and from how far it has
// come; how far it has come follows from evidence, which is that agents start and stop, never from what a model claims.
// All of it is pure.
package tasks

import (
	"cmp"
	"encoding/json"
	"fmt"
)

// A Graph is a plan. Its JSON is what Parse reads, in the first of the spellings that Parse takes.
type Graph struct {
	Mode   string  `json:"execution_mode,omitempty"` // Subagents or Team; "" is Subagents
	Source string  `json:"source,omitempty"`         // FromHost, else a plan
	Phases []Phase `json:"phases"`
}

// The values of Graph.Mode. A team orders its work itself (its members take tasks from a list), so in team mode the
// graph only keeps the progress and refuses nobody.
const (
	Subagents = "subagent"
	Team      = "team"
)

// FromHost is the Source of a graph that was made of the host's own list of tasks: its phases need no agent.
const FromHost = "tasks"

// A Phase is one piece of a plan.
type Phase struct {
	ID          string     `json:"id"`
	Title       string     `json:"title,omitempty"`
	Agent       string     `json:"agent,omitempty"` // an agent type or a pattern; "" where teammates do it, or nobody that we see
	Wave        int        `json:"wave,omitempty"`  // from 1; it waits for all phases of the waves before. 0: in no wave
	After       []string   `json:"after,omitempty"` // ids of the phases that it waits for
	Type        string     `json:"phase_type,omitempty"`
	Teammates   []Teammate `json:"teammates,omitempty"` // they do the phase side by side; it is done when each is
	Deliverable string     `json:"deliverable,omitempty"`
}

// A Teammate is one of those who do a team's phase.
type Teammate struct {
	Agent string `json:"agent,omitempty"` // its agent type
	Name  string `json:"name,omitempty"`  // what it is called; to the hooks of Claude Code a teammate's type is its name
	Role  string `json:"role,omitempty"`
}

// Same reports whether a name is one that a pattern of the graph means. The graph does not know how the host compares.
type Same func(pattern, name string) bool

// Encode is the graph as JSON, to be kept and read again with Parse.
func (g Graph) Encode() (string, error) {
	body, err := json.Marshal(g)
	if err != nil {
		return "", fmt.Errorf("encode task graph: %w", err)
	}
	return string(body), nil
}

// String names a phase to a reader: its id, and who does it.
func (p Phase) String() string {
	switch {
	case len(p.Teammates) == 1:
		return p.ID + " (" + p.Teammates[0].String() + ")"
	case len(p.Teammates) > 1:
		return fmt.Sprintf("%s (team of %d)", p.ID, len(p.Teammates))
	case p.Agent != "":
		return p.ID + " (" + p.Agent + ")"
	}
	return p.ID
}

// String names a teammate: as it is called, else by its type.
func (t Teammate) String() string { return cmp.Or(t.Name, t.Agent) }

// isUnseen reports that no agent does the phase, so that there can be no evidence of it.
func (p Phase) isUnseen() bool { return p.Agent == "" && len(p.Teammates) == 0 }

func (g Graph) indexOf(id string) int {
	for i := range g.Phases {
		if g.Phases[i].ID == id {
			return i
		}
	}
	return -1
}

func (g Graph) phaseIDs() []string {
	var out []string
	for _, p := range g.Phases {
		out = append(out, p.ID)
	}
	return out
}

// A slot is one agent's part of a phase: the whole of it, or a teammate's. Marks are kept by slot.
type slot struct {
	phase int
	teammate  Teammate
}

func (g Graph) listSlots() []slot {
	out := make([]slot, 0, len(g.Phases))
	for i, p := range g.Phases {
		for _, m := range p.Teammates {
			out = append(out, slot{i, m})
		}
		if len(p.Teammates) == 0 {
			out = append(out, slot{i, Teammate{Agent: p.Agent}})
		}
	}
	return out
}

func (s slot) isFor(agent string, same Same) bool {
	return s.teammate.Agent != "" && same(s.teammate.Agent, agent) || s.teammate.Name != "" && same(s.teammate.Name, agent)
}
