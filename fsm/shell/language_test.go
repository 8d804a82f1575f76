package shell

import (
	"strings"
	"testing"
)

// TestLanguages reads lines as the shells do that may run them. Each was run in bash,
// zsh and dash.
func TestLanguages(t *testing.T) {
	tests := []struct{ shell, line, want string }{
		// A comment ends with its line, whatever its last character.
		{"", "git status # x \\\ngit push", "Bash(git status)  Bash(git push)"},
		{"zsh", "git status # x \\\ngit push", "Bash(git status)  Bash(git push)"},
		{"", "echo '# x \\\ny'", "Bash(echo '# x \\\ny')"},
		{"", "echo a \\\n  b # c", "Bash(echo a b)"},

		// A carriage return is a character.
		{"", "echo a \\\r\ntouch x", "Bash(echo a \r)  Bash(touch x)  Write(x)"},
		{"", "echo a\rtouch x", "Bash(echo a\rtouch x)"},
		{"", "touch x\r", "Bash(touch x\r)  Write(x\r)"},

		// What only bash or zsh know is unknown to sh.
		{"", `sh -c "[[ a > b ]]"`, "Bash(?)"},
		{"", `sh -c "grep '[[:space:]]' f"`, "Bash(grep [[:space:]] f)  Grep(f)"},
		{"", `sh -c 'echo $((1+2))'`, "Bash(echo ?)"},
		{"", `bash -c 'T=a; T+=b; $T x'`, "Bash(ab x)"},
		{"", `sh -c 'T=a; T+=b; $T x'`, "Bash(?)  Bash(ab x)"},
		{"sh", `declare T=a`, "Bash(?)"},
		{"", `sh -c "echo \$'a\\'; touch x #'"`, "Bash(?)  Bash(echo 'a'\\''; touch x #')"},
	}
	for _, tt := range tests {
		if got := shownCalls(Parse(tt.line, Options{Shell: tt.shell})); got != tt.want {
			t.Errorf("%s: %q\n got %s\nwant %s", tt.shell, tt.line, got, tt.want)
		}
	}
}

func shownCalls(calls []Call) string {
	var out []string
	for _, c := range calls {
		out = append(out, c.String())
	}
	return strings.Join(out, "  ")
}
