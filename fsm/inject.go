package fsm

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/template"
	"unicode/utf8"
)

const (
	// minTalk may always be injected: where the pipeline stands, or where a longer text
	// is found.
	minTalk = 400
	// MaxTalk is injected at once, in UTF-16 units. The caller puts the rest of a longer text into a
	// file, which uses up no budget. The client (2.1.197 and 2.1.329, by experiment) replaces longer strings
	// than 10,000 by a preview of two kilobytes.
	MaxTalk = 9500
)

// queueNotice keeps a notice once, for the main agent. Where there is no room left, the notices end by saying that
// there are more.
func (st *step) queueNotice(n PendingNotice) {
	t := &st.s.Talk
	n.Agent, n.Why = short(n.Agent, maxNotice), short(n.Why, maxNotice)
	switch more := (PendingNotice{Why: moreNotices}); {
	case n.About == "" && n.Why == "" || slices.Contains(t.Notices, n) || slices.Contains(t.Notices, more):
	case len(t.Notices) >= maxNotices:
		t.Notices = append(t.Notices, more)
	default:
		t.Notices = append(t.Notices, n)
	}
}

// announceState injects the pending notice and, once per visit, the text of the state.
func (st *step) announceState() {
	t := &st.s.Talk
	notices := t.Notices
	t.Notices = nil
	for _, n := range notices {
		st.inject(st.wordNotice(n))
	}
	if st.s.State != "" && t.AnnouncedVisit != st.s.Visit {
		t.AnnouncedVisit = st.s.Visit
		st.inject(st.renderInject())
	}
}

// injectOpening injects the config's texts for a session's beginning.
func (st *step) injectOpening(source string) {
	if slices.Contains(st.p.Opening.On, source) {
		st.inject(st.render("session_start.inject", st.p.Opening.Inject, TemplateData{}))
		st.inject(st.e.Facts.Opening...)
	}
}

// remind is a reminder about an agent, as long as the session may have more of them.
func (st *step) remind(key, text, agent string) string {
	if text == "" || st.s.Reminders >= st.p.Remind.Times {
		return ""
	}
	st.s.Reminders++
	return st.render(key, text, TemplateData{Agent: agent})
}

// limitTalk keeps what is injected within the budgets. The rest is not lost: the caller
// puts it where the agents can read it.
func (st *step) limitTalk() {
	t, left := st.p.Talk, math.MaxInt // what may still be injected
	if t.PerPrompt > 0 {
		left = t.PerPrompt - st.s.CharsSincePrompt
	}
	if t.PerSession > 0 {
		left = min(left, t.PerSession-st.s.Chars)
	}
	n := min(MaxTalk, utf8.RuneCountInString(st.Inject))
	if n > left {
		st.InjectLimit = max(minTalk, left)
		st.note("%d characters were to be said, %d are left of the budget (talk)", n, max(0, left))
		n = min(n, st.InjectLimit)
	}
	if st.Verdict == Warn && st.e.Kind == ToolRequest { // other warnings are injected already
		if utf8.RuneCountInString(st.Reason) > left {
			whole := st.Reason // the beginning of a warning names the rule
			if st.Reason = short(whole, max(120, min(minTalk, left))); st.Reason != whole {
				st.note("warned in short (talk); as a whole: %s", whole)
			}
		}
		n += utf8.RuneCountInString(st.Reason)
	}
	st.InjectedChars = n
	st.s.Chars += n
	st.s.CharsSincePrompt += n
}

// TemplateData are what a template of the config may name: {{ .State }}, {{ .Agent }},
// {{ .Session }}, {{ .Context.gathered }}, {{ .Earlier.gathered.Text }}, {{ .Scratch
// }}, {{ .Groups.utility }}, and in hold.say {{ .Left }}.
type TemplateData struct {
	State   string
	Agent   string
	Session string
	Context map[string]string
	Earlier map[string]*Earlier
	Scratch string            // a folder for this session's intermediate files
	Groups  map[string]string // the agents of each group: "bash-*, c-*"
	Left    string            // hold: what is left to do
}

// An Earlier is what was captured under a name before, in this session or in another
// one of the project. It is offered, never taken for this session's: no state is
// skipped for it.
type Earlier struct {
	Text    string `json:"text,omitempty"`
	When    string `json:"when,omitempty"`    // local time
	Changed string `json:"changed,omitempty"` // what has changed in the project since, by git
}

// fillTemplate fills in a text of the config, for what is known of it and what all texts may name. A capture that is
// missing on disk is reported as missing.
func (st *situation) fillTemplate(text string, data TemplateData) (string, error) {
	text = st.e.Say(text)
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t, err := template.New("text").Option("missingkey=zero").Parse(text)
	if err != nil {
		return "", err
	}
	data.State, data.Session = st.s.State, st.s.ID
	data.Earlier, data.Scratch = st.e.Facts.Earlier, st.e.Facts.Scratch
	data.Context, data.Groups = map[string]string{}, map[string]string{}
	for name := range st.s.Captures {
		captured, ok := st.e.Facts.Captured[name]
		if !ok {
			captured = "(" + name + " was recorded, but its text is missing)"
		}
		data.Context[name] = captured
	}
	for _, g := range st.p.Groups {
		data.Groups[g.Name] = strings.Join(g.Agents, ", ")
	}
	var b strings.Builder
	err = t.Execute(&b, data)
	return b.String(), err
}

// render fills in a text; key names it in the record if that fails.
func (st *step) render(key, text string, data TemplateData) string {
	out, err := st.fillTemplate(text, data)
	if err != nil {
		st.note("%s: %v", key, err)
		return ""
	}
	return out
}

// renderInject is the state's text for the main agent.
func (st *step) renderInject() string {
	text, err := st.fillTemplate(st.state().Inject, TemplateData{})
	if err != nil {
		st.note("inject of %s: %v", st.s.State, err)
		return st.whereItStands()
	}
	return text
}

// renderBrief is the state's text for an agent that starts in it.
func (st *step) renderBrief(agent string) string {
	return st.render("brief of "+st.s.State, st.state().Brief, TemplateData{Agent: agent})
}

// whereItStands names the state, and what the main agent can do next.
func (st *situation) whereItStands() string {
	if st.s.State == "" {
		return ""
	}
	return fmt.Sprintf("The pipeline is in state %s; %s.", st.s.State, st.describeNext(Agent{}))
}
