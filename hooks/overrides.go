package hooks

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// FindOverrides finds the overrides in force for a session: a mode and bypasses, set by command
// or by the client's environment. The environment takes precedence over the project's
// mode, and a session's own mode over the environment.
func (h *Handler) FindOverrides(id string, now time.Time) fsm.Overrides {
	all, err := h.Sessions.Overrides()
	if err != nil {
		h.Warnings = append(h.Warnings, err.Error())
	}
	out := all.For(id, now)
	isOwn := func(m session.Mode) bool { return m.Session == id && id != "" }
	if h.Getenv.Env(EnvLevel) != "" && !slices.ContainsFunc(all.Modes, isOwn) { // the policy has it already
		out.Mode = nil
		if h.Policy.Activate.Level != fsm.Off { // it takes precedence over that
			out.Mode = &fsm.Mode{Level: h.Policy.Level.String(), From: "environment", Why: EnvLevel}
		}
	}
	longest := h.Policy.Bypass.Longest
	for i := range out.Bypasses { // what the file says of a permission may be old, or forged
		b := &out.Bypasses[i]
		switch tooLong := b.Until.After(now.Add(longest)); {
		case longest > 0 && tooLong:
			b.Allowed = ""
		case b.Allowed != "":
			var groups []string
			if h.Groups != nil {
				groups = h.Groups()
			}
			b.Allowed = h.Policy.Ceiling.Permits(b.Why, groups)
		}
	}
	for _, c := range h.Policy.Bypass.Env { // which lasts as long as the client runs that the variable is set for
		if v := h.Getenv.Env(c.Name); v != "" && v == c.Value {
			out.Bypasses = append(out.Bypasses,
				fsm.Bypass{ID: "environment", From: "environment", Why: c.Name + "=" + v})
			break
		}
	}
	return out
}

// EnvLevel is the variable that overrides the config's level.
const EnvLevel = "PIPELINE_LEVEL"

// listOverrides says at each start which mode and which bypasses are in force.
func listOverrides(e fsm.Event, c *fsm.Ceiling) (out []string) {
	if e.Kind != fsm.SessionStart {
		return nil
	}
	if m := e.Facts.Overrides.Mode; m != nil {
		s := fmt.Sprintf("the level is %s, by %s", m.Level, m.Origin())
		if l, _ := fsm.ParseLevel(m.Level); c.Raise(l) > l {
			s = fmt.Sprintf("the level is %s, locked by %s, above %s by %s", c.Raise(l), c.Place, m.Level, m.Origin())
		}
		out = append(out, s)
	}
	for _, b := range e.Facts.Overrides.Bypasses {
		text := DescribeBypass(b)
		if more := DescribeUncovered(*c, b); more != "" {
			text += "; " + more
		}
		out = append(out, text)
	}
	return out
}

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
	what += " (" + l.Origin() + ")"
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

// An Overrider changes what a person overrides: the level and what is bypassed. It is
// the same in a terminal and typed into the client.
type Overrider struct {
	Policy  *fsm.Policy
	Store   session.Store
	Session string // empty for all sessions of the project
	By      string
	Groups  []string // of the person, on this system
	Now     time.Time
}

// An OverrideError is an override that this policy does not take.
type OverrideError string

func (e OverrideError) Error() string { return string(e) }

// SetMode sets the level; an empty one gives it back to the config.
func (o Overrider) SetMode(level, why string) error {
	l, isLevel := fsm.ParseLevel(level)
	if err := o.checkLevel(l); isLevel && err != nil {
		return err
	}
	why = redact.Text(why)
	m := session.Mode{Session: o.Session, Mode: fsm.Mode{Level: level, From: "mode", By: o.By, Why: why, Since: o.Now}}
	return o.change("mode "+cmp.Or(level, "--clear"), why, func(all *session.Overrides) { all.SetMode(m) })
}

// checkLevel refuses a level below the one that the organisation has locked.
func (o Overrider) checkLevel(l fsm.Level) error {
	if c := o.Policy.Ceiling; l < c.Level {
		return OverrideError(fmt.Sprintf("%s locks the level: it is %s at least", c.Place, c.Level))
	}
	return nil
}

// StartBypass puts a bypass in force for a while.
func (o Overrider) StartBypass(b fsm.Bypass, d time.Duration) (fsm.Bypass, error) {
	if longest := o.Policy.Bypass.Longest; longest > 0 && d > longest {
		return b, OverrideError(fmt.Sprintf("%s is longer than a bypass may last here: at most %s (bypass.longest)",
			FormatSpan(d), FormatSpan(longest)))
	}
	builtIn := []string{"", fsm.RulePipeline, fsm.RuleTasks, fsm.RuleLimits, fsm.RuleHold, fsm.RuleReturns,
		fsm.RuleGate}
	isKnown := slices.ContainsFunc(o.Policy.AllRules(), func(r *fsm.Rule) bool { return r.Name == b.Rule })
	if !isKnown && !slices.Contains(builtIn, b.Rule) { // its bypass would have no effect
		return b, OverrideError(fmt.Sprintf(
			"no rule %q in the config (%s is what the states do not admit; %s are built in too)",
			b.Rule, fsm.RulePipeline, strings.Join(builtIn[2:], ", ")))
	}
	b.Why = redact.Text(b.Why)
	b.Allowed = o.Policy.Ceiling.Permits(b.Why, o.Groups)
	b.ID, b.From, b.By, b.Until = fmt.Sprintf("%x", o.Now.UnixNano()&0xffffffff), "bypass", o.By, o.Now.Add(d)
	return b, o.change("bypass on: "+DescribeBypass(b), b.Why, o.add(b))
}

// AllowOnce softens the level to guidance until the turn ends. If the turn never ends,
// because the client was killed, it ends after two hours.
func (o Overrider) AllowOnce(why string) error {
	if err := o.checkLevel(fsm.Guidance); err != nil {
		return err
	}
	why = redact.Text(why)
	return o.change("once", why, o.add(fsm.Bypass{ID: "once", Once: true, From: "once", By: o.By, Why: why,
		Until: o.Now.Add(2 * time.Hour)}))
}

// PermitReset returns the organisation's permission to put a session into a state by
// hand. The first state needs none, nor does any where the states are not locked.
func (o Overrider) PermitReset(state, why string) (string, error) {
	c := &o.Policy.Ceiling
	if state == "" || state == o.Policy.Initial || !c.Locks("states") {
		return "", nil
	}
	allowed := c.Permits(why, o.Groups)
	if allowed == "" {
		return "", OverrideError(fmt.Sprintf("%s locks the states: a session may be put back to %s, not to %s",
			c.Place, o.Policy.Initial, state))
	}
	return allowed, nil
}

// EndBypasses ends the session's bypasses, or the project's where no session is named.
// It returns those that were on.
func (o Overrider) EndBypasses() (ended []session.Bypass, err error) {
	all, err := o.Store.Overrides()
	if err != nil {
		return nil, err
	}
	ends := func(l session.Bypass) bool { return o.Session == "" || l.Session == "" || l.Session == o.Session }
	for _, l := range all.Bypasses {
		if ends(l) && (l.Until.IsZero() || o.Now.Before(l.Until)) {
			ended = append(ended, l)
		}
	}
	if len(ended) == 0 {
		return nil, nil
	}
	return ended, o.change("bypass off", "", func(all *session.Overrides) {
		all.Bypasses = slices.DeleteFunc(all.Bypasses, ends)
	})
}

func (o Overrider) add(b fsm.Bypass) func(*session.Overrides) {
	return func(all *session.Overrides) {
		all.Bypasses = append(all.Bypasses, session.Bypass{Session: o.Session, Since: o.Now, Bypass: b})
	}
}

func (o Overrider) change(what, why string, change func(*session.Overrides)) error {
	c := session.Command{Time: o.Now, Session: o.Session, What: what, By: o.By, Why: why}
	return o.Store.ChangeOverrides(c, change)
}

// FormatSpan writes a duration as the config does: 30m, 2h, 7d.
func FormatSpan(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}
