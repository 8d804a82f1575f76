package fsm

import (
	"slices"
	"strings"
	"text/template"
)

// TemplateData are what a template of the config may name: {{ .State }}, {{ .Agent }}, {{ .Session }}, {{ .Context.gathered }},
// {{ .Earlier.gathered.Text }}, {{ .Scratch }}, and in hold.say {{ .Left }}.
type TemplateData struct {
	State   string
	Agent   string
	Session string
	Context map[string]string
	Earlier map[string]*Earlier
	Scratch string // a folder for this session's intermediate files
	Left    string // hold: what is left to do
}

// An Earlier is what was captured under a name before, in this session or in another one of the project. It is offered,
// never taken for this session's: no state is skipped for it.
type Earlier struct {
	Text    string `json:"text,omitempty"`
	When    string `json:"when,omitempty"`    // local time
	Changed string `json:"changed,omitempty"` // what has changed in the project since, in the words of its version control
}

// offersTo reports whether some state's brief for agents of this type names what was captured earlier.
func (p *Policy) offersTo(agent string) bool {
	return slices.ContainsFunc(p.States, func(s State) bool { return strings.Contains(s.Brief, ".Earlier") && s.works(agent) })
}

// OffersEarlier reports whether any text of the policy names what was captured earlier under a name.
func (p *Policy) OffersEarlier(name string) bool {
	for _, s := range p.States {
		if strings.Contains(s.Brief, ".Earlier."+name) || strings.Contains(s.Inject, ".Earlier."+name) {
			return true
		}
	}
	return false
}

// RenderTemplate fills in a template. A text without an action is returned as it is.
func RenderTemplate(text string, w TemplateData) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t, err := template.New("text").Option("missingkey=zero").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, w); err != nil {
		return "", err
	}
	return b.String(), nil
}

func (st *step) words(agent string) TemplateData {
	return TemplateData{State: st.s.Machine.State, Agent: agent, Session: st.s.ID, Context: st.quoted(), Earlier: st.e.Facts.Earlier, Scratch: st.e.Facts.Scratch}
}

// quoted are the captures by name. A capture that is missing on disk is said to be, rather than passed over.
func (st *step) quoted() map[string]string {
	out := map[string]string{}
	for name := range st.s.Machine.Captures {
		text, ok := st.e.Facts.Captured[name]
		if !ok {
			text = "(" + name + " was recorded, but its text is missing)"
		}
		out[name] = text
	}
	return out
}

// said is what the state wants the main agent told.
func (st *step) said() string {
	text, err := RenderTemplate(st.state().Inject, st.words(""))
	if err != nil {
		st.d.note("inject of " + st.s.Machine.State + ": " + err.Error())
		return stands(st.s.Machine.State, st.p.NextAgents(st.s.Machine.State))
	}
	return text
}

// brief is what an agent is told when it starts in a state.
func (st *step) brief(state, agent string) string {
	in, ok := st.p.FindState(state)
	if !ok {
		return ""
	}
	text, err := RenderTemplate(in.Brief, st.words(agent))
	if err != nil {
		st.d.note("brief of " + state + ": " + err.Error())
		return ""
	}
	return text
}
