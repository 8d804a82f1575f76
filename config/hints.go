package config

import (
	"fmt"
	"slices"
	"strings"
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
	if meant := FindNearest(word, among); meant != "" {
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

// FindNearest returns the word most like the one given, if it may be a slip of it.
func FindNearest(word string, among []string) string {
	best, least := "", (len([]rune(strings.TrimPrefix(word, "@")))+1)/3+1
	for _, w := range among {
		if d := editDistance(strings.ToLower(word), strings.ToLower(w)); d < least {
			best, least = w, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours
// that lead from one word to another.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	var before []int
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		next := make([]int, len(y)+1)
		next[0] = i + 1
		for j := range y {
			change := row[j]
			if x[i] != y[j] {
				change++
			}
			next[j+1] = min(row[j+1]+1, next[j]+1, change)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(y)]
}

// joinOr lists words as a sentence does: a, b or c.
func joinOr(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
