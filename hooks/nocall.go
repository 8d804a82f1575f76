package hooks

import (
	"io"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// NoCall stands where an event does not come from a host: a person's command.
type NoCall struct{}

// Event is none.
func (NoCall) Event(time.Time) (fsm.Event, bool) { return fsm.Event{}, false }

// Spawn is unknown.
func (NoCall) Spawn() *fsm.Spawn { return nil }

// Parent is unknown.
func (NoCall) Parent() string { return "" }

// Tampered is never.
func (NoCall) Tampered() string { return "" }

// Reply goes nowhere.
func (NoCall) Reply(io.Writer, fsm.Decision) error { return nil }

// Input is none.
func (NoCall) Input() map[string]string { return nil }
