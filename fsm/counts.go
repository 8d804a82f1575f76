package fsm

import (
	"fmt"
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

// What an agent and a session may use altogether is judged beside the rules: it opens none.

// A usage is what an agent has used of one of its limits. Without a limit it is 0.
type usage struct {
	name        string
	used, limit int
}

// listUsage lists what an agent has used.
func (st *situation) listUsage(r *Run) [3]usage {
	l, minutes := st.p.Limits, 0
	if !r.Since.IsZero() {
		minutes = int(st.e.Time.Sub(r.Since) / time.Minute)
	}
	return [3]usage{{"calls", r.Calls, l.Calls}, {"tokens", st.e.Facts.Tokens, l.Tokens},
		{"minutes", minutes, l.Minutes}}
}

// whyUsedUp is why a caller may make no more calls; empty if it may.
func (j *judge) whyUsedUp(caller *Run) string {
	if caller != nil {
		for _, u := range j.listUsage(caller) {
			how := "used its"
			if u.name == "minutes" {
				how = "run for"
			}
			if u.limit > 0 && u.used >= u.limit {
				return fmt.Sprintf("%s has %s %d %s (limits.%[4]s). Return what you have.",
					capitalize(callerName(j.e.Agent)), how, u.limit, u.name)
			}
		}
	}
	most := j.p.Limits.SessionCalls
	if most == 0 || j.s.Counts.Passed < most {
		return ""
	}
	then := "End your turn, and tell the user what is left."
	if caller != nil {
		then = "Return what you have."
	}
	return fmt.Sprintf("This session has used its %d calls (limits.session_calls). %s", most, then)
}

// warnOfLimit tells an agent once that four fifths of what it may use are used.
func (st *step) warnOfLimit() {
	r := st.s.Agents.find(st.e.Agent.ID)
	if st.e.Agent.IsMain() || r == nil || r.Warned {
		return
	}
	for _, u := range st.listUsage(r) {
		if u.limit > 0 && u.used*5 >= u.limit*4 {
			r.Warned = true
			st.d.inject(fmt.Sprintf("You have used %d of %d %s. Come to an end, and return what you have.", u.used,
				u.limit, u.name))
			return
		}
	}
}
