package config

import (
	"fmt"
	"testing"
)

// TestPlacesInTOML: lines and columns are counted in characters, from the first line to the last.
func TestPlacesInTOML(t *testing.T) {
	for text, want := range map[string]string{
		"\nlevel = 1\n":                            "2:9",
		"level = 1\n":                              "1:9",
		"version = 1\nlevel = \"größer\" x\n":      "2:18",
		"version = 1\nlevel = \"größer\" x":        "2:18",
		"version = 1\nlevel = \"strict\" x\n#\n\n": "2:18",
	} {
		problems := parsedProblems(t, "pipeline.toml", text)
		last := problems[len(problems)-1] // the first one may be that a key is missing
		if got := fmt.Sprintf("%d:%d", last.Line, last.Col); got != want {
			t.Errorf("%q: %v", text, problems)
		}
	}
}
