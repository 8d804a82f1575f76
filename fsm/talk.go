package fsm

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

const (
	// minTalk may always be injected: where the pipeline stands, or where a longer text
	// is found.
	minTalk = 400
	// maxTalk is injected at once. The caller puts the rest of a longer text into a
	// file, which uses up no budget.
	maxTalk = 9500
)

// announceState injects the pending notice and, once per visit, the text of the state.
func (st *step) announceState() {
	t := &st.s.Talk
	notices := t.Notices
	t.Notices = nil
	for _, n := range notices {
		st.d.inject(st.wordNotice(n))
	}
	if st.s.Machine.State != "" && t.AnnouncedVisit != st.s.Machine.Visit {
		t.AnnouncedVisit = st.s.Machine.Visit
		st.d.inject(st.renderInject())
	}
}

// injectOpening injects the config's texts for a session's beginning.
func (st *step) injectOpening(source string) {
	if slices.Contains(st.p.Opening.On, source) {
		st.d.inject(st.render("session_start.inject", st.p.Opening.Inject, st.templateData("")))
		st.d.inject(st.e.Facts.Opening...)
	}
}

// remind is a reminder about an agent, as long as the session may have more of them.
func (st *step) remind(key, text, agent string) string {
	if text == "" || st.s.Talk.Reminders >= st.p.Remind.Times {
		return ""
	}
	st.s.Talk.Reminders++
	return st.render(key, text, st.templateData(agent))
}

// limitTalk keeps what is injected within the budgets. The rest is not lost: the caller
// puts it where the agents can read it.
func (st *step) limitTalk() {
	t, left, bounded := st.p.Talk, 0, false // what may still be injected, if there is a bound
	if t.PerPrompt > 0 {
		left, bounded = t.PerPrompt-st.s.Talk.CharsSincePrompt, true
	}
	if s := t.PerSession - st.s.Talk.Chars; t.PerSession > 0 && (!bounded || s < left) {
		left, bounded = s, true
	}
	n := min(maxTalk, utf8.RuneCountInString(st.d.Inject))
	if bounded && n > left {
		st.d.InjectLimit = max(minTalk, left)
		st.d.note(fmt.Sprintf("%d characters were to be said, %d are left of the budget (talk)", n, max(0, left)))
		n = min(n, st.d.InjectLimit)
	}
	if st.d.Verdict == Warn && st.e.Kind == ToolRequest { // other warnings are injected already
		if bounded && utf8.RuneCountInString(st.d.Reason) > left {
			whole := st.d.Reason // the beginning of a warning names the rule
			if st.d.Reason = short(whole, max(120, min(minTalk, left))); st.d.Reason != whole {
				st.d.note("warned in short (talk); as a whole: " + whole)
			}
		}
		n += utf8.RuneCountInString(st.d.Reason)
	}
	st.d.InjectedChars = n
	st.s.Talk.Chars += n
	st.s.Talk.CharsSincePrompt += n
}
