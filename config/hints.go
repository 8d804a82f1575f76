package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agent-pipeline/pipeline/fsm/nearest"
)

// found is the message about a text that is not as it must be.
func found(s, expected string) string {
	return fmt.Sprintf("found %s, expected %s", quoteShort(s), expected)
}

// quoteShort shortens what a message repeats of the file.
func quoteShort(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("%q", s)
}

// didYouMean is the hint for a word that is not among those expected; "" when none of
// them is like it.
func didYouMean(word string, among []string) string {
	if meant := nearest.Find(word, among); meant != "" {
		return fmt.Sprintf("did you mean %s?", meant)
	}
	return ""
}

// hintAmong is the hint for a name that does not exist: the nearest one, else those that
// exist, at most eight of them.
func hintAmong(name string, names []string, what string) string {
	if len(names) == 0 {
		return "there are no " + what
	}
	if hint := didYouMean(name, names); hint != "" {
		return hint
	}
	names = slices.Sorted(slices.Values(names))
	if len(names) > 8 {
		names = append(names[:8:8], "…")
	}
	return "the " + what + " are " + strings.Join(names, ", ")
}

// JoinOr lists words as a sentence does: a, b or c.
func JoinOr(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
