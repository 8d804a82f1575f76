package main

import (
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// A standingLevel is the level that is in force for a session, or for one that would begin now, and where it comes from.
type standingLevel struct {
	Level   string         `json:"level"`
	From    string         `json:"from"` // where the level comes from: a file and line, mode, environment, activation, once
	By      string         `json:"by,omitempty"`
	Since   time.Time      `json:"since,omitzero"`
	Why     string         `json:"why,omitempty"`
	Config  string         `json:"config"` // what the config says
	Where   string         `json:"where"`  // where it says so
	Session string         `json:"session,omitempty"`
	Bypass  []session.Lift `json:"bypass"`
}

// levelInForce finds out by the rules that the hooks go by.
func levelInForce(p *program, o config.Opened, s fsm.Session, now time.Time) (standingLevel, error) {
	st := store(o, 0)
	all, err := st.Orders()
	out := standingLevel{Config: o.Policy.Level.String(), Where: findLevelPlace(p, o), Session: s.ID, Bypass: []session.Lift{}}
	out.Level, out.From = out.Config, out.Where
	if on := o.Policy.Activate.Level; s.Machine.ActivatedBy != "" && on > o.Policy.Level {
		out.Level, out.From = on.String(), s.Machine.ActivatedBy
	}
	h := p.handler(o, 0)
	for _, l := range h.Orders(s.ID, now).Bypasses {
		out.Bypass = append(out.Bypass, session.Lift{Bypass: l})
	}
	if m := h.Orders(s.ID, now).Mode; m != nil {
		out.Level, out.From, out.By, out.Since, out.Why = m.Level, m.From, m.By, m.Since, m.Why
		if m.From == "environment" {
			out.From = "environment " + hooks.EnvLevel
		}
	}
	for i, l := range out.Bypass {
		for _, known := range all.Lifts {
			if known.Bypass == l.Bypass && (known.Session == "" || known.Session == s.ID) {
				out.Bypass[i] = known
			}
		}
	}
	for _, l := range out.Bypass {
		if level, _ := fsm.ParseLevel(out.Level); l.Once && level > fsm.Guidance {
			out.Level, out.From, out.By, out.Since, out.Why = fsm.Guidance.String(), "once", l.By, l.Since, l.Why
		}
	}
	return out, err
}

// findLevelPlace is where the config's level is written.
func findLevelPlace(p *program, o config.Opened) string {
	_, origins, _, err := config.Load(o.Project, p.world(o.Project.Root, ""))
	if err != nil || origins == nil {
		return "config"
	}
	by, _ := origins.Of("level")
	return by.String()
}

// printLevel says it in lines of a table.
func printLevel(p *program, l standingLevel) {
	p.printf("level   %s\n", p.bold(l.Level))
	from := l.From
	if l.By != "" {
		from += ", by " + l.By
	}
	if !l.Since.IsZero() {
		from += ", since " + l.Since.Local().Format(time.DateTime)
	}
	p.printf("from    %s\n", from)
	if l.Why != "" && l.From != "environment "+hooks.EnvLevel {
		p.printf("reason  %s\n", l.Why)
	}
	if l.Level != l.Config {
		p.printf("config  %s (%s)\n", l.Config, l.Where)
	}
	for _, b := range l.Bypass {
		p.printf("bypass  %s\n", hooks.Describe(b.Bypass))
	}
}
