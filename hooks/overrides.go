package hooks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

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
	if l, ok := fsm.ParseLevel(level); ok {
		if err := o.checkLevel(l); err != nil {
			return err
		}
	}
	why, _ = redact.Text(why)
	m := session.Mode{Session: o.Session, Mode: fsm.Mode{Level: level, From: "mode", By: o.By, Why: why, Since: o.Now}}
	what := "mode " + level
	if level == "" {
		what = "mode --clear"
	}
	return o.change(what, why, func(all *session.Orders) { all.SetMode(m) })
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
	if err := o.checkRule(b.Rule); err != nil {
		return b, err
	}
	b.Why, _ = redact.Text(b.Why)
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
	why, _ = redact.Text(why)
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
func (o Overrider) EndBypasses() (ended []session.Lift, err error) {
	all, err := o.Store.Orders()
	if err != nil {
		return nil, err
	}
	ends := func(l session.Lift) bool { return o.Session == "" || l.Session == "" || l.Session == o.Session }
	for _, l := range all.Lifts {
		if ends(l) && (l.Until.IsZero() || o.Now.Before(l.Until)) {
			ended = append(ended, l)
		}
	}
	if len(ended) == 0 {
		return nil, nil
	}
	return ended, o.change("bypass off", "", func(all *session.Orders) {
		all.Lifts = slices.DeleteFunc(slices.Clone(all.Lifts), ends)
	})
}

func (o Overrider) add(b fsm.Bypass) func(*session.Orders) {
	return func(all *session.Orders) {
		all.Lifts = append(all.Lifts, session.Lift{Session: o.Session, Since: o.Now, Bypass: b})
	}
}

func (o Overrider) change(what, why string, change func(*session.Orders)) error {
	return o.Store.ChangeOrders(session.Order{Time: o.Now, Session: o.Session, What: what, By: o.By, Why: why}, change)
}

// checkRule refuses a rule that the policy does not have: its bypass would have no
// effect.
func (o Overrider) checkRule(rule string) error {
	builtIn := []string{"", fsm.RulePipeline, fsm.RuleTasks, fsm.RuleLimits, fsm.RuleHold, fsm.RuleReturns,
		fsm.RuleGate}
	if slices.Contains(builtIn, rule) {
		return nil
	}
	for _, set := range []fsm.Rules{o.Policy.Main, o.Policy.Subagents, o.Policy.Ceiling.Main,
		o.Policy.Ceiling.Subagents} {
		for _, r := range set.List {
			if r.Name == rule {
				return nil
			}
		}
	}
	return OverrideError(fmt.Sprintf(
		"no rule %q in the config (%s is what the states do not admit; %s are built in too)",
		rule, fsm.RulePipeline, strings.Join(builtIn[2:], ", ")))
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
