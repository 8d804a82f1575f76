package main

import (
	"strings"
	"testing"
)

func TestFoldWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"one two three four": "one two|three four",
		"averylongword a":    "averylongword|a",
	} {
		if got := strings.Join(foldWords(text, 10), "|"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
