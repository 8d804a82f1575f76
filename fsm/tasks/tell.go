package tasks

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Tell puts mistakes into one paragraph of at most limit characters for the agent that wrote the graph: the first ones
// whole and the others as a number, or the beginning. Notes come only where nothing is wrong.
func Tell(all []Mistake, limit int) string {
	wrong, tell := Wrong(all), []string{}
	for _, m := range all {
		if m.Note != wrong {
			tell = append(tell, m.String())
		}
	}
	for n := len(tell); n > 0; n-- {
		out := strings.Join(tell[:n], "; ")
		if n < len(tell) {
			out += fmt.Sprintf("; and %d more", len(tell)-n)
		}
		if utf8.RuneCountInString(out) <= limit {
			return out
		}
	}
	return shorten(strings.Join(tell, "; "), limit)
}
