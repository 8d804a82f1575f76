package fsm

import (
	"fmt"
	"strings"
)

// SelfCheckText is what the main agent is to ask itself before each call. It is made from the rules, so that it can never say
// anything else than they do.
func (p *Policy) SelfCheckText() string {
	checks := []string{p.roleCheck(), p.toolCheck(), p.budgetCheck(), p.commandCheck(), p.analysisCheck()}
	var b strings.Builder
	b.WriteString("Before each tool call, ask yourself:\n")
	n := 0
	for _, c := range checks {
		if c != "" {
			n++
			fmt.Fprintf(&b, "%d. %s\n", n, c)
		}
	}
	b.WriteString("If an answer speaks against the call, delegate instead.")
	return b.String()
}

func (p *Policy) roleCheck() string {
	if p.Initial == "" {
		return "Role: you are the orchestrator; you coordinate, agents do the work."
	}
	return "Role: you are the orchestrator; you coordinate, agents do the work. A session begins in " + p.Initial + ": " + startOne(p.NextAgents(p.Initial)) + "."
}

// toolCheck names the tools that are refused whatever they are used on, but for exceptions.
func (p *Policy) toolCheck() string {
	var refused, free []string
	for i := range p.Main.List {
		r := &p.Main.List[i]
		switch {
		case len(r.Commands) > 0 || r.Budgeted || r.Within > 0 || len(r.States)+len(r.Inputs)+len(r.Env)+len(r.UnlessEnv) > 0:
		case r.Verdict == Deny && len(r.Paths) == 0:
			refused = append(refused, r.Tools...)
		case r.Verdict == Pass && len(r.Paths) > 0:
			free = append(free, r.Name)
		}
	}
	if p.Main.Default.Verdict == Deny {
		refused = append(refused, "every tool that no rule allows")
	}
	if len(refused) == 0 {
		return ""
	}
	text := "Tool: not for you: " + strings.Join(unique(refused), ", ")
	if len(free) > 0 {
		text += " (exceptions: " + strings.Join(free, ", ") + ")"
	}
	return text + "."
}

func (p *Policy) budgetCheck() string {
	var out []string
	for i := range p.Main.List {
		r := &p.Main.List[i]
		if r.Within > 0 && r.Verdict > Pass {
			out = append(out, fmt.Sprintf("%s: not again within %d calls", strings.Join(r.Tools, ", "), r.Within))
		}
		if r.Budgeted {
			text := fmt.Sprintf("%s: %d are free", strings.Join(r.Tools, ", "), r.Budget)
			if len(r.ResetOn) > 0 {
				text += ", and again after " + strings.Join(r.ResetOn, " or ")
			}
			out = append(out, text)
		}
	}
	return labelled("Counted: ", out)
}

func (p *Policy) commandCheck() string {
	var out []string
	for i := range p.Main.List {
		if r := &p.Main.List[i]; len(r.Commands) > 0 && r.Verdict > Pass {
			var words []string
			for _, c := range r.Commands {
				words = append(words, strings.Join(c, " "))
			}
			out = append(out, fmt.Sprintf("%s: %s", map[Verdict]string{Warn: "unwelcome", Ask: "only if the user agrees", Deny: "refused"}[r.Verdict],
				strings.ReplaceAll(strings.Join(words, ", "), "?", "whatever cannot be known before it runs")))
		}
	}
	return labelled("Commands: ", out)
}

// analysisCheck speaks only where looking around is limited.
func (p *Policy) analysisCheck() string {
	for i := range p.Main.List {
		r := &p.Main.List[i]
		if r.Verdict == Deny && (glob(first(r.Tools), "Grep") || glob(first(r.Tools), "Glob")) {
			return "Analysis: are you about to search or to study code yourself? " + strings.TrimSpace("Delegate it "+toOneOf(r.DelegateTo)) + "."
		}
	}
	return ""
}

func toOneOf(agents []string) string {
	if len(agents) == 0 {
		return ""
	}
	return "to " + strings.Join(agents, " or ")
}

func labelled(label string, parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return label + strings.Join(parts, "; ") + "."
}

func first(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
