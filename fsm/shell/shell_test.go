package shell

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func ExampleParse() {
	for _, c := range Parse(`cd src && sudo sed -i s/a/b/ main.go && ls | xargs rm`, Options{}) {
		fmt.Println(c, c.Via)
	}
	// Output:
	// Bash(cd src) []
	// Bash(sed -i s/a/b/ main.go) [sudo]
	// Write(main.go) [sudo]
	// Bash(ls) []
	// Bash(rm ?) [xargs]
	// Delete(?) [xargs]
}

func TestVia(t *testing.T) {
	tests := []struct{ line, want string }{
		{"rm x", ""},
		{"sudo env A=b nice -n 5 rm x", "sudo > env > nice"},
		{`bash -c "timeout 5 rm x"`, "bash -c > timeout"},
		{"ls | xargs sh -c 'rm x'", "xargs > sh -c"},
		{"find . -exec rm {} +", "find -exec"},
		{"eval 'trap \"rm x\" EXIT'", "eval > trap"},
		{"f() { command rm x; }; f", "f > command"},
		{"docker compose exec app rm x", "docker compose exec"},
		{"uv run python -m rm x", "uv run > python -m"},
	}
	for _, tt := range tests {
		found := false
		for _, c := range Parse(tt.line, Options{}) {
			if c.Kind == Command && slices.Contains(c.Words, "rm") && CommandName(c.Words[0]) == "rm" {
				found = found || strings.Join(c.Via, " > ") == tt.want
			}
		}
		if !found {
			t.Errorf("%s: no rm via %q in %v", tt.line, tt.want, Parse(tt.line, Options{}))
		}
	}
}

func TestBounds(t *testing.T) {
	unknown := func(line string) bool {
		calls := Parse(line, Options{})
		last := calls[len(calls)-1]
		return len(calls) <= maxKept+1 && last.Code && last.Kind == Command && last.Text == line
	}
	for name, line := range map[string]string{
		"size":     strings.Repeat("a", maxLine+1),
		"nul":      "rm x\x00y",
		"depth":    strings.Repeat("( ", maxDepth+1) + "a" + strings.Repeat(")", maxDepth+1),
		"calls":    strings.Repeat("a\n", maxCalls+1),
		"syntax":   "if",
		"language": "function global:x { param($a) }; [int]$x = (1",
	} {
		if !unknown(line) {
			t.Errorf("%s: the last call is not the whole line, unknown", name)
		}
	}
	if calls := Parse("cat <<'E'\n"+strings.Repeat("(x\n", 400)+"E\n", Options{}); len(calls) != 1 || calls[0].Code {
		t.Errorf("prose is no code: %v", calls)
	}
}

func TestEmpty(t *testing.T) {
	for _, line := range []string{"", " ", "\n\n", "# rm x", "   # a\n# b"} {
		if calls := Parse(line, Options{}); len(calls) != 0 {
			t.Errorf("%q yields %v", line, calls)
		}
	}
}

// Words in single quotes are data, whatever they hold.
func TestQuotedIsData(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := strings.NewReplacer("'", "", "\x00", "").Replace(rapid.String().Draw(t, "text"))
		for _, line := range []string{"echo '" + text + "'", "git commit -m '" + text + "'",
			"grep -r '" + text + "' src"} {
			for _, c := range parse(line, Options{}) {
				if c.Code || c.Kind == Write || c.Kind == Delete {
					t.Fatalf("%q yields %v", line, c)
				}
			}
		}
	})
}

// However a command is wrapped, its calls are those of the bare command.
func TestWrappedIsTheSame(t *testing.T) {
	bare := []string{"rm x", "git push", "touch a b", "cp a b/", "cat f", "sed -i s/a/b/ f", "echo hi > out"}
	around := []string{"sudo %s", "env A=b %s", "nohup %s", "timeout 5 %s", "(%s)", "{ %s; }", "if true; then %s; fi",
		"true && %s",
		"eval '%s'", "bash -c '%s'", "X=1; %s", "%s &", "! %s", "f() { %s; }; f", "for i in 1; do %s; done", "time %s",
		"%s | cat", "bash <<'E'\n%s\nE"}
	for _, b := range bare {
		for _, a := range around {
			line := strings.Replace(a, "%s", b, 1)
			got := Parse(line, Options{})
			for _, want := range Parse(b, Options{}) {
				if !slices.ContainsFunc(got, func(c Call) bool { return c.String() == want.String() }) {
					t.Errorf("%q lacks %v: %v", line, want, got)
				}
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, e := range corpus(f) {
		f.Add(e.line)
	}
	f.Fuzz(func(t *testing.T, line string) {
		for _, c := range parse(line, Options{}) {
			if c.Kind != Command && (c.Path == "" || c.Code || len(c.Words) > 0 && !c.Unnamed) || c.String() == "" {
				t.Fatalf("%q yields %#v", line, c)
			}
		}
	})
}
