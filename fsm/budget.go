package fsm

import "slices"

// A Budget is what an agent has used of a rule's free calls.
type Budget struct {
	Rule  string   `json:"rule"`
	Agent string   `json:"agent,omitempty"` // the agent's id; empty for the main agent
	Used  int      `json:"used,omitempty"`  // calls that were made
	Held  []string `json:"held,omitempty"`  // calls that were let through and not yet made, by their id
	Tries int      `json:"tries,omitempty"` // calls that were refused
	Files []string `json:"files,omitempty"` // the latest that were let through
}

// A Refusal is a thing that was refused, and how often.
type Refusal struct {
	What  string `json:"what"`
	Times int    `json:"times"`
}

// RecentTools are the tools that an agent used last, the oldest first.
type RecentTools struct {
	Agent string   `json:"agent,omitempty"`
	Tools []string `json:"tools,omitempty"`
}

// charge takes one from the rule's budget for this call, if one is left. The same call is charged once, though two
// registrations may ask for it.
func (st *step) charge(r *Rule, part Part) (free bool, attempt int) {
	if st.charged(r.Name) {
		return true, 0
	}
	b := st.budget(r.Name)
	if b.Used+len(b.Held) >= r.Budget {
		b.Tries++
		return false, r.Budget + b.Tries
	}
	b.Held = append(slices.Clone(b.Held), st.e.Tool.UseID)
	b.Files = slices.Clone(b.Files[max(0, len(b.Files)-2):])
	if part.Path != "" {
		b.Files = append(b.Files, part.Path)
	}
	return true, 0
}

// hasBudget reports whether the rule has a free call left for the caller, or has given this very call one.
func (st *step) hasBudget(r *Rule) bool {
	if st.charged(r.Name) {
		return true
	}
	for _, b := range st.s.Budgets.Uses {
		if b.Rule == r.Name && b.Agent == st.e.Agent.ID {
			return b.Used+len(b.Held) < r.Budget
		}
	}
	return r.Budget > 0
}

// charged reports whether this very call was charged by an event before this one.
func (st *step) charged(rule string) bool {
	use := st.e.Tool.UseID
	return use != "" && slices.ContainsFunc(st.was, func(b Budget) bool {
		return b.Rule == rule && b.Agent == st.e.Agent.ID && slices.Contains(b.Held, use)
	})
}

func (st *step) budget(rule string) *Budget {
	for i := range st.s.Budgets.Uses {
		if b := &st.s.Budgets.Uses[i]; b.Rule == rule && b.Agent == st.e.Agent.ID {
			return b
		}
	}
	if len(st.s.Budgets.Uses) >= 24 { // of agents that are long gone
		st.s.Budgets.Uses = slices.Delete(st.s.Budgets.Uses, 0, 1)
	}
	st.s.Budgets.Uses = append(st.s.Budgets.Uses, Budget{Rule: rule, Agent: st.e.Agent.ID})
	return &st.s.Budgets.Uses[len(st.s.Budgets.Uses)-1]
}

// confirm counts a call that was let through as made, whether it succeeded or not.
func (st *step) confirm(use string) {
	for i := range st.s.Budgets.Uses {
		b := &st.s.Budgets.Uses[i]
		left := slices.DeleteFunc(slices.Clone(b.Held), func(h string) bool { return h == use })
		b.Used += len(b.Held) - len(left)
		b.Held = left
	}
}

// release gives back what was let through and never made: the host refused it, or the user declined.
func (st *step) release(agent string) {
	for i := range st.s.Budgets.Uses {
		if st.s.Budgets.Uses[i].Agent == agent {
			st.s.Budgets.Uses[i].Held = nil
		}
	}
}

// giveBack undoes what a call was charged that is denied after all. That it was tried still counts.
func (st *step) giveBack() {
	for i := range st.s.Budgets.Uses {
		b := &st.s.Budgets.Uses[i]
		at := slices.IndexFunc(st.was, func(w Budget) bool { return w.Rule == b.Rule && w.Agent == b.Agent })
		if at < 0 {
			b.Held, b.Files = nil, nil
			continue
		}
		b.Held, b.Files = st.was[at].Held, st.was[at].Files
	}
}

// refill gives the budgets back whose rules say so.
func (st *step) refill(on, agent string) {
	st.s.Budgets.Uses = slices.DeleteFunc(st.s.Budgets.Uses, func(b Budget) bool {
		return b.Agent == agent && st.p.refills(b.Rule, on)
	})
}

func (p *Policy) refills(rule, on string) bool {
	for r := range p.everyRule {
		if r.Name == rule && slices.Contains(r.ResetOn, on) {
			return true
		}
	}
	return false
}

// lately reports whether the caller used the tool in its last n calls.
func (st *step) lately(tool string, n int) bool {
	for _, l := range st.s.Budgets.Recent {
		if l.Agent == st.e.Agent.ID {
			return slices.Contains(l.Tools[max(0, len(l.Tools)-n):], tool)
		}
	}
	return false
}

// remember keeps the tools of a call that goes on, as far back as any rule looks.
func (st *step) remember(set *Rules) {
	back := 0
	for i := range set.List {
		back = max(back, set.List[i].Within)
	}
	if back == 0 || st.d.Verdict == Deny || len(st.e.Tool.Parts) == 0 {
		return
	}
	at := slices.IndexFunc(st.s.Budgets.Recent, func(l RecentTools) bool { return l.Agent == st.e.Agent.ID })
	if at < 0 {
		st.s.Budgets.Recent = append(st.s.Budgets.Recent[max(0, len(st.s.Budgets.Recent)-7):], RecentTools{Agent: st.e.Agent.ID})
		at = len(st.s.Budgets.Recent) - 1
	}
	l := &st.s.Budgets.Recent[at]
	l.Tools = slices.Clone(l.Tools)
	for _, p := range st.e.Tool.Parts {
		l.Tools = append(l.Tools, p.Tool)
	}
	l.Tools = l.Tools[max(0, len(l.Tools)-back):]
}
