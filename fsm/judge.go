package fsm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// An objection is one thing against a call.
type objection struct {
	verdict, would Verdict
	rule, where    string
	kind           string // the rule's type
	reason         string
	proposed       string // the agent type that the reason proposes
}

// against keeps the strictest objection; of equal ones the first.
func (st *step) against(o objection) {
	if l, ok := st.lifted(o.rule); ok {
		st.bypass(o, l)
		return
	}
	st.d.StrictVerdict = max(st.d.StrictVerdict, o.would)
	if o.verdict > st.d.Verdict || st.d.Rule == "" {
		st.d.Verdict, st.d.Rule, st.d.Where, st.d.RuleType, st.d.Reason = o.verdict, o.rule, o.where, o.kind, o.reason
		st.d.Proposed = o.proposed
	}
}

// byRules puts each part of the call before the caller's rules. What is denied uses up no budget.
func (st *step) byRules() {
	set := &st.p.Main
	if !st.orchestrates() {
		set = &st.p.Subagents
	}
	for _, part := range st.e.Tool.Parts {
		st.byRule(set, part)
	}
	if st.d.Verdict == Deny {
		st.giveBack()
	}
	st.remember(set)
}

// orchestrates reports whether the caller is bound by the orchestrator's rules: the main agent, and a fork, which is a
// copy of it.
func (st *step) orchestrates() bool {
	return st.e.Agent.IsMain() || strings.EqualFold(st.e.Agent.Type, "fork")
}

func (st *step) byRule(set *Rules, part Part) {
	r, attempt := st.ruling(set, part)
	if r.Verdict == Pass {
		return
	}
	level := st.levelOf(r)
	o := objection{verdict: level.apply(r.Verdict), would: r.Verdict, rule: orDefault(r.Name), kind: r.Type, where: r.Place}
	times := 1 // what goes on all the same is told alike each time: it was not refused
	if _, lifted := st.lifted(o.rule); o.verdict > Warn && !lifted {
		times = st.refused(r, part)
	}
	o.reason, o.proposed = st.refusalText(r, part, attempt, times)
	if times%stuckAfter == 0 {
		st.d.tell(stuck(st.e.Agent, describe(part), r.Name, times))
	}
	st.against(o)
}

// ruling is the rule that decides a part, and where a budget is used up, which attempt this is.
func (st *step) ruling(set *Rules, part Part) (r *Rule, attempt int) {
	for i := range set.List {
		r := &set.List[i]
		if r.Levelled && r.Level == Off || !r.fits(st, part) || r.Within > 0 && !st.lately(part.Tool, r.Within) {
			continue
		}
		if !r.Budgeted {
			return r, 0
		}
		free, attempt := st.charge(r, part)
		if free {
			return &Rule{}, 0
		}
		return r, attempt
	}
	return &set.Default, 0
}

// stuckAfter is how often an agent is refused the same thing before the user hears of it, and how often again.
const stuckAfter = 5

// refused counts how often this very thing was refused since a person last spoke.
func (st *step) refused(r *Rule, part Part) int {
	sum := sha256.Sum256([]byte(r.Name + "\x00" + describe(part)))
	key := hex.EncodeToString(sum[:6]) // which thing it was is nobody's business but the record's
	for i := range st.s.Budgets.Refusals {
		if st.s.Budgets.Refusals[i].What == key {
			st.s.Budgets.Refusals[i].Times++
			return st.s.Budgets.Refusals[i].Times
		}
	}
	if len(st.s.Budgets.Refusals) >= 8 {
		st.s.Budgets.Refusals = slices.Delete(st.s.Budgets.Refusals, 0, 1)
	}
	st.s.Budgets.Refusals = append(st.s.Budgets.Refusals, Refusal{key, 1})
	return 1
}

// asked are the facts that rules go by.
func (p *Policy) asked() (out []Need) {
	if len(p.ListEnvNames()) > 0 {
		out = append(out, NeedEnv)
	}
	for r := range p.everyRule {
		if len(r.Inputs) > 0 {
			return append(out, NeedInput)
		}
	}
	return out
}

// ListEnvNames lists the environment variables that rules ask for.
func (p *Policy) ListEnvNames() []string {
	var out []string
	for r := range p.everyRule {
		for _, c := range slices.Concat(r.Env, r.UnlessEnv) {
			out = append(out, c.Name)
		}
	}
	if v := p.Limits.RunningEnv; v != "" {
		out = append(out, v)
	}
	return out
}

func (p *Policy) everyRule(yield func(*Rule) bool) {
	for _, set := range []*Rules{&p.Main, &p.Subagents} {
		for i := range set.List {
			if !yield(&set.List[i]) {
				return
			}
		}
	}
}
