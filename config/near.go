package config

import (
	"fmt"
	"slices"
	"strings"
)

// didYouMean is the hint for a word that is not among those expected; "" when none of them is like it.
func didYouMean(word string, among []string) string {
	if meant := findNearest(word, among); meant != "" {
		return fmt.Sprintf("did you mean %s?", meant)
	}
	return ""
}

// findNearest is the word most like the one given, if any could be a slip of it.
func findNearest(word string, among []string) string {
	best, least := "", (len([]rune(word))+1)/3+1
	for _, w := range among {
		if d := editDistance(strings.ToLower(word), strings.ToLower(w)); d < least {
			best, least = w, d
		}
	}
	return best
}

// editDistance counts the insertions, deletions, substitutions and swaps of neighbours that lead from one word to another.
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
			next[j+1] = min(row[j+1]+1, next[j]+1, row[j]+unequal(x[i], y[j]))
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row = row, next
	}
	return row[len(y)]
}

func unequal(a, b rune) int {
	if a == b {
		return 0
	}
	return 1
}

// joinOr lists words as a sentence does: a, b or c.
func joinOr(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

// listNames lists at most eight names, sorted.
func listNames(names []string) string {
	names = slices.Sorted(slices.Values(names))
	if len(names) > 8 {
		names = append(names[:8:8], "…")
	}
	return strings.Join(names, ", ")
}
