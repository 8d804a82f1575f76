package e2e

import (
	"slices"
	"strings"
	"testing"
)

// WantTold fails the test unless the speaker was told all of the texts.
func (r *Run) WantTold(t testing.TB, speaker string, texts ...string) {
	t.Helper()
	told := r.ToldTo(speaker)
	for _, text := range texts {
		if !strings.Contains(told, text) {
			t.Errorf("%s was not told %q, but at last:\n%s", speaker, text, tail(told))
		}
	}
}

// WantNotTold fails the test if the speaker was told one of the texts.
func (r *Run) WantNotTold(t testing.TB, speaker string, texts ...string) {
	t.Helper()
	told := r.ToldTo(speaker)
	for _, text := range texts {
		if strings.Contains(told, text) {
			t.Errorf("%s was told %q:\n%s", speaker, text, told)
		}
	}
}

// WantResults compares the last words of each turn.
func (r *Run) WantResults(t testing.TB, want ...string) {
	t.Helper()
	if got := r.Results(); !slices.Equal(got, want) {
		t.Errorf("results are %q, want %q", got, want)
	}
}

// WantTrace compares the trace with the lines of want, without the events whose
// place is not certain: the start of a background agent, for one.
func (l *Log) WantTrace(t testing.TB, want string, without ...string) {
	t.Helper()
	got := slices.DeleteFunc(l.Payloads(), func(p Payload) bool { return slices.Contains(without, p.Event) })
	var lines []string
	for _, p := range got {
		lines = append(lines, p.String())
	}
	if trace := strings.Join(lines, "\n"); trace != unindent(want) {
		t.Errorf("trace is\n%s\nwant\n%s", trace, unindent(want))
	}
}

func unindent(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}

// tail is the end of a text: the client begins with pages of its own.
func tail(s string) string {
	if len(s) > 3000 {
		return "…" + s[len(s)-3000:]
	}
	return s
}
