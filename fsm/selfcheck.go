package fsm

import (
	"fmt"
	"strings"
)

// SelfCheckText is what the main agent asks itself before each call. It is made from
// the rules, so that it always agrees with them.
func (p *Policy) SelfCheckText() string {
	role := "Role: you are the orchestrator; you coordinate, agents do the work."
	if p.Initial != "" {
		role += " A session begins in " + p.Initial + ": " + startOneOf(p.NewTable().Next(p.Initial)) + "."
	}
	text, n := "Before each tool call, ask yourself:\n", 0
	for _, check := range append([]string{role}, p.Main.describeChecks()...) {
		if check != "" {
			n++
			text += fmt.Sprintf("%d. %s\n", n, check)
		}
	}
	return text + "If an answer speaks against the call, delegate instead."
}

// describeChecks lists what to ask about a call's tool, about what is counted, about its commands, and about
// searching where that is denied. It is empty for what no rule is about.
func (rs *Rules) describeChecks() []string {
	var refused, free, counted, commands []string
	search := ""
	for i := range rs.List {
		r := &rs.List[i]
		tools := strings.Join(r.Tools, ", ")
		anywhere := *r
		anywhere.Paths = nil
		isConditional := !anywhere.IsUnconditional() || r.Budgeted || r.Levelled && r.Level < Strict
		switch {
		case isConditional:
		case r.Verdict == Deny && len(r.Paths) == 0: // in every call, except for exceptions
			refused = append(refused, r.Tools...)
		case r.Verdict == Pass && len(r.Paths) > 0:
			free = append(free, r.Name)
		}
		if r.Within > 0 && r.Verdict > Pass {
			counted = append(counted, fmt.Sprintf("%s: not again within %d calls", tools, r.Within))
		}
		if r.Budgeted {
			text := fmt.Sprintf("%s: %d are free", tools, r.Budget)
			if len(r.ResetOn) > 0 && r.ResetOn[0] != "never" {
				text += ", and again after " + strings.Join(r.ResetOn, " or ")
			}
			counted = append(counted, text)
		}
		if len(r.Commands) > 0 && r.Verdict > Pass {
			commands = append(commands, r.describeCommands())
		}
		if search == "" && r.Verdict == Deny && len(r.Tools) > 0 &&
			(matchGlob(r.Tools[0], "Grep") || matchGlob(r.Tools[0], "Glob")) {
			search = "Analysis: are you about to search or to study code yourself? Delegate it"
			if len(r.DelegateTo) > 0 {
				search += " to " + strings.Join(r.DelegateTo, " or ")
			}
			search += "."
		}
	}
	if rs.Default.Verdict == Deny {
		refused = append(refused, "every tool that no rule allows")
	}
	tool := withLabel("Tool: not for you: ", unique(refused), ", ")
	if tool != "" && len(free) > 0 {
		tool = strings.TrimSuffix(tool, ".") + " (exceptions: " + strings.Join(free, ", ") + ")."
	}
	return []string{tool, withLabel("Counted: ", counted, "; "), withLabel("Commands: ", commands, "; "), search}
}

// describeCommands says what becomes of the commands of a rule.
func (r *Rule) describeCommands() string {
	var words []string
	for _, c := range r.Commands {
		words = append(words, strings.Join(c, " "))
	}
	what := map[Verdict]string{Warn: "unwelcome", Confine: "kept from writing",
		Ask: "only if the user agrees", Deny: "refused"}[r.Verdict]
	return what + ": " +
		strings.NewReplacer(UnknownCode, "whatever cannot be known before it runs", BuildCommands,
			"whatever builds, tests or runs the project", TestCommands, "whatever tests or checks the project",
			RemoteCommands, "whatever leaves this machine", DestroyingCommands, "whatever no undo brings back",
			CommandsElsewhere, "whatever hands work to another process or machine").
			Replace(strings.Join(words, ", "))
}

func withLabel(label string, parts []string, separator string) string {
	if len(parts) == 0 {
		return ""
	}
	return label + strings.Join(parts, separator) + "."
}
