package main

import (
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/claude/live"
)

// A transcribed call knows where its client writes down what happens.
type transcribed interface{ Transcribed() string }

// liveness is what the person is to be told of calls that we were never asked about, at the ends of the main agent's turns
// and when a session goes on. What goes wrong here is kept with our other errors, and disturbs nothing.
func (r *hookRun) liveness(e fsm.Event) []string {
	resumed := e.Kind == fsm.SessionStart && e.Source == "resume"
	call, ok := r.call.(transcribed)
	if !ok || !e.Agent.IsMain() || !resumed && e.Kind != fsm.TurnStop {
		return nil
	}
	report, err := live.Check(store(r.open, 0), e.Session, call.Transcribed())
	if err != nil {
		r.logError(err)
	}
	if word := report.Message(time.Local); word != "" {
		return []string{word}
	}
	return nil
}
