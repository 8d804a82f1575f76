package shell

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxAlternatives bounds the words that one word with braces becomes.
const maxAlternatives = 64

// expandBraces expands the braces with alternatives; false if there are too many ways.
func expandBraces(parts []syntax.WordPart) (ways [][]syntax.WordPart, ok bool) {
	for i, p := range parts {
		b, ok := p.(*syntax.BraceExp)
		if !ok || b.Sequence {
			continue
		}
		for _, elem := range b.Elems {
			more, ok := expandBraces(slices.Concat(parts[:i], elem.Parts, parts[i+1:]))
			if ways = append(ways, more...); !ok || len(ways) > maxAlternatives {
				return nil, false
			}
		}
		return ways, true
	}
	return [][]syntax.WordPart{parts}, true
}

// unescapeQuoted resolves the backslashes of double quotes and heredocs.
func unescapeQuoted(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return regexp.MustCompile("\\\\(?:\n|([$`\"\\\\]))").ReplaceAllString(s, "$1")
}
