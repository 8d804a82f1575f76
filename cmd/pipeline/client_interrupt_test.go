package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
)

// TestClientInterrupted: a turn with an open task is held, and after the user has interrupted one the next is not.
// (The third turn ends and is held; he interrupts what follows.)
func TestClientInterrupted(t *testing.T) {
	both(t, func(t *testing.T, v e2e.Version) {
		s := enforce(t)
		s.Write("configs/pipeline.yaml", "version: 1\nhold: {until: [tasks], tries: 1, say: Mind the list.}\n")
		s.Say("main", e2e.Call("TaskCreate", e2e.Input{"subject": "one thing", "description": "d"}),
			e2e.Text("ended too early"), e2e.Text("held and ended"),
			e2e.Call("TaskList", e2e.Input{}), e2e.Text("ended too early again"),
			e2e.Given(func(r *e2e.Request) e2e.Turn {
				if strings.Contains(string(r.Body), "say zyzzyva") {
					return e2e.Text("explained")
				}
				return e2e.Text("too late").After(time.Minute)
			}))
		w := s.Open(t, v, s.Model)
		w.Say("begin")
		w.Wait("● held and ended")
		w.Say("work")
		w.Until("be asked", func() bool { return len(s.Requests()) >= 6 })
		w.Press("Escape")
		w.Wait("Interrupted ·")
		w.Say("say zyzzyva")
		w.Wait("● explained")
		w.Close()
		var stops []string
		for _, r := range s.onlyRecords() {
			if r.Event.Kind == "turn-stop" {
				stops = append(stops, r.Rule)
			}
		}
		if want := []string{"hold", "", "hold", ""}; !slices.Equal(stops, want) {
			t.Errorf("turns ended by rules %q, expected %q: the last one follows an interruption", stops, want)
		}
	})
}
