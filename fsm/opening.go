package fsm

import (
	"slices"
	"strings"
)

// opens tells the main agent what the config wants said as a session begins.
func (st *step) opens(source string) {
	o := st.p.Opening
	if !slices.Contains(o.On, source) {
		return
	}
	st.inject(st.rendered("session_start.inject", o.Inject, ""))
	for _, text := range st.e.Facts.Opening {
		st.inject(text)
	}
}

// plans tells the main agent how to plan, where a prompt asks for several steps.
func (st *step) plans(prompt string) {
	p := st.p.Planning
	if p.Say == "" {
		return
	}
	words := " " + strings.Join(strings.FieldsFunc(strings.ToLower(prompt), apart), " ") + " "
	n := 0
	for _, w := range p.Words {
		w = strings.Join(strings.FieldsFunc(strings.ToLower(w), apart), " ")
		if w != "" && strings.Contains(words, " "+w+" ") {
			n++
		}
	}
	if n >= p.AtLeast {
		st.inject(st.rendered("planning.say", p.Say, ""))
	}
}

// remind tells the main agent something about an agent that it started or that has come back, so often in a session.
func (st *step) remind(key, text, agent string) string {
	if text == "" || st.s.Talk.Reminders >= st.p.Remind.Times {
		return ""
	}
	st.s.Talk.Reminders++
	return st.rendered(key, text, agent)
}

func (st *step) rendered(key, text, agent string) string {
	out, err := RenderTemplate(text, st.words(agent))
	if err != nil {
		st.d.note(key + ": " + err.Error())
		return ""
	}
	return out
}
