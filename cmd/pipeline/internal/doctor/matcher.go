package doctor

import (
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/hooks/claude"
	"github.com/agent-pipeline/pipeline/hooks/claude/settings"
)

// misses says what a hook is not called for because of its matcher; "" when there is nothing.
func misses(h settings.Hook) string {
	if h.Matcher == "" || h.Matcher == "*" || h.Matcher == ".*" || unmatched(h.Event) {
		return ""
	}
	if !ofTools(h.Event) {
		return "keeps it from some of them: expected none"
	}
	return missedTools(h.Matcher)
}

// missedTools names the tools that a matcher does not let through. A server of the user's may offer any tool.
func missedTools(matcher string) string {
	tools := append(claude.Tools(), "mcp__server__tool")
	var missed []string
	for _, t := range tools {
		yes, certain := settings.Matches(matcher, t)
		if !certain {
			return "is an expression that cannot be judged here: expected none"
		}
		if !yes {
			missed = append(missed, t)
		}
	}
	switch {
	case len(missed) == len(tools):
		return "never matches: no tool is judged"
	case len(missed) == 0:
		return ""
	}
	if i := slices.Index(missed, "mcp__server__tool"); i >= 0 {
		missed[i] = "mcp__*"
	}
	return "misses " + some(missed)
}

// unmatched are the events for which the client ignores a matcher (2.1.197 and 2.1.329, tried).
func unmatched(event string) bool { return event == "UserPromptSubmit" || event == "Stop" }

func ofTools(event string) bool {
	return slices.Contains([]string{"PreToolUse", "PostToolUse", "PostToolUseFailure"}, event)
}

// some lists the names that say most, and how many there are beside them.
func some(names []string) string {
	const most = 8
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int { return weight(a) - weight(b) })
	if len(names) > most {
		return strings.Join(names[:most], ", ") + " and others"
	}
	return strings.Join(names, ", ")
}

// weight puts the tools first that change something.
func weight(tool string) int {
	if i := slices.Index([]string{"Agent", "Bash", "Write", "Edit", "Read", "mcp__*"}, tool); i >= 0 {
		return i
	}
	return 10
}
