package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config"
	"github.com/agent-pipeline/pipeline/fsm"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// Orders about the level and what is lifted: the same whether a person gives them in a terminal or types them into the
// client.

// An ordering is who orders, when, and for which session; empty for all of the project's.
type ordering struct {
	open    config.Opened
	store   session.Store
	session string
	by      string
	now     time.Time
}

func (p *program) ordering(o config.Opened, id, by string) ordering {
	return ordering{open: o, store: store(o, 5*time.Second), session: id, by: by, now: time.Now().UTC()}
}

func (o ordering) order(what, why string) session.Order {
	return session.Order{Time: o.now, Session: o.session, What: what, By: o.by, Why: why}
}

// mode sets the level, or gives it back to the config.
func (o ordering) mode(level, why string) error {
	m := session.Mode{Session: o.session, Mode: fsm.Mode{Level: level, From: "mode", By: o.by, Why: why, Since: o.now}}
	what := "mode " + level
	if level == "" {
		what = "mode --clear"
	}
	return o.store.ChangeOrders(o.order(what, why), func(all *session.Orders) { all.SetMode(m) })
}

// lift puts a bypass in force.
func (o ordering) lift(l fsm.Bypass, d time.Duration) (fsm.Bypass, error) {
	if longest := o.open.Policy.Bypass.Longest; longest > 0 && d > longest {
		return l, usageError{fmt.Sprintf("%s is longer than a bypass may last here: at most %s (bypass.longest)", span(d), span(longest))}
	}
	if err := o.known(l.Rule); err != nil {
		return l, err
	}
	l.ID, l.From, l.By, l.Until = fmt.Sprintf("%x", o.now.UnixNano()&0xffffffff), "bypass", o.by, o.now.Add(d)
	err := o.store.ChangeOrders(o.order("bypass on: "+hooks.Describe(l), l.Why), func(all *session.Orders) {
		all.Lifts = append(all.Lifts, session.Lift{Session: o.session, Since: o.now, Bypass: l})
	})
	return l, err
}

// known refuses a rule that the policy does not have: a bypass for it would lift nothing.
func (o ordering) known(rule string) error {
	built := []string{"", fsm.RulePipeline, fsm.RuleTasks, fsm.RuleLimits, fsm.RuleHold, fsm.RuleReturns, fsm.RuleGate}
	if slices.Contains(built, rule) {
		return nil
	}
	for _, set := range []fsm.Rules{o.open.Policy.Main, o.open.Policy.Subagents} {
		for _, r := range set.List {
			if r.Name == rule {
				return nil
			}
		}
	}
	return usageError{fmt.Sprintf("no rule %s in the config (%s is what the states do not admit; %s are what else there is)", quote(rule), fsm.RulePipeline, strings.Join(built[2:], ", "))}
}

// unlift ends bypasses: those of the session, or the project's where none is named. It returns how many.
func (o ordering) unlift() (n int, err error) {
	all, err := o.store.Orders()
	if err != nil {
		return 0, err
	}
	ends := func(l session.Lift) bool { return o.session == "" || l.Session == "" || l.Session == o.session }
	for _, l := range all.Lifts {
		if ends(l) && (l.Until.IsZero() || o.now.Before(l.Until)) {
			n++
		}
	}
	if n == 0 {
		return 0, nil
	}
	return n, o.store.ChangeOrders(o.order("bypass off", ""), func(all *session.Orders) {
		var left []session.Lift
		for _, l := range all.Lifts {
			if !ends(l) {
				left = append(left, l)
			}
		}
		all.Lifts = left
	})
}

// onceAtMost bounds `once` where the turn that it waits for never ends: the client was killed.
const onceAtMost = 2 * time.Hour

// once softens the level to guidance until the turn ends.
func (o ordering) once(why string) error {
	l := fsm.Bypass{ID: "once", Once: true, From: "once", By: o.by, Why: why, Until: o.now.Add(onceAtMost)}
	return o.store.ChangeOrders(o.order("once", why), func(all *session.Orders) {
		all.Lifts = append(all.Lifts, session.Lift{Session: o.session, Since: o.now, Bypass: l})
	})
}

// span is a duration as people write it.
func span(d time.Duration) string {
	switch {
	case d%(24*time.Hour) == 0:
		return fmt.Sprintf("%dd", d/(24*time.Hour))
	case d%time.Hour == 0:
		return fmt.Sprintf("%dh", d/time.Hour)
	}
	return fmt.Sprintf("%dm", d/time.Minute)
}
