package config

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/config/system"
)

// What a config holds cannot write to the terminal of the person who checks it.
func TestProblemsAreEscaped(t *testing.T) {
	for name, text := range map[string]string{
		"bytes.yaml":     "version: 1\nlevel: \xff\xfe\n",
		"bytes.toml":     "version = 1\nlevel = \"\xff\xfe\"\n",
		"escape.yaml":    "version: 1\nlevel: \"\\e[2J\"\n",
		"escape.toml":    "version = 1\nlevel = \"a\" # \x1b[2J\n",
		"direction.yaml": "version: 1\nlevel: a\u202eb # \u202e\n",
		"long.yaml":      "version: 1\nlevel: " + strings.Repeat("long ", 50_000) + "\n",
	} {
		file := system.Join(t.TempDir(), name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		problems, err := listProblems(alone(file), World{})
		if err != nil || len(problems) == 0 {
			t.Errorf("%s: %v, %v", name, problems, err)
		}
		var b strings.Builder
		if err := PrintProblems(&b, problems, ""); err != nil {
			t.Fatal(err)
		}
		if got := b.String(); !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\u202e\ufffd") ||
			len(got) > 2000 {
			t.Errorf("%s: %d bytes: %.300q", name, len(got), got)
		}
	}
	p := Problem{File: "f", Line: 1, Col: 3, Message: "m", Source: "\x1bab"}
	if got, want := p.sourceExcerpt(), " 1 | \\x1bab\n   |      ^\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestExcerpt: of a long line what is near the place is shown.
func TestExcerpt(t *testing.T) {
	for n, more := range map[int]string{maxExcerpt: "", maxExcerpt + 1: "…"} {
		text := strings.Repeat("a", n) + strings.Repeat("b", n)
		p := Problem{Line: 1, Col: n + 1, Source: text}
		shown := more + text[n-maxExcerpt:n+maxExcerpt] + more + "\n"
		margin := strings.Repeat(" ", maxExcerpt+len([]rune(more)))
		if got, want := p.sourceExcerpt(), " 1 | "+shown+"   | "+margin+"^\n"; got != want {
			t.Errorf("%d characters on each side: %q, want %q", n, got, want)
		}
	}
}

// TestProblemWithoutFile: a problem of no file names none.
func TestProblemWithoutFile(t *testing.T) {
	if got := (Problem{Message: "it is lost", Hint: "look"}).String(); got != "it is lost; look" {
		t.Errorf("%q", got)
	}
}

// TestCharacterInBrackets: the place of a character that no text begins with, also behind a bracket that begins a line.
func TestCharacterInBrackets(t *testing.T) {
	for line, want := range map[string]int{"[@x]": 2, "a: {@x: 1}": 5, "  - `x`": 5, "@x: 1": 1} {
		if col, _, hint := explainCharacter(line, "m"); col != want || !strings.Contains(hint, "in quotes") {
			t.Errorf("%s: column %d, %q", line, col, hint)
		}
	}
}

// TestRelativeProblem: a file is shown from a folder on where it is below it, and else as it is.
func TestRelativeProblem(t *testing.T) {
	for _, c := range []struct{ file, dir, want string }{
		{"/p/a.yaml", "/p", "a.yaml"}, {"/p/a.yaml", "/q", "/p/a.yaml"}, {"/p/a.yaml", "", "/p/a.yaml"},
		{"/p", "/p", "/p"}, {"environment X", "/p", "environment X"},
	} {
		if got := (Problem{File: c.file}).Relative(c.dir).File; got != c.want {
			t.Errorf("%s in %q: %q", c.file, c.dir, got)
		}
	}
}

// TestExcerptNeedsAPlace: a mark stands below a column of a line, and tabs before it stay tabs.
func TestExcerptNeedsAPlace(t *testing.T) {
	for want, p := range map[string]Problem{
		" 7 | \ta\tb\tc\n   | \t \t^\n": {Line: 7, Col: 4, Source: "\ta\tb\tc", Message: "odd\ttext", File: "f"},
		"":                              {Line: 7, Col: 0, Source: "abc", Message: "m", File: "f"},
	} {
		if got := p.sourceExcerpt(); got != want {
			t.Errorf("%q, expected %q", got, want)
		}
		var b strings.Builder
		if err := PrintProblems(&b, []Problem{p}, ""); err != nil || !strings.HasSuffix(b.String(), "\n"+want) ||
			strings.Contains(strings.TrimSuffix(b.String(), want), "\t") {
			t.Errorf("%q, expected %q (%v)", &b, want, err)
		}
	}
	if got := (Problem{Line: 7, Col: 1}).sourceExcerpt(); got != "" {
		t.Errorf("of an empty line: %q", got)
	}
}

// TestShortInMessages: a text of 60 characters, and eight names, are given as a whole.
func TestShortInMessages(t *testing.T) {
	for n, want := range map[int]string{60: strings.Repeat("ä", 60), 61: strings.Repeat("ä", 60) + "…"} {
		if got := quoteShort(strings.Repeat("ä", n)); got != `"`+want+`"` {
			t.Errorf("%d: %s", n, got)
		}
	}
	for text, want := range map[string]string{"a b c d e f g h": "the xs are a, b, c, d, e, f, g, h",
		"i a b c d e f g h": "the xs are a, b, c, d, e, f, g, h, …"} {
		if got := hintAmong("something", strings.Fields(text), "xs"); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
}
