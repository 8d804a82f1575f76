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

// TestHiddenGroups: what is not read to its end may leave this machine.
func TestHiddenGroups(t *testing.T) {
	for name, line := range map[string]string{
		"long": "git push # " + strings.Repeat("x", maxLine), "deep": strings.Repeat("(", maxParens+1) + "git push",
		"torn": strings.Repeat("echo;", maxPieces) + "'",
	} {
		if calls := Parse(line, Options{}); calls[len(calls)-1].Groups&Remote == 0 {
			t.Errorf("%s: %s", name, shown(calls))
		}
	}
}
