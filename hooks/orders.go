package hooks

import (
	"fmt"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
)

// FindOverrides finds the overrides in force for a session: a mode and bypasses, set by command
// or by the client's environment. The environment takes precedence over the project's
// mode, and a session's own mode over the environment.
func (h *Handler) FindOverrides(id string, now time.Time) fsm.Overrides {
	all, err := h.Sessions.Orders()
	if err != nil {
		h.Warnings = append(h.Warnings, err.Error())
	}
	out := all.For(id, now)
	own, isOwn := all.Of(id)
	switch {
	case isOwn && id != "":
		out.Mode = &own.Mode
	case readEnv(h.Getenv, EnvLevel) != "": // the policy has it already
		out.Mode = nil
		if h.Policy.Activate.Level != fsm.Off { // it takes precedence over that
			out.Mode = &fsm.Mode{Level: h.Policy.Level.String(), From: "environment", Why: EnvLevel}
		}
	}
	for i := range out.Bypasses { // what the file says of a permission may be old, or forged
		if b := &out.Bypasses[i]; b.Allowed != "" {
			b.Allowed = h.Policy.Ceiling.Permits(b.Why, h.listGroups())
		}
	}
	if l, ok := FindEnvBypass(h.Policy.Bypass, h.Getenv); ok {
		out.Bypasses = append(out.Bypasses, l)
	}
	return out
}

func (h *Handler) listGroups() []string {
	if h.Groups == nil {
		return nil
	}
	return h.Groups()
}

// EnvLevel is the variable that overrides the config's level.
const EnvLevel = "PIPELINE_LEVEL"

// FindEnvBypass finds the bypass by an environment variable. It lasts as long as the client runs
// that the variable is set for.
func FindEnvBypass(b fsm.BypassRules, getenv func(string) string) (fsm.Bypass, bool) {
	for _, c := range b.Env {
		if v := readEnv(getenv, c.Name); v != "" && v == c.Value {
			return fsm.Bypass{ID: "environment", From: "environment", Why: c.Name + "=" + v}, true
		}
	}
	return fsm.Bypass{}, false
}

// listOverrides says at each start which mode and which bypasses are in force.
func listOverrides(e fsm.Event) []string {
	var out []string
	if m := e.Facts.Overrides.Mode; m != nil && e.Kind == fsm.SessionStart {
		out = append(out, fmt.Sprintf("the level is %s, by %s", m.Level, DescribeMode(*m)))
	}
	if e.Kind == fsm.SessionStart {
		for _, l := range e.Facts.Overrides.Bypasses {
			out = append(out, DescribeBypass(l))
		}
	}
	return out
}

// DescribeMode describes where a level comes from: who has set it, and why.
func DescribeMode(m fsm.Mode) string { return describeOrigin(m.From, m.By, m.Why) }

// DescribeBypass describes a bypass: what it covers, until when, who has set it and why.
func DescribeBypass(l fsm.Bypass) string {
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
	what += " (" + describeOrigin(l.From, l.By, l.Why) + ")"
	if l.Allowed != "" {
		what += ", also of what the organisation has locked (allowed by " + l.Allowed + ")"
	}
	return what
}

// DescribeUncovered says what holds although a bypass is on: what the organisation has
// locked and does not permit to bypass. It is empty where that is nothing.
func DescribeUncovered(c fsm.Ceiling, b fsm.Bypass) string {
	if len(c.Sections) == 0 || b.Allowed != "" {
		return ""
	}
	return "still in force: what " + c.Place + " locks (" + strings.Join(c.Sections, ", ") + ")"
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
