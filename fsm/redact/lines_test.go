package redact

import (
	"os"
	"strings"
	"testing"
)

// lines are the lines of testdata/lines.txt: with marked secrets, and harmless ones.
func lines(t *testing.T) (secret, harmless []string) {
	t.Helper()
	body, err := os.ReadFile("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(body)) {
		switch line = strings.TrimSuffix(line, "\n"); {
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "#"):
		case strings.Contains(line, "‹"):
			secret = append(secret, line)
		default:
			harmless = append(harmless, line)
		}
	}
	return secret, harmless
}

// TestLines reads lines of commands, code, files and prose as one text each. Two secrets stay: a typed declaration in
// Go and an operand of htpasswd.
func TestLines(t *testing.T) {
	secret, harmless := lines(t)
	if len(secret) < 97 || len(harmless) < 169 {
		t.Fatalf("%d lines with secrets, %d without", len(secret), len(harmless))
	}
	shown := 0
	for _, line := range secret {
		plain := strings.NewReplacer("‹", "", "›", "").Replace(line)
		got, _ := Text(plain)
		for _, rest := range strings.Split(line, "‹")[1:] {
			if s, _, _ := strings.Cut(rest, "›"); strings.Contains(got, s) {
				t.Logf("shown: %s\n   got: %s", line, got)
				shown++
				break
			}
		}
	}
	if shown > 2 {
		t.Errorf("%d secrets are shown", shown)
	}
	for _, line := range harmless {
		if got, found := Text(line); found {
			t.Errorf("hidden: %s\n    got: %s", line, got)
		}
	}
}
