package fsm

import (
	"fmt"
	"unicode/utf8"
)

// TalkLimits bounds what is injected into the contexts of agents, in characters. Zero is without a bound.
type TalkLimits struct {
	PerPrompt  int
	PerSession int
}

// least is what may always be said: where the pipeline stands, or where a longer text is to be found.
const least = 400

// most is what is said at once: of a longer text the caller says no more than this, and puts the rest into a file. What
// is not said uses up no budget.
const most = 9500

// measure holds what is injected to what is left of the budgets. What does not fit is not lost: the caller puts it where
// the agents can read it, and says where.
func (st *step) measure() {
	left, bound := st.room()
	n := min(most, utf8.RuneCountInString(st.d.Inject))
	if bound && n > left {
		st.d.InjectLimit = max(least, left)
		st.d.note(fmt.Sprintf("%d characters were to be said, %d are left of the budget (talk)", n, max(0, left)))
		n = min(n, st.d.InjectLimit)
	}
	st.d.InjectedChars = n + st.warned(left, bound)
	st.s.Talk.Chars += st.d.InjectedChars
	st.s.Talk.CharsSincePrompt += st.d.InjectedChars
}

// warned is what a call's warning says. One that no longer fits is shortened to its beginning, which names the rule; the
// record has it as a whole.
func (st *step) warned(left int, bound bool) int {
	if st.d.Verdict != Warn || st.e.Kind != ToolRequest { // else what is to be said of it is injected already
		return 0
	}
	if n := utf8.RuneCountInString(st.d.Reason); bound && n > left {
		whole := st.d.Reason
		if st.d.Reason = short(whole, max(120, min(least, left))); st.d.Reason != whole {
			st.d.note("warned in short (talk); as a whole: " + whole)
		}
	}
	return utf8.RuneCountInString(st.d.Reason)
}

// room is what may still be said, if there is a bound.
func (st *step) room() (n int, bound bool) {
	t := st.p.Talk
	if t.PerPrompt > 0 {
		n, bound = t.PerPrompt-st.s.Talk.CharsSincePrompt, true
	}
	if s := t.PerSession - st.s.Talk.Chars; t.PerSession > 0 && (!bound || s < n) {
		n, bound = s, true
	}
	return n, bound
}
