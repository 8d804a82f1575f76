package fsm

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Overrides are what persons have ordered about the level, and their bypasses, as far
// as they hold for a session now. They are a fact: the caller of Step has asked the
// clock and the environment.
type Overrides struct {
	Mode     *Mode    `json:"mode,omitempty"`
	Bypasses []Bypass `json:"lifts,omitempty"`
}

// A Mode is a level that replaces the config's.
type Mode struct {
	Level string    `json:"level"`
	From  string    `json:"from"` // "mode" for the command, "environment"
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
	Since time.Time `json:"since,omitzero"`
}

// A Bypass covers objections: they stop nothing, and the record says what they would
// have done.
type Bypass struct {
	ID    string    `json:"id"`
	Rule  string    `json:"rule,omitempty"`  // only objections of this rule; "pipeline" is what states do not admit
	Agent string    `json:"agent,omitempty"` // only calls by agents of this type, or that start one
	Once  bool      `json:"once,omitempty"`  // no bypass but the level guidance, until the turn ends
	From  string    `json:"from,omitempty"`  // "bypass" for the command, "environment"
	By    string    `json:"by,omitempty"`
	Why   string    `json:"why,omitempty"`
	Until time.Time `json:"until,omitzero"`
	// the organisation's permission that lets it cover what is locked; empty for none
	Allowed string `json:"allowed,omitempty"`
}

// The rules that are not the user's.
const (
	RulePipeline = "pipeline"
	RuleProtect  = "protect"
	RuleBypass   = "bypass" // of calls that a bypass has let through
	RuleTasks    = "tasks"
	RuleLimits   = "limits"
	RuleHold     = "hold"
	RuleReturns  = "returns"
	RuleGate     = "gate"
)

// findLevel finds the level for this event: the config's, that of an activation, or a
// person's. The policy is switched off again only if files had switched it on.
func (st *step) findLevel() {
	m := &st.s.Machine
	if name := st.p.activatingSkill(st.e); name != "" && m.ActivatedBy == "" {
		m.ActivatedBy = "switched on by the skill or command " + short(name, 60)
		st.note("%s", m.ActivatedBy)
	}
	if st.e.Kind == SessionStart && len(st.p.Activate.When) > 0 {
		switch file := st.e.Facts.Present; {
		case file != "" && m.ActivatedBy == "":
			m.ActivatedBy, m.ActivatedByFile = "switched on by the file "+short(file, 80), true
			st.note("%s", m.ActivatedBy)
		case file == "" && m.ActivatedByFile:
			st.note("switched off again: none of the files of activate.when is there")
			m.ActivatedBy, m.ActivatedByFile = "", false
		}
	}
	was, from := m.Level, "config"
	st.level, st.ruleCap = st.p.Level, Strict
	if on := st.p.Activate.Level; m.ActivatedBy != "" && on > st.p.Level {
		st.level, from = on, m.ActivatedBy
	}
	if mode := st.e.Facts.Overrides.Mode; mode != nil {
		if l, ok := ParseLevel(mode.Level); ok {
			st.level, st.ruleCap, from = l, l, short(mode.Origin(), originRoom)
		}
	}
	for _, b := range st.e.Facts.Overrides.Bypasses {
		if !b.Once {
			continue
		}
		if st.ruleCap = min(st.ruleCap, Guidance); st.level > Guidance {
			st.level, from = Guidance, short(describeOrigin("once", b.By, b.Why), originRoom)
		}
	}
	if c := &st.p.Ceiling; c.Raise(st.level) > st.level {
		if c.Level == Off {
			st.ruleCap = Observe
		}
		st.level, from = c.Raise(st.level), "locked by "+c.Place
		st.ruleCap = max(st.ruleCap, c.Level)
	}
	st.Level, m.Level = st.level, st.level.String()
	st.announceWeaker(was, from)
	if was != m.Level && (was != "" || from != "config") {
		st.note("the level is %s (%s)", m.Level, from)
	}
}

// announceWeaker tells the person what passes that was refused before: at this event and, where
// that is no prompt of theirs, at the next prompt again.
func (st *step) announceWeaker(was, from string) {
	var j Judged
	if before := st.e.Facts.Judged; before != nil && st.hasNewPolicy() {
		j = *before
	}
	if from == "config" && j.From != "" {
		from = j.From
	}
	var now []Weakening
	if before := cmp.Or(was, j.Level); slices.Index(levelNames[:], before) > int(st.level) {
		text := fmt.Sprintf("the level was %s and is %s now (%s)", before, st.level, from)
		now = append(now, Weakening{st.level.String(), text})
	}
	if j.Widened != "" {
		now = append(now, Weakening{Text: "the config lets pass what it refused before: " + j.Widened})
	}
	isOver := func(w Weakening) bool { return slices.Contains(levelNames[:st.level], w.Level) }
	st.s.Weaker = append(slices.DeleteFunc(st.s.Weaker, isOver), now...)
	if st.e.Kind == Prompt && st.e.Origin == Person || st.e.Kind == SessionStart {
		now, st.s.Weaker = st.s.Weaker, nil
	}
	for _, w := range now {
		st.Notices = append(st.Notices, w.Text)
	}
}

// EffectiveLevel is the level by which an event would be judged.
func (p *Policy) EffectiveLevel(s Session, e Event) Level {
	st := newStep(p, s, e)
	st.findLevel()
	return st.level
}

// originRoom is how much of an origin a record shows, in characters.
const originRoom = 160

// Origin says where a mode comes from: who has set it, and why.
func (m Mode) Origin() string { return describeOrigin(m.From, m.By, m.Why) }

// Origin says the same of a bypass.
func (b Bypass) Origin() string { return describeOrigin(b.From, b.By, b.Why) }

func describeOrigin(from, by, why string) string {
	if by != "" {
		from += " by " + by
	}
	if why != "" {
		from += ": " + why
	}
	return from
}

// levelOf is the level of a rule. A rule's own level yields to a person's more lenient
// one.
func (st *situation) levelOf(r *Rule) Level {
	switch {
	case strings.HasPrefix(r.Name, LockedPrefix):
		if r.Levelled {
			return r.Level
		}
		return max(st.p.Ceiling.RuleLevel, st.level)
	case !r.Levelled:
		return st.level
	}
	return min(r.Level, st.ruleCap)
}

// findBypass finds the bypass that covers a rule's objections to this event; nil for none.
func (st *situation) findBypass(rule string) *Bypass {
	for _, b := range st.e.Facts.Overrides.Bypasses {
		if b.Allowed == "" && st.p.Ceiling.binds(rule) {
			continue
		}
		if !b.Once && (b.Rule == "" || b.Rule == rule) && (b.Agent == "" || st.concernsAgent(b.Agent)) {
			return &b
		}
	}
	return nil
}

// Permits returns the organisation's permission for a bypass of what is locked: one that
// names a group of the person, or matches the reason. Empty for none.
func (c *Ceiling) Permits(why string, groups []string) string {
	for _, p := range c.Allow {
		group, isGroup := strings.CutPrefix(p, "@")
		if isGroup && slices.Contains(groups, group) || !isGroup && matchGlob(p, why) {
			return p
		}
	}
	return ""
}

// concernsAgent reports whether the call is made by an agent of this type, or starts one.
func (st *situation) concernsAgent(agent string) bool {
	if !st.e.Agent.IsMain() && NamesAgent(agent, st.e.Agent.Type) {
		return true
	}
	start := st.e.Tool.Starts
	if start != nil && start.How == ByMessage { // it names the run that it wakes
		r := st.s.findByName(start.Name)
		return r != nil && NamesAgent(agent, r.Type)
	}
	return start != nil && (NamesAgent(agent, start.Type) || NamesAgent(agent, start.Name))
}

// recordBypass lets an objection pass, and records what it was.
func (st *step) recordBypass(o Objection, b *Bypass) {
	st.StrictVerdict = max(st.StrictVerdict, o.StrictVerdict)
	st.Bypassed = append(st.Bypassed, o.Rule)
	st.note("bypass: %s of rule %s is bypassed (%s)", o.Verdict, o.Rule, short(b.Origin(), originRoom))
	if st.Rule == "" {
		st.Rule, st.Where, st.RuleType = RuleBypass, o.Where, o.RuleType
	}
}

// isHoldBypassed reports whether a bypass covers a rule that holds a turn or an agent, and
// records what strict would have done.
func (st *step) isHoldBypassed(rule string) bool {
	st.StrictVerdict = Deny
	b := st.findBypass(rule)
	if b != nil {
		st.recordBypass(Objection{Verdict: Deny, StrictVerdict: Deny, Rule: rule}, b)
	}
	return b != nil
}

// CanActivate reports whether an event may switch a policy on.
func (p *Policy) CanActivate(e Event) bool {
	return e.Kind == SessionStart && len(p.Activate.When) > 0 || p.activatingSkill(e) != ""
}

// activatingSkill is the skill or command that switches the policy on, when the main
// agent or a person uses it.
func (p *Policy) activatingSkill(e Event) string {
	name := e.Tool.Skill
	if name != "" && e.Agent.IsMain() && (e.Kind == ToolRequest || e.Kind == PromptExpansion || e.Kind == Prompt) &&
		MatchAgent(slices.Concat(p.Activate.Skills, p.Activate.Commands), name) {
		return name
	}
	return ""
}
