package session

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks/journal"
)

// A Tally is what a session's last record does not tell, and who shows the session
// after each message wants to know: how often something was denied, and how long the
// turns took. Nothing is decided by it, so it needs no lock.
type Tally struct {
	Denied int             // tool requests; one that was asked twice counts once
	Turns  []time.Duration // of the main agent, from the prompt to the end: the last ten, the oldest first
	// Partial says that the journal holds more than was counted: what housekeeping removed.
	Partial bool
}

const (
	// turnsKept is how many turns are remembered.
	turnsKept = 10
	// usesKept is how many denied calls are remembered: one that is asked again by a
	// second registration comes soon.
	usesKept = 8
)

// A counting is a tally under way.
type counting struct {
	Tally
	uses  []string
	began time.Time // the turn
	ended bool
}

// Tally counts through a session's journal.
func (st Store) Tally(id string) (Tally, error) {
	if err := CheckID(id); err != nil {
		return Tally{}, err
	}
	if _, err := os.Stat(filepath.Join(st.Path(id), journal.Name)); err != nil {
		return Tally{}, err
	}
	var c counting
	err := journal.Scan(st.Path(id), &journal.Want{}, func(l *journal.Line) bool {
		c.countLine(l)
		return true
	}, func(journal.Fault) {})
	return c.Tally, err
}

// TallyAll is the same.
func (st Store) TallyAll(id string) (Tally, error) { return st.Tally(id) }

func (c *counting) countLine(l *journal.Line) {
	switch {
	case l.Kind == fsm.ToolRequest && l.Verdict == fsm.Deny.String():
		c.countDenial(l.UseID)
	case l.AgentID != "": // an agent's turns are its own
	case l.Kind == fsm.Prompt && l.Verdict != fsm.Deny.String() && l.Event("origin").Str == "":
		c.began, c.ended = l.Time, false
	case l.Kind == fsm.TurnStop, l.Kind == fsm.TurnFailure:
		c.endTurn(l.Time)
	}
}

func (c *counting) countDenial(use string) {
	if use != "" && slices.Contains(c.uses, use) {
		return
	}
	c.Denied++
	if c.uses = append(c.uses, strings.Clone(use)); len(c.uses) > usesKept {
		c.uses = c.uses[1:]
	}
}

// endTurn takes the end of a turn. One that was held back, or that a background agent's
// notification takes up again, ends once more, later: the client counts so too, by
// experiment with 2.1.329 ("Worked for 5s").
func (c *counting) endTurn(at time.Time) {
	if c.began.IsZero() {
		return
	}
	took := max(at.Sub(c.began), 0).Truncate(time.Millisecond)
	if c.ended && len(c.Turns) > 0 {
		c.Turns[len(c.Turns)-1] = took
		return
	}
	c.ended = true
	if c.Turns = append(c.Turns, took); len(c.Turns) > turnsKept {
		c.Turns = c.Turns[1:]
	}
}
