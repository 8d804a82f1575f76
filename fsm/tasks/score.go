package tasks

import (
	"slices"
	"strings"
	"unicode"
)

// Signals are what is known of a task when the choice is between subagents and a team.
type Signals struct {
	Phases       int    `json:"phases"`        // 0: not known
	Tier         int    `json:"tier"`          // how complex it is, 1 to 3: see TierOf
	DataFlow     bool   `json:"data_flow"`     // a phase needs what another agent's phase made
	ReviewCycles bool   `json:"review_cycles"` // work is reviewed, fixed and reviewed again
	Iterative    bool   `json:"iterative"`     // the result is refined step by step
	Breadth      bool   `json:"breadth"`       // only reading, over much: exploring, reviewing, summarising
	Words        string `json:"words"`         // the user's, in which "collaborate" and "team" count
}

// TeamFrom is the least score with which a team is chosen.
const TeamFrom = 5

// A Line is one line of the score.
type Line struct {
	Signal string `json:"signal"`
	Points int    `json:"points"` // what it counts when it holds
	Holds  bool   `json:"holds"`
}

// ScoreTeam adds up what favours a team. It is positive for work in which agents need each
// other, negative for work in separate parts.
func ScoreTeam(s Signals) (total int, lines []Line) {
	// The user's wish is found word by word: "team" is not in "steam". "No team" is not understood.
	isGap := func(r rune) bool { return !unicode.IsLetter(r) }
	mentionsTeam := slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(s.Words), isGap), func(w string) bool {
		return w == "team" || w == "teams" || strings.HasPrefix(w, "teammate") || strings.HasPrefix(w, "collaborat")
	})
	lines = []Line{
		{"more than 8 phases", 2, s.Phases > 8},
		{"complexity of tier 3", 2, s.Tier == 3},
		{"data flows between phases of different agents", 3, s.DataFlow},
		{"review and fix in turns", 3, s.ReviewCycles},
		{"refined step by step", 2, s.Iterative},
		{`the words "collaborate" or "team"`, 5, mentionsTeam},
		{"a breadth task: only reading, over much", -5, s.Breadth},
		{"at most 3 phases", -3, s.Phases > 0 && s.Phases <= 3},
	}
	for _, l := range lines {
		if l.Holds {
			total += l.Points
		}
	}
	return total, lines
}

// ChooseMode is the mode for a score: Team only where the host has teams switched on.
func ChooseMode(total int, teams bool) string {
	if total >= TeamFrom && teams {
		return Team
	}
	return Subagents
}

// TierOf is how complex a task is. Tier 1 has at most 3 phases, 2 agent types and 5
// files. Tier 2 has at most 8 phases, 4 agent types and 20 files. Tier 3 has more of any.
// What is not known is 0. The names of the tiers come from a delegation policy without
// limits: these limits are ours.
func TierOf(phases, agents, files int) int {
	switch {
	case phases > 8 || agents > 4 || files > 20:
		return 3
	case phases > 3 || agents > 2 || files > 5:
		return 2
	}
	return 1
}

// SignalsOf returns the signals that a graph shows: its phases, its tier, and whether one
// agent's phase comes after another's. What the phases are about it cannot show.
func SignalsOf(g Graph, files int) Signals {
	agents := map[string]bool{}
	out := Signals{Phases: len(g.Phases)}
	for _, s := range g.listSlots() {
		agents[s.teammate.String()] = true
	}
	for _, p := range g.Phases {
		for _, id := range p.After {
			i := g.indexOf(id)
			out.DataFlow = out.DataFlow || i >= 0 && g.Phases[i].workers() != p.workers()
		}
	}
	out.Tier = TierOf(out.Phases, len(agents), files)
	return out
}
