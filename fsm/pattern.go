package fsm

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// MatchAgent reports whether one of the patterns names an agent type.
func MatchAgent(patterns []string, agent string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool { return NamesAgent(p, agent) })
}

// NamesAgent reports whether a pattern names an agent type. An exact name compares as
// Claude Code itself compares (2.1.197 and 2.1.329, by experiment): in lower case, without
// spaces, dashes and underscores. A glob compares with the separators kept, so that "c-*"
// does not admit "context-gatherer". A plugin's prefix counts only where the pattern has
// one.
func NamesAgent(pattern, agent string) bool {
	if !strings.Contains(pattern, ":") {
		agent = agent[strings.LastIndex(agent, ":")+1:]
	}
	if !IsGlob(pattern) {
		return sameAgent(pattern, agent)
	}
	// All separators count as one.
	unify := func(s string) string { return replaceSeparators(strings.TrimSpace(s), '-') }
	ok, _ := path.Match(unify(pattern), unify(agent)) // false for an invalid pattern
	return ok
}

// findSubmatch matches a text with a regular expression of the config, whose check has
// compiled it. The first of what it finds is the whole match; nil for none.
func findSubmatch(expr, text string) []string {
	re, err := regexp.Compile(expr)
	if err != nil {
		return nil
	}
	return re.FindStringSubmatch(text)
}

// IsGlob reports whether a pattern can match more than one agent type.
func IsGlob(pattern string) bool { return strings.ContainsAny(pattern, "*?[") }

func sameAgent(a, b string) bool { return foldName(a) == foldName(b) }

// foldName writes a name as the client compares it: NFKC, lower case, without
// separators.
func foldName(s string) string { return replaceSeparators(s, -1) }

// replaceSeparators writes a name in NFKC and lower case, with another separator; with -1 without any.
func replaceSeparators(s string, by rune) string {
	return strings.Map(func(r rune) rune {
		if isSeparator(r) {
			return by
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(s))
}

func isSeparator(r rune) bool {
	return r == '_' || unicode.IsSpace(r) || unicode.Is(unicode.Pd, r)
}
