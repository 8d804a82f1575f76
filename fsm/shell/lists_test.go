package shell

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// shells are those in whose words lines are written.
func shells() []string { return []string{"bash", "zsh", "dash"} }

// attacks are lines for a shell that change a file of the project.
func attacks(t testing.TB, shell string) []string {
	return append(readLines(t, "attacks.txt"), readLines(t, "attacks-"+shell+".txt")...)
}

// readLines reads lines of shell from testdata: "$ " begins one, "> " goes on with it.
func readLines(t testing.TB, name string) (out []string) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for i, l := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
		switch mark, text, _ := strings.Cut(l, " "); mark {
		case "$":
			out = append(out, text)
		case ">":
			out[len(out)-1] += "\n" + text
		case "", "#":
		default:
			t.Fatalf("%s:%d: a line begins with $, > or #", name, i+1)
		}
	}
	return out
}

// runsAnything reports whether a call runs what cannot be known, or what the project's
// own files say: rules name both.
func (c Call) runsAnything() bool { return c.Code || c.Groups&Builds != 0 }

// TestAttacks: of no line that changes a file does Parse say that it is harmless.
// TestAttacksAreReal runs them.
func TestAttacks(t *testing.T) {
	for _, shell := range shells() {
		lines := attacks(t, shell)
		if len(lines) < 300 {
			t.Errorf("%d attacks for %s, want 300", len(lines), shell)
		}
		for _, line := range lines {
			objects := func(c Call) bool { return c.Kind == Write || c.Kind == Delete || c.runsAnything() }
			if calls := Parse(line, Options{Shell: shell}); !slices.ContainsFunc(calls, objects) {
				t.Errorf("%s: %q is called harmless: %s", shell, line, shown(calls))
			}
		}
	}
}

// TestAsked: which ordinary lines are not known is written down. A line that becomes known moves
// to good-orchestrator.txt.
func TestAsked(t *testing.T) {
	lines := readLines(t, "asked.txt")
	if good := len(readLines(t, "good-orchestrator.txt")); len(lines)*50 > good {
		t.Errorf("%d lines are asked about, and %d are known: more than one of fifty", len(lines), good)
	}
	for _, line := range lines {
		if !slices.ContainsFunc(Parse(line, Options{}), func(c Call) bool { return c.Code && c.Unlisted }) {
			t.Errorf("%q is known", line)
		}
	}
}
