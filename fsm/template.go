package fsm

import (
	"fmt"
	"strings"
	"text/template"
)

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

// renderTemplate fills in a template.
func renderTemplate(text string, data TemplateData) (string, error) {
	if out, ok := fillSimple(text, &data); ok {
		return out, nil
	}
	t, err := template.New("text").Option("missingkey=zero").Parse(text)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	if err := t.Execute(&b, data); err != nil {
		return "", err
	}
	return b.String(), nil
}

// templateData is what the config's texts may name. A capture that is missing on disk
// is reported as missing.
func (tx texts) templateData(agent string) TemplateData {
	captures := map[string]string{}
	for name := range tx.s.Machine.Captures {
		text, ok := tx.e.Facts.Captured[name]
		if !ok {
			text = missingCapture(name)
		}
		captures[name] = text
	}
	groups := map[string]string{}
	for _, g := range tx.p.Groups {
		groups[g.Name] = strings.Join(g.Agents, ", ")
	}
	return TemplateData{State: tx.s.Machine.State, Agent: agent, Session: tx.s.ID, Context: captures,
		Earlier: tx.e.Facts.Earlier, Scratch: tx.e.Facts.Scratch, Groups: groups}
}

// render fills in a text of the config; key names it in the record if that fails.
func (sp speaker) render(key, text, agent string) string {
	out, err := renderTemplate(sp.e.Say(text), sp.texts().templateData(agent))
	if err != nil {
		sp.d.note(key + ": " + err.Error())
		return ""
	}
	return out
}

// renderInject is the state's text for the main agent.
func (sp speaker) renderInject() string {
	text, err := renderTemplate(sp.e.Say(sp.state().Inject), sp.texts().templateData(""))
	if err != nil {
		sp.d.note("inject of " + sp.s.Machine.State + ": " + err.Error())
		return sp.texts().whereItStands()
	}
	return text
}

// renderBrief is the state's text for an agent that starts in it.
func (sp speaker) renderBrief(agent string) string {
	return sp.render("brief of "+sp.s.Machine.State, sp.state().Brief, agent)
}

// whereItStands names the state, and what the main agent can do next.
func (tx texts) whereItStands() string {
	if tx.s.Machine.State == "" {
		return ""
	}
	return fmt.Sprintf("The pipeline is in state %s; %s.", tx.s.Machine.State, tx.describeNext(Agent{}))
}
