package fsm

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
)

// object records an objection and keeps the strictest; of equal ones the first.
func (st *step) object(o Objection) {
	if l, ok := st.lifted(o.Rule); ok {
		st.bypass(o, l)
		o.Bypassed, o.Verdict = true, Pass
		st.d.Objections = append(st.d.Objections, o)
		return
	}
	st.d.Objections = append(st.d.Objections, o)
	st.d.StrictVerdict = max(st.d.StrictVerdict, o.StrictVerdict)
	if o.Verdict > st.d.Verdict || st.d.Rule == "" {
		st.d.Verdict, st.d.Rule, st.d.Where, st.d.RuleType, st.d.Reason = o.Verdict, o.Rule, o.Where, o.RuleType, o.Reason
	}
}

// callerRules are the rules that bind the caller.
func (st *step) callerRules() *Rules {
	if st.orchestrates() {
		return &st.p.Main
	}
	return &st.p.Subagents
}

// judgeParts puts each part of the call before the caller's rules. What is denied uses up no budget.
func (st *step) judgeParts() {
	set := st.callerRules()
	for i := range st.d.Parts {
		st.judgePart(set, i)
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

func (st *step) judgePart(set *Rules, i int) {
	part := st.d.Parts[i].Part
	r := st.findRule(set, part)
	attempt := 0
	if r.Budgeted {
		free, n := st.charge(r, part)
		st.d.Parts[i] = st.rulingOf(r, part, free)
		if free {
			return
		}
		attempt = n
	} else {
		st.d.Parts[i] = st.rulingOf(r, part, false)
	}
	if r.Verdict == Pass {
		return
	}
	o := Objection{Part: i, Verdict: st.levelOf(r).apply(r.Verdict), StrictVerdict: r.Verdict, Rule: orDefault(r.Name), RuleType: r.Type,
		Where: r.Place}
	times := 1 // what goes on all the same is told alike each time: it was not refused
	if _, lifted := st.lifted(o.Rule); o.Verdict > Warn && !lifted {
		times = st.refused(r, part)
	}
	o.Reason = st.refusalText(r, part, attempt, times)
	if times%stuckAfter == 0 {
		st.d.tell(stuck(st.e.Agent, describe(part), r.Name, times))
	}
	st.object(o)
}

// findRule is the first rule that fits a part of the call.
func (st *step) findRule(set *Rules, part Part) *Rule {
	for i := range set.List {
		r := &set.List[i]
		if r.isOff() || !r.fits(st, part) || r.Within > 0 && !st.lately(part.Tool, r.Within) {
			continue
		}
		return r
	}
	return &set.Default
}

// rulingOf is what a rule makes of a part, before any objection.
func (st *step) rulingOf(r *Rule, part Part, free bool) Ruling {
	out := Ruling{Part: part, Rule: orDefault(r.Name), RuleType: r.Type, Where: r.Place}
	if free {
		out.Free, out.SpentStrict = r.Budget, r.Verdict
		if _, bypassed := st.lifted(out.Rule); !bypassed {
			out.Spent = st.levelOf(r).apply(r.Verdict)
		}
	}
	return out
}

// settleParts completes the rulings with the objections. A part that no rule was asked about, because the call was refused
// before, is put before the rules here; that uses up no budget.
func (st *step) settleParts() {
	set := st.callerRules()
	for i := range st.d.Parts {
		ruling := &st.d.Parts[i]
		var unasked *Rule
		if ruling.Rule == "" {
			unasked = st.findRule(set, ruling.Part)
			*ruling = st.rulingOf(unasked, ruling.Part, unasked.Budgeted && st.hasBudget(unasked))
		}
		for _, o := range st.d.Objections {
			if o.Part == i || o.Part == WholeCall {
				ruling.raise(o)
			}
		}
		if unasked != nil && unasked.Verdict > Pass && ruling.Free == 0 {
			ruling.raise(Objection{Rule: ruling.Rule, RuleType: ruling.RuleType, Where: ruling.Where,
				Verdict: st.levelOf(unasked).apply(unasked.Verdict), StrictVerdict: unasked.Verdict})
		}
	}
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
