package tasks_test

import (
	"testing"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

func TestScore(t *testing.T) {
	for name, c := range map[string]struct {
		s    tasks.Signals
		want int
	}{
		"nothing known": {tasks.Signals{}, 0},
		"9 phases":      {tasks.Signals{Phases: 9}, 2},
		"8 phases":      {tasks.Signals{Phases: 8}, 0},
		"4 phases":      {tasks.Signals{Phases: 4}, 0},
		"3 phases":      {tasks.Signals{Phases: 3}, -3},
		"tier 3":        {tasks.Signals{Tier: 3}, 2},
		"tier 2":        {tasks.Signals{Tier: 2}, 0},
		"data flow":     {tasks.Signals{DataFlow: true}, 3},
		"review cycles": {tasks.Signals{ReviewCycles: true}, 3},
		"iterative":     {tasks.Signals{Iterative: true}, 2},
		"breadth":       {tasks.Signals{Breadth: true}, -5},
		"team":          {tasks.Signals{Words: "As a Team, please"}, 5},
		"collaborative": {tasks.Signals{Words: "tasks should be collaborative."}, 5},
		"steam":         {tasks.Signals{Words: "steam and teamwork"}, 0},
		"everything": {tasks.Signals{Phases: 9, Tier: 3, DataFlow: true, ReviewCycles: true, Iterative: true,
			Breadth: true, Words: "team"}, 12},
		"a small team task": {tasks.Signals{Phases: 2, Words: "team"}, 2},
	} {
		total, lines := tasks.ScoreTeam(c.s)
		sum := 0
		for _, l := range lines {
			if l.Holds {
				sum += l.Points
			}
		}
		if total != c.want || sum != total || len(lines) != 8 {
			t.Errorf("%s: %d, want %d: %v", name, total, c.want, lines)
		}
	}
}

func TestChoose(t *testing.T) {
	for _, c := range []struct {
		total int
		teams bool
		want  string
	}{{5, true, tasks.Team}, {4, true, tasks.Subagents}, {12, false, tasks.Subagents}} {
		if got := tasks.ChooseMode(c.total, c.teams); got != c.want {
			t.Errorf("%d, teams %v: %s", c.total, c.teams, got)
		}
	}
}

func TestTiers(t *testing.T) {
	for _, c := range []struct{ phases, agents, files, want int }{
		{0, 0, 0, 1}, {3, 2, 5, 1}, {4, 1, 0, 2}, {1, 3, 0, 2}, {1, 1, 6, 2}, {8, 4, 20, 2}, {9, 1, 0, 3}, {1, 5, 0, 3},
		{1, 1, 21, 3}} {
		if got := tasks.TierOf(c.phases, c.agents, c.files); got != c.want {
			t.Errorf("%+v: %d", c, got)
		}
	}
	s := tasks.SignalsOf(parsed(t, plan), 0)
	if s.Phases != 6 || s.Tier != 2 || !s.DataFlow {
		t.Errorf("%+v", s)
	}
	if s := tasks.SignalsOf(parsed(t, `{"phases":[{"id":"a","agent":"x"},{"id":"b","agent":"x","after":["a"]}]}`),
		0); s.DataFlow || s.Tier != 1 {
		t.Errorf("%+v", s)
	}
}
