package replay

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// decided reports whether a text's beginning settles whether the whole text matches: it holds a match already, or the
// pattern looks no further than what there is of it.
func decided(pattern, beginning string) bool {
	beginning = strings.TrimSpace(beginning)
	re, err := regexp.Compile(pattern)
	if err != nil {
		return true // it matches nothing
	}
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return false
	}
	if looksAhead(parsed) {
		return false
	}
	if re.MatchString(beginning) {
		return true
	}
	n, bounded := reach(parsed)
	return bounded && anchored(parsed) && n <= len(beginning)
}

// looksAhead reports whether a pattern asks what comes after its match: then a match in the beginning may be none in the
// whole.
func looksAhead(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpEndLine, syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	for _, sub := range re.Sub {
		if looksAhead(sub) {
			return true
		}
	}
	return false
}

// anchored reports whether a pattern matches at the very beginning or nowhere.
func anchored(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginText:
		return true
	case syntax.OpConcat, syntax.OpCapture:
		return len(re.Sub) > 0 && anchored(re.Sub[0])
	case syntax.OpAlternate:
		for _, sub := range re.Sub {
			if !anchored(sub) {
				return false
			}
		}
		return true
	}
	return false
}

// reach is the most bytes that a match can take.
func reach(re *syntax.Regexp) (n int, bounded bool) {
	switch re.Op {
	case syntax.OpLiteral:
		return 4 * len(re.Rune), true
	case syntax.OpCharClass, syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return 4, true
	case syntax.OpStar, syntax.OpPlus:
		return 0, false
	case syntax.OpRepeat:
		n, bounded = reach(re.Sub[0])
		return n * re.Max, bounded && re.Max >= 0
	}
	for _, sub := range re.Sub {
		m, ok := reach(sub)
		if !ok {
			return 0, false
		}
		if re.Op == syntax.OpAlternate {
			n = max(n, m)
		} else {
			n += m
		}
	}
	return n, true
}
