package shell

import (
	"strings"
	"testing"
)

// TestGroups: which lines leave this machine, destroy something or hand work to others.
func TestGroups(t *testing.T) {
	remote := map[bool]int{}
	for _, e := range readExamples(t, "groups.txt") {
		var got Group
		calls := Parse(e.line, Options{})
		for _, c := range calls {
			got |= c.Groups
		}
		want := strings.Join(e.want, " ")
		found := strings.ReplaceAll(strings.Join((got&^(Builds|Tests)).Names(), " "), "@", "")
		if found != strings.TrimSuffix(want, "-") {
			t.Errorf("groups.txt:%d: %s: %q, want %q: %s", e.at, e.line, found, want, shown(calls))
		}
		remote[strings.Contains(want, "remote")]++
	}
	if remote[true] < 60 || remote[false] < 60 {
		t.Errorf("%v lines leave the machine or not, want 60 of each", remote)
	}
}
