package fsm

import (
	"fmt"
	"time"
)

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
