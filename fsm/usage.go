package fsm

import (
	"fmt"
	"time"
)

// What an agent and a session may use altogether is judged beside the rules: it opens none.

// whyUsedUp is why a caller may make no more calls; empty if it may.
func (j *judge) whyUsedUp(caller *Run) string {
	l := j.p.Limits
	what, then := "This session", "End your turn, and tell the user what is left."
	if caller != nil {
		what, then = capitalize(callerName(j.e.Agent)), "Return what you have."
	}
	switch {
	case caller != nil && l.Calls > 0 && caller.Calls >= l.Calls:
		return fmt.Sprintf("%s has used its %d calls (limits.calls). %s", what, l.Calls, then)
	case caller != nil && l.Tokens > 0 && j.e.Facts.Tokens >= l.Tokens:
		return fmt.Sprintf("%s has used its %d tokens (limits.tokens). %s", what, l.Tokens, then)
	case caller != nil && l.Minutes > 0 && caller.runsFor(j.e.Time) >= time.Duration(l.Minutes)*time.Minute:
		return fmt.Sprintf("%s has run for %d minutes (limits.minutes). %s", what, l.Minutes, then)
	case l.SessionCalls > 0 && j.s.Counts.Passed >= l.SessionCalls:
		return fmt.Sprintf("This session has used its %d calls (limits.session_calls). %s", l.SessionCalls, then)
	}
	return ""
}

func (r *Run) runsFor(now time.Time) time.Duration {
	if r.Since.IsZero() {
		return 0
	}
	return now.Sub(r.Since)
}

// warnOfLimit tells an agent once that four fifths of what it may use are used.
func (st *step) warnOfLimit() {
	l, r := st.p.Limits, st.s.Agents.find(st.e.Agent.ID)
	if st.e.Agent.IsMain() || r == nil || r.Warned {
		return
	}
	minutes := int(r.runsFor(st.e.Time) / time.Minute)
	used := ""
	switch {
	case l.Calls > 0 && r.Calls*5 >= l.Calls*4:
		used = fmt.Sprintf("%d of %d calls", r.Calls, l.Calls)
	case l.Tokens > 0 && st.e.Facts.Tokens*5 >= l.Tokens*4:
		used = fmt.Sprintf("%d of %d tokens", st.e.Facts.Tokens, l.Tokens)
	case l.Minutes > 0 && minutes*5 >= l.Minutes*4:
		used = fmt.Sprintf("%d of %d minutes", minutes, l.Minutes)
	default:
		return
	}
	r.Warned = true
	st.d.inject("You have used " + used + ". Come to an end, and return what you have.")
}
