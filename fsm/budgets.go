package fsm

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/redact"
	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// findBudget is a rule's budget for an agent, nil if the agent has used none of it.
func (b *Budgets) findBudget(rule, agent string) *Budget {
	for i := range b.Uses {
		if u := &b.Uses[i]; u.Rule == rule && u.Agent == agent {
			return u
		}
	}
	return nil
}

// isFree reports whether a rule's budget lets a call pass: an earlier event charged this very call, since two
// registrations of our hooks may ask for it, or one is left.
func (j judge) isFree(r *Rule, part Part) bool {
	u := j.s.findBudget(r.Name, j.e.Agent.ID)
	return r.Budgeted && (j.isCharged(r) || r.Budget > 0 &&
		(u == nil || u.Used+len(u.Held) < r.Budget || u.hasFile(part)))
}

func (j judge) isCharged(r *Rule) bool {
	use, b := j.e.Tool.UseID, j.before.findBudget(r.Name, j.e.Agent.ID)
	return use != "" && b != nil && slices.Contains(b.Held, use)
}

// charge takes a call that is free from the rule's budget. Of another one it returns which attempt it is.
func (j judge) charge(r *Rule, part Part, free bool) (attempt int) {
	agent, use, b := j.e.Agent.ID, j.e.Tool.UseID, &j.s.Budgets
	u := b.findBudget(r.Name, agent)
	if u == nil { // it is kept as long as the agent's run
		b.Uses = append(b.Uses, Budget{Rule: r.Name, Agent: agent})
		u = &b.Uses[len(b.Uses)-1]
	}
	switch {
	case j.isCharged(r) || free && u.hasFile(part):
		return 0
	case !free:
		if j.isToCount("budget " + r.Name) {
			u.Tries++
		}
		return r.Budget + u.Tries
	}
	u.Held = append(slices.Clone(u.Held), use)
	kept := 3
	if ChangesFiles(part.Tool) {
		kept = max(kept, min(r.Budget, maxBudgetFiles))
	}
	u.Files = slices.Clone(u.Files[max(0, len(u.Files)-kept+1):])
	if part.Path != "" {
		u.Files = append(u.Files, redact.Text(part.Path))
	}
	return 0
}

// maxBudgetFiles is how many changed files a budget remembers.
const maxBudgetFiles = 64

// hasFile reports whether a call changes a file again that was charged before: of changes a budget
// counts the files.
func (u *Budget) hasFile(part Part) bool {
	return ChangesFiles(part.Tool) && part.Path != shell.Unknown && slices.Contains(u.Files, redact.Text(part.Path))
}

// refillBudgets gives the main agent's budgets back whose rules say so.
func (b *Budgets) refillBudgets(p *Policy, on string) {
	b.Uses = slices.DeleteFunc(b.Uses, func(u Budget) bool {
		return u.Agent == "" &&
			slices.ContainsFunc(p.AllRules(),
				func(r *Rule) bool { return r.Name == u.Rule && slices.Contains(r.ResetOn, on) })
	})
}

// releaseBudgets gives back what was let through and never made: the host refused it, or the
// user declined.
func (b *Budgets) releaseBudgets(agent string) {
	for i := range b.Uses {
		if u := &b.Uses[i]; u.Agent == agent {
			u.Files = slices.Clone(u.Files[:max(0, len(u.Files)-len(u.Held))])
			u.Held = nil
		}
	}
}

// forgetUses drops what an agent has used.
func (b *Budgets) forgetUses(agent string) {
	b.Uses = slices.DeleteFunc(b.Uses, func(u Budget) bool { return u.Agent == agent })
	b.Recent = slices.DeleteFunc(b.Recent, func(r RecentTools) bool { return r.Agent == agent })
}

// hasRecent reports whether an agent used the tool in its last n calls.
func (b *Budgets) hasRecent(agent, tool string, n int) bool {
	return slices.ContainsFunc(b.Recent, func(r RecentTools) bool {
		return r.Agent == agent && slices.ContainsFunc(r.Tools[max(0, len(r.Tools)-n):], func(call string) bool {
			return slices.Contains(strings.Split(call, toolSeparator), tool)
		})
	})
}

// toolSeparator stands between the tools of one call. No tool's name has it.
const toolSeparator = "+"

// addRecent remembers the tools of a call, as many calls back as asked.
func (b *Budgets) addRecent(agent string, parts []Part, back int) {
	at := slices.IndexFunc(b.Recent, func(r RecentTools) bool { return r.Agent == agent })
	if at < 0 {
		b.Recent = append(b.Recent, RecentTools{Agent: agent})
		at = len(b.Recent) - 1
	}
	var used []string
	for _, p := range parts {
		used = append(used, p.Tool)
	}
	tools := append(slices.Clone(b.Recent[at].Tools), strings.Join(unique(used), toolSeparator))
	b.Recent[at].Tools = tools[max(0, len(tools)-back):]
}
