package fsm

import (
	"fmt"
	"slices"
	"time"
)

// Overrides are what persons have ordered about the level and what they have lifted, as far as it holds for a session now.
// They are a fact: whoever gathers them has asked the clock and the environment.
type Overrides struct {
	Mode     *Mode    `json:"mode,omitempty"`
	Bypasses []Bypass `json:"lifts,omitempty"`
}

// A Mode is a level that stands in the place of the config's.
type Mode struct {
	Level string    `json:"level"`
	From  string    `json:"from"` // "mode" for the command, "environment"
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
	Since time.Time `json:"since,omitzero"`
}

// A Bypass is a bypass: objections that it covers stop nothing, and are recorded as what they would have been.
type Bypass struct {
	ID    string    `json:"id"`
	Rule  string    `json:"rule,omitempty"`  // only objections of this rule; "pipeline" is what states do not admit
	Agent string    `json:"agent,omitempty"` // only calls by agents of this type, or that start one
	Once  bool      `json:"once,omitempty"`  // not a bypass: guidance until the turn ends
	From  string    `json:"from,omitempty"`  // "bypass" for the command, "environment"
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
	Until time.Time `json:"until,omitzero"`
}

// RuleBypass is the rule of calls that a bypass has let through.
const RuleBypass = "bypass"

// levelled finds the level that holds for this event: the config's, what the policy was switched on to, a person's word.
func (st *step) levelled() {
	st.activate()
	was, from := st.s.Machine.Level, "config"
	st.d.Level = st.p.Level
	if on := st.p.Activate.Level; st.s.Machine.ActivatedBy != "" && on > st.p.Level {
		st.d.Level, from = on, st.s.Machine.ActivatedBy
	}
	if m := st.e.Facts.Overrides.Mode; m != nil {
		if l, ok := ParseLevel(m.Level); ok {
			st.d.Level, from, st.capped = l, said(m.From, m.By, m.Why), true
		}
	}
	for _, l := range st.e.Facts.Overrides.Bypasses {
		if l.Once && st.d.Level > Guidance {
			st.d.Level, from, st.capped = Guidance, said("once", l.By, l.Why), true
		}
	}
	st.s.Machine.Level = st.d.Level.String()
	if was != st.s.Machine.Level && (was != "" || from != "config") {
		st.d.note(fmt.Sprintf("the level is %s (%s)", st.s.Machine.Level, from))
	}
}

// EffectiveLevel is the level by which an event would be judged.
func (p *Policy) EffectiveLevel(s Session, e Event) Level {
	st := &step{p: p, s: s.clone(), e: e}
	st.levelled()
	return st.d.Level
}

// said names where an order comes from, by whom and why.
func said(from, by, why string) string {
	if by != "" {
		from += " by " + by
	}
	if why != "" {
		from += ": " + why
	}
	return short(from, 160)
}

// levelOf is the level of a rule. One of its own does not outlast a person's word to be more lenient.
func (st *step) levelOf(r *Rule) Level {
	switch {
	case !r.Levelled:
		return st.d.Level
	case st.capped:
		return min(r.Level, st.d.Level)
	}
	return r.Level
}

// lifted finds the bypass that covers an objection.
func (st *step) lifted(rule string) (Bypass, bool) {
	for _, l := range st.e.Facts.Overrides.Bypasses {
		if !l.Once && (l.Rule == "" || l.Rule == rule) && (l.Agent == "" || st.concerns(l.Agent)) {
			return l, true
		}
	}
	return Bypass{}, false
}

// concerns reports whether the call is made by an agent of this type, or starts one.
func (st *step) concerns(agent string) bool {
	if !st.e.Agent.IsMain() && MatchAgent([]string{agent}, st.e.Agent.Type) {
		return true
	}
	start := st.e.Tool.Starts
	if start != nil && start.How == ByMessage { // it names the run that it wakes
		r := st.s.named(start.Name)
		return r != nil && MatchAgent([]string{agent}, r.Type)
	}
	return start != nil && (MatchAgent([]string{agent}, start.Type) || MatchAgent([]string{agent}, start.Name))
}

// bypass lets an objection pass, and says in the record what it was.
func (st *step) bypass(o objection, l Bypass) {
	st.d.StrictVerdict = max(st.d.StrictVerdict, o.would)
	st.d.Bypassed = append(st.d.Bypassed, o.rule)
	st.d.note(fmt.Sprintf("bypass: %s of rule %s is lifted (%s)", o.verdict, o.rule, said(l.From, l.By, l.Why)))
	if st.d.Rule == "" {
		st.d.Rule, st.d.Where, st.d.RuleType = RuleBypass, o.where, o.kind
	}
}

// Activation says what switches the policy on by itself, to which level. It never makes anything more lenient, and a
// person's word about the level holds over it.
type Activation struct {
	When     []string // globs of whole paths: one must match a file when a session starts
	Skills   []string
	Commands []string // slash commands, without the slash
	Level    Level
	Place    string
}

// CanActivate reports whether an event may switch a policy on.
func (p *Policy) CanActivate(e Event) bool {
	return e.Kind == SessionStart && len(p.Activate.When) > 0 || p.skillOn(e) != ""
}

// skillOn is the skill or command that switches the policy on, as the main agent or a person uses it.
func (p *Policy) skillOn(e Event) string {
	if name := e.Tool.Skill; name != "" && e.Agent.IsMain() && (e.Kind == ToolRequest || e.Kind == PromptExpansion) {
		if MatchAgent(slices.Concat(p.Activate.Skills, p.Activate.Commands), name) {
			return name
		}
	}
	return ""
}

// activate switches the policy on, and off again only if it was files that had switched it on.
func (st *step) activate() {
	if name := st.p.skillOn(st.e); name != "" && st.s.Machine.ActivatedBy == "" {
		st.s.Machine.ActivatedBy = "switched on by the skill or command " + short(name, 60)
		st.d.note(st.s.Machine.ActivatedBy)
	}
	if st.e.Kind != SessionStart || len(st.p.Activate.When) == 0 {
		return
	}
	switch file := st.e.Facts.Present; {
	case file != "" && st.s.Machine.ActivatedBy == "":
		st.s.Machine.ActivatedBy, st.s.Machine.ActivatedByFile = "switched on by the file "+short(file, 80), true
		st.d.note(st.s.Machine.ActivatedBy)
	case file == "" && st.s.Machine.ActivatedByFile:
		st.d.note("switched off again: none of the files of activate.when is there")
		st.s.Machine.ActivatedBy, st.s.Machine.ActivatedByFile = "", false
	}
}
