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
func (sp speaker) announceState() {
	t := &sp.s.Talk
	notices := t.Notices
	t.Notices = nil
	for _, n := range notices {
		sp.d.inject(sp.texts().wordNotice(n))
	}
	if sp.s.Machine.State != "" && t.AnnouncedVisit != sp.s.Machine.Visit {
		t.AnnouncedVisit = sp.s.Machine.Visit
		sp.d.inject(sp.renderInject())
	}
}

// injectOpening injects the config's texts for a session's beginning.
func (sp speaker) injectOpening(source string) {
	if slices.Contains(sp.p.Opening.On, source) {
		sp.d.inject(sp.render("session_start.inject", sp.p.Opening.Inject, ""))
		sp.d.inject(sp.e.Facts.Opening...)
	}
}

// remind is a reminder about an agent, as long as the session may have more of them.
func (sp speaker) remind(key, text, agent string) string {
	if text == "" || sp.s.Talk.Reminders >= sp.p.Remind.Times {
		return ""
	}
	sp.s.Talk.Reminders++
	return sp.render(key, text, agent)
}

// limitTalk keeps what is injected within the budgets. The rest is not lost: the caller
// puts it where the agents can read it.
func (sp speaker) limitTalk() {
	left, bounded := sp.talkLeft()
	n := min(maxTalk, utf8.RuneCountInString(sp.d.Inject))
	if bounded && n > left {
		sp.d.InjectLimit = max(minTalk, left)
		sp.d.note(fmt.Sprintf("%d characters were to be said, %d are left of the budget (talk)", n, max(0, left)))
		n = min(n, sp.d.InjectLimit)
	}
	if sp.d.Verdict == Warn && sp.e.Kind == ToolRequest { // other warnings are injected already
		if bounded && utf8.RuneCountInString(sp.d.Reason) > left {
			whole := sp.d.Reason // the beginning of a warning names the rule
			if sp.d.Reason = short(whole, max(120, min(minTalk, left))); sp.d.Reason != whole {
				sp.d.note("warned in short (talk); as a whole: " + whole)
			}
		}
		n += utf8.RuneCountInString(sp.d.Reason)
	}
	sp.d.InjectedChars = n
	sp.s.Talk.Chars += n
	sp.s.Talk.CharsSincePrompt += n
}

// talkLeft is how much may still be injected, if there is a bound.
func (sp speaker) talkLeft() (n int, bounded bool) {
	t := sp.p.Talk
	if t.PerPrompt > 0 {
		n, bounded = t.PerPrompt-sp.s.Talk.CharsSincePrompt, true
	}
	if s := t.PerSession - sp.s.Talk.Chars; t.PerSession > 0 && (!bounded || s < n) {
		n, bounded = s, true
	}
	return n, bounded
}
