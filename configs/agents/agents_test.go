// Package agents_test checks the agent definitions that are shipped.
package agents_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// maxLines is how long a definition may be: it is read before every piece of work.
const maxLines = 60

func TestEachDefinition(t *testing.T) {
	for _, file := range definitions(t) {
		t.Run(file, func(t *testing.T) {
			head, body := frontmatter(t, file)
			if want := "name: " + strings.TrimSuffix(file, ".md"); !slices.Contains(head, want) {
				t.Errorf("frontmatter %q lacks %q", head, want)
			}
			if !slices.ContainsFunc(head, func(l string) bool { return strings.HasPrefix(l, "description: ") }) {
				t.Errorf("frontmatter %q lacks a description", head)
			}
			if n := strings.Count(body, "\n") + len(head) + 2; n > maxLines {
				t.Errorf("%d lines, want at most %d", n, maxLines)
			}
			saysHowItEnds(t, body)
		})
	}
}

// saysHowItEnds: an agent that does not know how its work is taken loses it.
func saysHowItEnds(t *testing.T, body string) {
	t.Helper()
	text := strings.Join(strings.Fields(body), " ")
	for _, want := range []string{"final message is your result: it is kept and handed on",
		`empty message, or one beginning with "Error:" or "BLOCKED:", is a failure`} {
		if !strings.Contains(text, want) {
			t.Errorf("the text lacks %q", want)
		}
	}
}

func TestHandedOnInFull(t *testing.T) {
	for _, file := range []string{"context-gatherer.md", "context-refiner.md", "strategic-orchestrator.md"} {
		if _, body := frontmatter(t, file); !strings.Contains(strings.Join(strings.Fields(body), " "),
			"under 8,000 characters") {
			t.Errorf("%s does not limit what it hands on", file)
		}
	}
}

func definitions(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("found %d definitions: %v", len(files), err)
	}
	return files
}

func frontmatter(t *testing.T, file string) (head []string, body string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	rest, ok := strings.CutPrefix(string(text), "---\n")
	top, body, ended := strings.Cut(rest, "\n---\n")
	if !ok || !ended {
		t.Fatalf("%s has no frontmatter", file)
	}
	return strings.Split(top, "\n"), body
}
