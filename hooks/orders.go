package hooks

import (
	"fmt"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// Orders are what persons have ordered about the level, as far as it holds for a session now: by command, and by the
// environment of the client. The environment holds over what was ordered for the project, and a session's own order
// over the environment.
func (h *Handler) Orders(id string, now time.Time) fsm.Overrides {
	all, err := h.Sessions.Orders()
	if err != nil {
		h.Warnings = append(h.Warnings, err.Error())
	}
	out := all.For(id, now)
	own, isOwn := all.Of(id)
	switch {
	case isOwn && id != "":
		out.Mode = &own.Mode
	case readEnv(h.Getenv, EnvLevel) != "": // which is in the policy already
		out.Mode = nil
		if h.Policy.Activate.Level != fsm.Off { // which it has to hold over
			out.Mode = &fsm.Mode{Level: h.Policy.Level.String(), From: "environment", Why: EnvLevel}
		}
	}
	if l, ok := Lifted(h.Policy.Bypass, h.Getenv); ok {
		out.Bypasses = append(out.Bypasses, l)
	}
	return out
}

// EnvLevel is the variable that overrides the config's level.
const EnvLevel = "PIPELINE_LEVEL"

// Lifted is the bypass by environment, for as long as the client runs that it was set for.
func Lifted(b fsm.BypassRules, getenv func(string) string) (fsm.Bypass, bool) {
	for _, c := range b.Env {
		if v := readEnv(getenv, c.Name); v != "" && v == c.Value {
			return fsm.Bypass{ID: "environment", From: "environment", Why: c.Name + "=" + v}, true
		}
	}
	return fsm.Bypass{}, false
}

// standing tells a person, at each start and prompt, what is lifted; what was ordered about the level at each start.
func standing(e fsm.Event) []string {
	var out []string
	if m := e.Facts.Overrides.Mode; m != nil && e.Kind == fsm.SessionStart {
		out = append(out, fmt.Sprintf("the level is %s, by %s", m.Level, DescribeMode(*m)))
	}
	for _, l := range e.Facts.Overrides.Bypasses {
		if e.Kind == fsm.SessionStart {
			out = append(out, Describe(l))
		}
	}
	return out
}

// DescribeMode says in words where a level comes from, by whose word and why.
func DescribeMode(m fsm.Mode) string { return describeOrigin(m.From, m.By, m.Why) }

// Describe says in words what a bypass lifts, until when, by whose word and why.
func Describe(l fsm.Bypass) string {
	what := "a bypass is on"
	if l.Once {
		what = "guidance holds until the turn ends"
	}
	if l.Rule != "" {
		what += " for rule " + l.Rule
	}
	if l.Agent != "" {
		what += " for agent " + l.Agent
	}
	if !l.Until.IsZero() && !l.Once {
		what += " until " + l.Until.Local().Format("15:04 on 2006-01-02")
	}
	return what + " (" + describeOrigin(l.From, l.By, l.Why) + ")"
}

func describeOrigin(from, by, why string) string {
	if by != "" {
		from += " by " + by
	}
	if why != "" {
		from += ": " + why
	}
	return from
}

// orders are recorded with the event: what it was decided on.
func orders(e fsm.Event) *fsm.Overrides {
	if o := e.Facts.Overrides; o.Mode != nil || len(o.Bypasses) > 0 {
		return &o
	}
	return nil
}
