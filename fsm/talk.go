package fsm

import (
	"fmt"
	"unicode/utf8"
)

// Talk bounds what is injected into the contexts of agents, in characters. Zero is without a bound.
type Talk struct {
	PerPrompt  int
	PerSession int
}

// least is what may always be said: where the pipeline stands, or where a longer text is to be found.
const least = 400

// measure holds what is injected to what is left of the budgets. What does not fit is not lost: the caller puts it where
// the agents can read it, and says where.
func (st *step) measure() {
	n := utf8.RuneCountInString(st.d.Inject)
	if n == 0 && st.d.Verdict != Warn {
		return
	}
	left, bound := st.room()
	if st.d.Verdict == Warn {
		if bound {
			st.d.Reason = short(st.d.Reason, max(120, min(least, left)))
		}
		n += utf8.RuneCountInString(st.d.Reason)
	}
	if bound && n > left {
		st.d.Room = max(least, left)
		st.d.note(fmt.Sprintf("%d characters were to be said, %d are left of the budget (talk)", n, max(0, left)))
		n = min(n, st.d.Room)
	}
	st.d.Said = n
	st.s.Said += n
	st.s.SaidNow += n
}

// room is what may still be said, if there is a bound.
func (st *step) room() (n int, bound bool) {
	t := st.p.Talk
	if t.PerPrompt > 0 {
		n, bound = t.PerPrompt-st.s.SaidNow, true
	}
	if s := t.PerSession - st.s.Said; t.PerSession > 0 && (!bound || s < n) {
		n, bound = s, true
	}
	return n, bound
}
