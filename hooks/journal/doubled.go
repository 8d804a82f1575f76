package journal

import (
	"slices"
	"strings"
)

// Doubles finds calls that a host has reported more than once: it does so where it finds
// several registrations. They follow each other closely.
type Doubles struct {
	uses [32]string
	next int
}

// IsDoubled reports whether a call with this id was reported just before. A call without
// an id is one of its own.
func (d *Doubles) IsDoubled(use string) bool {
	if use == "" {
		return false
	}
	if slices.Contains(d.uses[:], use) {
		return true
	}
	d.uses[d.next] = strings.Clone(use)
	d.next = (d.next + 1) % len(d.uses)
	return false
}
