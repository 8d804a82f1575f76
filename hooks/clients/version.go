package clients

import (
	"fmt"
	"slices"
	"strings"
)

// A Version is that of a client: 2.1.330.
type Version [3]int

// ParseVersion finds the version in what a client prints: "2.1.330 (Claude Code)".
func ParseVersion(text string) (v Version, ok bool) {
	for _, word := range strings.Fields(text) {
		if n, _ := fmt.Sscanf(word, "%d.%d.%d", &v[0], &v[1], &v[2]); n == len(v) {
			return v, true
		}
	}
	return Version{}, false
}

// TestedRange is the oldest and the newest version of a client that its adapter was tried with.
func TestedRange(client string) (oldest, newest Version) {
	tested := Tested(client)
	oldest, _ = ParseVersion(tested[len(tested)-1])
	newest, _ = ParseVersion(tested[0])
	return oldest, newest
}

// Before reports whether it is the older one.
func (v Version) Before(w Version) bool { return slices.Compare(v[:], w[:]) < 0 }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }
