package config

import (
	"fmt"
	"strings"
	"testing"
)

// parsed reads a text as a file of this name.
func parsed(name, text string) *source {
	s := &source{file: name, text: []byte(text)}
	s.parse()
	return s
}

// TestLastWithinLimits: as many values as a file may have are read, and one more is not.
func TestLastWithinLimits(t *testing.T) {
	values := func(n int) string { // in all, with the mapping and its lists
		var b strings.Builder
		b.WriteString("a:\n")
		for n -= 2; n > 0; n -= min(n, 1000) {
			b.WriteString("- [" + strings.Repeat("x,", min(n, 1000)-1) + "]\n")
		}
		return b.String()
	}
	deep := func(n int) string { return "a: " + strings.Repeat("[", n-1) + "x" + strings.Repeat("]", n-1) + "\n" }
	entries := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "x%d: 1\n", i)
		}
		return b.String()
	}
	elements := func(n int) string { return "a: [" + strings.Repeat("1,", n) + "]" }
	for want, c := range map[string]struct {
		text func(n int) string
		most int
	}{
		"found more than 20000 values, expected fewer": {values, mostValues},
		"found more than 1000 values in the file":      {entries, mostEntries},
		"found more than 1000 values in `a`":           {elements, mostEntries},
		"found values nested more than 32 deep":        {deep, mostLevels},
	} {
		if s := parsed("x.yaml", c.text(c.most)); len(s.problems) > 0 {
			t.Errorf("not %s: %v", want, s.problems)
		}
		s := parsed("x.yaml", c.text(c.most+1))
		if len(s.problems) != 1 || !strings.HasPrefix(s.problems[0].Message, want) {
			t.Errorf("%s: %v", want, s.problems)
		}
	}
	s := parsed("x.yaml", values(mostValues))
	rows := s.root.get("a").items
	last := rows[len(rows)-1].items
	if got := last[len(last)-1]; got.kind != isText || got.text != "x" {
		t.Errorf("the last value is %+v", got)
	}
	if s := parsed("x.toml", strings.Repeat("[[a]]\n", mostValues+1)); len(s.problems) != 1 ||
		!strings.HasPrefix(s.problems[0].Message, "found more than 20000 values, expected fewer") {
		t.Errorf("tables: %v", s.problems)
	}
}
