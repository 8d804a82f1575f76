package tasks_test

import (
	"fmt"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm/tasks"
)

// What a hook call pays for a graph: reading it and asking it once.
func BenchmarkAsk(b *testing.B) {
	for _, n := range []int{8, tasks.MaxPhases} {
		g := tasks.Graph{}
		for i := range n {
			g.Phases = append(g.Phases, tasks.Phase{ID: fmt.Sprint("phase-", i), Title: "some work", Agent: "dev",
				Wave: i/4 + 1})
		}
		text := g.Encode()
		b.Run(fmt.Sprint(n, " phases"), func(b *testing.B) {
			for b.Loop() {
				g, _ := tasks.Parse([]byte(text))
				_ = g.MayStart(tasks.Progress{Marks: "d"}, "dev", 0, same)
			}
		})
	}
}
