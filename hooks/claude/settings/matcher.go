package settings

import (
	"regexp"
	"slices"
	"strings"
)

// Matches reports whether a matcher lets a tool's name through, as the clients hold it against one (2.1.197 and 2.1.329,
// tried): a list of names where it has only letters, digits, blanks and any of _-|, and else a JavaScript expression that
// may hit anywhere. Case counts. `Task` is Agent too. It is not certain where the expression is one that only JavaScript
// has.
func Matches(matcher, tool string) (yes, certain bool) {
	names := []string{tool}
	if tool == "Agent" {
		names = append(names, "Task")
	}
	switch {
	case matcher == "" || matcher == "*":
		return true, true
	case strings.IndexFunc(matcher, special) < 0:
		for _, m := range strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' }) {
			yes = yes || slices.Contains(names, strings.TrimSpace(m))
		}
		return yes, true
	}
	re, err := regexp.Compile(matcher)
	if err != nil {
		return false, !strings.Contains(matcher, "(?") && !strings.Contains(matcher, `\`)
	}
	return slices.ContainsFunc(names, re.MatchString), true
}

// special: the character makes a matcher an expression.
func special(r rune) bool {
	return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-|, ", r))
}
