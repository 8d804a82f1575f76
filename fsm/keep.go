package fsm

import "time"

// Retention says how much of the past is kept. Zero is without an end.
type Retention struct {
	MaxSize  int64         // bytes of a journal before it is carried on in a new file
	MaxAge   time.Duration // of a session
	Sessions int           // of a project

	AppendOnly bool // finished segments of journals are made append-only, where the system can
}

// Expires reports whether a session is not kept: it is the nth newest, and was last heard of then.
func (k Retention) Expires(n int, last, now time.Time) bool {
	return k.Sessions > 0 && n >= k.Sessions || k.MaxAge > 0 && now.Sub(last) > k.MaxAge
}

// Readiness is what must hold before a policy is enforced.
type Readiness struct {
	Days             int // observed
	Calls            int
	Sessions         int
	Certain          int // callers known for certain, at least so many percent of the calls
	Errors           int // of pipeline itself, at most so many percent of the calls
	Bypassed         int // at most so many percent of the calls
	BypassedSessions int // at most so many percent of the sessions
}
