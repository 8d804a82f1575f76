package fsm

import (
	"slices"
	"strings"
	"time"
)

// Counts are what persons are shown of a session.
type Counts struct {
	Denied int       `json:"denied,omitempty"` // tool requests, each once
	Passed int       `json:"passed,omitempty"` // likewise
	Calls  string    `json:"calls,omitempty"`  // shortened hashes of the latest requests' ids and commands
	Began  time.Time `json:"began,omitzero"`   // when the main agent's last turn began
	Ended  bool      `json:"ended,omitempty"`  // it has ended, and may end once more
	Turns  []int     `json:"turns,omitempty"`  // lengths of the last ten turns in milliseconds, the oldest first
}

const (
	turnsKept = 10
	callsKept = 16 // a second registration of our hooks reports a call soon
)

// isRepeated reports whether a request was reported before, by another registration of our
// hooks or a second time. It remembers the request. One without an id is one of its own.
func (c *Counts) isRepeated(t Tool) bool {
	if t.UseID == "" {
		return false
	}
	key := hashShort(t.UseID)[:8] + "-"
	if strings.Contains(c.Calls, key) {
		return true
	}
	key += t.Digest + " "
	if c.Calls += key; strings.Count(c.Calls, " ") > callsKept {
		_, c.Calls, _ = strings.Cut(c.Calls, " ")
	}
	return false
}

// isRewritten reports whether a call that has ended ran another command than the request that was
// judged, as far as that is remembered.
func (c *Counts) isRewritten(t Tool) bool {
	if t.UseID == "" || t.Digest == "" {
		return false
	}
	_, rest, known := strings.Cut(c.Calls, hashShort(t.UseID)[:8]+"-")
	return known && !strings.HasPrefix(rest, t.Digest+" ")
}

// DigestCommand tells commands apart; it is empty for none.
func DigestCommand(command string) string {
	if command == "" {
		return ""
	}
	return hashShort(command)[:6]
}

// countTurn takes the begin or the end of a turn of the main agent. A turn that was held
// back, or that a background agent's notification takes up again, ends once more, later: the
// client counts so too, by experiment with 2.1.329 ("Worked for 5s").
func (c *Counts) countTurn(e Event) {
	switch {
	case !e.Agent.IsMain():
	case e.Kind == Prompt && e.Origin == Person:
		c.Began, c.Ended = e.Time, false
	case (e.Kind == TurnStop || e.Kind == TurnFailure) && !c.Began.IsZero():
		turns := slices.Clone(c.Turns)
		if c.Ended && len(turns) > 0 {
			turns = turns[:len(turns)-1]
		}
		turns = append(turns, int(max(e.Time.Sub(c.Began), 0).Milliseconds()))
		c.Ended, c.Turns = true, turns[max(0, len(turns)-turnsKept):]
	}
}
