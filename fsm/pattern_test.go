package fsm

import "testing"

func TestMatchAgent(t *testing.T) {
	for _, c := range []struct {
		pattern, agent string
		want           bool
	}{
		{"code-writer", "code-writer", true}, {"code-writer", "Code Writer", true},
		{"code-writer", "CODE_WRITER", true},
		{"code-writer", "codewriter", true}, {"code-writer", " code–writer ", true},
		{"code-writer", "code-writers", false},
		{"Explore", "explore", true}, {"code-writer", "plug:code-writer", true},
		{"plug:code-writer", "code-writer", false},
		{"plug:code-writer", "Plug:Code_Writer", true}, {"plug:code-writer", "other:code-writer", false},
		{"c-*", "c-developer", true}, {"c-*", "C_Developer", true}, {"c-*", "c developer", true},
		{"c-*", "context-gatherer", false},
		{"c-*", "cdeveloper", false}, {"c-*", "plug:c-developer", true}, {"*", "anyone", true},
		{"bash-?", "bash-a", true},
		{"[ab]-x", "b-x", true}, {"café", "caf", false}, {"a—b", "ab", true},
		{"a\u007fb", "ab", false}, {"", "", true}, {"code-writer", "", false}, {"code-writer", "ｃode-writer", true},
	} {
		if got := NamesAgent(c.pattern, c.agent); got != c.want {
			t.Errorf("%q matches %q: %v, expected %v", c.pattern, c.agent, got, c.want)
		}
	}
}

func TestShort(t *testing.T) {
	for _, c := range []struct {
		in   string
		n    int
		want string
	}{{"a  b\nc", 10, "a b c"}, {"one two three", 10, "one two…"}, {"ééééééé", 4, "ééé…"}, {"", 4, ""}} {
		if got := short(c.in, c.n); got != c.want {
			t.Errorf("short(%q, %d) = %q, expected %q", c.in, c.n, got, c.want)
		}
	}
}
