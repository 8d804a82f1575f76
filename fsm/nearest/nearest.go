// Package nearest finds what a misspelled word may have meant.
package nearest

import "strings"

// Find returns the word most like the one given, if it may be a slip of it.
func Find(word string, among []string) string {
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
