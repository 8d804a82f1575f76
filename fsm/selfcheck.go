package fsm

import (
	"fmt"
	"slices"
	"strings"
)

// SelfCheckText is what the main agent asks itself before each call. It is made from
// the rules, so that it always agrees with them.
func (p *Policy) SelfCheckText() string {
	var b strings.Builder
	b.WriteString("Before each tool call, ask yourself:\n")
	n := 0
	rs := &p.Main
	checks := []string{p.checkRole(), rs.checkTools(), rs.checkBudgets(), rs.checkCommands(), rs.checkSearching()}
	for _, c := range checks {
		if c != "" {
			n++
			fmt.Fprintf(&b, "%d. %s\n", n, c)
		}
	}
	b.WriteString("If an answer speaks against the call, delegate instead.")
	return b.String()
}

func (p *Policy) checkRole() string {
	text := "Role: you are the orchestrator; you coordinate, agents do the work."
	if p.Initial != "" {
		text += " A session begins in " + p.Initial + ": " + startOneOf(p.NewTable().Next(p.Initial)) + "."
	}
	return text
}

// checkTools names the tools that are refused in every call, except for exceptions.
func (rs *Rules) checkTools() string {
	var refused, free []string
	for i := range rs.List {
		r := &rs.List[i]
		switch {
		case len(r.Commands) > 0 || r.Budgeted || r.Within > 0 || r.Changes != nil ||
			len(r.States)+len(r.AdmittedIn)+len(r.Inputs)+len(r.Starts)+len(r.Env)+len(r.UnlessEnv) > 0:
		case r.Verdict == Deny && len(r.Paths) == 0:
			refused = append(refused, r.Tools...)
		case r.Verdict == Pass && len(r.Paths) > 0:
			free = append(free, r.Name)
		}
	}
	if rs.Default.Verdict == Deny {
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

func (rs *Rules) checkBudgets() string {
	var out []string
	for i := range rs.List {
		r := &rs.List[i]
		if r.Within > 0 && r.Verdict > Pass {
			out = append(out, fmt.Sprintf("%s: not again within %d calls", strings.Join(r.Tools, ", "), r.Within))
		}
		if r.Budgeted {
			text := fmt.Sprintf("%s: %d are free", strings.Join(r.Tools, ", "), r.Budget)
			if len(r.ResetOn) > 0 && r.ResetOn[0] != "never" {
				text += ", and again after " + strings.Join(r.ResetOn, " or ")
			}
			out = append(out, text)
		}
	}
	return withLabel("Counted: ", out)
}

func (rs *Rules) checkCommands() string {
	var out []string
	for i := range rs.List {
		r := &rs.List[i]
		if len(r.Commands) == 0 || r.Verdict == Pass {
			continue
		}
		var words []string
		for _, c := range r.Commands {
			words = append(words, strings.Join(c, " "))
		}
		what := map[Verdict]string{Warn: "unwelcome", Ask: "only if the user agrees", Deny: "refused"}[r.Verdict]
		out = append(out, what+": "+
			strings.NewReplacer(UnknownCode, "whatever cannot be known before it runs", BuildCommands,
				"whatever builds, tests or runs the project", TestCommands, "whatever tests or checks the project",
				RemoteCommands, "whatever leaves this machine", DestroyingCommands, "whatever no undo brings back",
				CommandsElsewhere, "whatever hands work to another process or machine").
				Replace(strings.Join(words, ", ")))
	}
	return withLabel("Commands: ", out)
}

// checkSearching is there only where searching is denied.
func (rs *Rules) checkSearching() string {
	i := slices.IndexFunc(rs.List, func(r Rule) bool {
		return r.Verdict == Deny && len(r.Tools) > 0 &&
			(matchGlob(r.Tools[0], "Grep") || matchGlob(r.Tools[0], "Glob"))
	})
	if i < 0 {
		return ""
	}
	text := "Analysis: are you about to search or to study code yourself? Delegate it"
	if to := rs.List[i].DelegateTo; len(to) > 0 {
		text += " to " + strings.Join(to, " or ")
	}
	return text + "."
}

func withLabel(label string, parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return label + strings.Join(parts, "; ") + "."
}
