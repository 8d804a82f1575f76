package shell

import (
	"os"
	"strings"
	"testing"
)

// example is an entry of testdata/corpus.txt: a line and the calls it must yield.
type example struct {
	line string
	want []string
	at   int // its line in the file
}

// corpus reads testdata/corpus.txt.
func corpus(t testing.TB) []example { return readExamples(t, "corpus.txt") }

// readExamples reads a file: `$ ` begins a shell line, `> ` goes on with it, and each `= ` lists
// what it must yield, two blanks apart.
func readExamples(t testing.TB, name string) []example {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	var out []example
	for i, l := range strings.Split(string(data), "\n") {
		mark, text, _ := strings.Cut(l, " ")
		switch mark {
		case "$":
			out = append(out, example{line: text, at: i + 1})
		case ">":
			out[len(out)-1].line += "\n" + text
		case "=":
			out[len(out)-1].want = append(out[len(out)-1].want, apart(text)...)
		case "", "#":
		default:
			t.Fatalf("%s:%d: a line begins with $, >, = or #", name, i+1)
		}
	}
	return out
}

// apart splits a list of calls.
func apart(text string) []string {
	var out []string
	for _, c := range strings.Split(text, "  ") {
		if c = strings.TrimSpace(c); c != "" {
			out = append(out, c)
		}
	}
	return out
}

func TestCorpus(t *testing.T) {
	examples := corpus(t)
	if len(examples) < 400 {
		t.Errorf("corpus.txt has %d lines, want 400", len(examples))
	}
	for _, e := range examples {
		got := Parse(e.line, Options{})
		if !agrees(got, e.want) {
			t.Errorf("corpus.txt:%d: %s\n got %s\nwant %s", e.at, e.line, shown(got), strings.Join(e.want, "  "))
		}
	}
}

func agrees(got []Call, want []string) bool {
	if len(got) != len(want) {
		return false
	}
	for i, c := range got {
		if !meets(c, want[i]) {
			return false
		}
	}
	return true
}

// meets compares a call with how the corpus writes it: Bash(git commit …) leaves
// the end of the words open, Write(x)@dir says in which directory.
func meets(c Call, want string) bool {
	call, dir, _ := strings.Cut(want, ")@")
	if dir != "" {
		call += ")"
	}
	if c.Kind != Command && strings.Replace(c.Dir, Unknown, "?", 1) != dir {
		return false
	}
	start, end, open := strings.Cut(call, "…")
	if open {
		return strings.HasPrefix(c.String(), strings.TrimSpace(start)) && strings.HasSuffix(c.String(), end)
	}
	return c.String() == call
}

func shown(calls []Call) string {
	var out []string
	for _, c := range calls {
		s := c.String()
		if c.Kind != Command && c.Dir != "" {
			s += "@" + quoteWord(c.Dir)
		}
		out = append(out, s)
	}
	return strings.Join(out, "  ")
}
