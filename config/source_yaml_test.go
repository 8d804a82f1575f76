package config

import (
	"strings"
	"testing"
)

// parsedProblems are the problems of a file of this name, of which there is one at least.
func parsedProblems(t *testing.T, name, text string) []Problem {
	t.Helper()
	file := t.TempDir() + "/" + name
	write(t, file, text)
	problems, err := listProblems(alone(file), World{})
	if err != nil || len(problems) == 0 {
		t.Fatalf("%q: %v %v", text, problems, err)
	}
	return problems
}

// TestEachKeyIsRead: a key that is no text, or is there twice, hides none of those behind it.
func TestEachKeyIsRead(t *testing.T) {
	for text, want := range map[string]string{
		"version: 1\n1: x\n2: y\n": "2 found 1 as a key, expected text\n3 found 2 as a key, expected text",
		"version: 1\nversion: 1\nversion: 1\n": "2 found key \"version\" twice, first on line 1\n" +
			"3 found key \"version\" twice, first on line 1",
	} {
		if got := problemsOf(t, text); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
}

// TestErrorInTheLastLine: what is no YAML is found in a last line without an end, and in a second document.
func TestErrorInTheLastLine(t *testing.T) {
	for text, want := range map[string]int{"version: 1\nlevel: @x": 2, "version: 1\nlevel: @x\n": 2,
		"version: 1\n---\nlevel: @x\n": 3, "version: 1\n---\nlevel: ask\n": 2} {
		if got := parsedProblems(t, "pipeline.yaml", text); len(got) != 1 || got[0].Line != want {
			t.Errorf("%q: %v", text, got)
		}
	}
	got := parsedProblems(t, "pipeline.yaml", "version: 1\n---\nlevel: @x\n")[0].Message
	if !strings.HasPrefix(got, "found invalid YAML: ") {
		t.Error(got)
	}
}
