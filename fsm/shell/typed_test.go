package shell_test

import (
	"slices"
	"testing"

	"github.com/agent-pipeline/pipeline/fsm/shell"
)

// TestTyped: a program that runs what it is given is unknown code where somebody may type to it, and only there;
// one with its work on the line is what it was.
func TestTyped(t *testing.T) {
	runs := func(line string, typed bool) bool {
		return slices.ContainsFunc(shell.Parse(line, shell.Options{Shell: "bash", Typed: typed}),
			func(c shell.Call) bool { return c.Code })
	}
	for _, line := range []string{"bash", "sh", "zsh", "env bash", "exec bash", "cd x && bash", "true; python3",
		"python3 -q",
		"node", "ruby", "irb", "perl", "php -a", "psql", "psql mydb", "psql mydb me", "sqlite3 x.db", "mysql -u root",
		"ssh host", "sudo -s",
		"su", "ed x.txt", "vim x.txt", "gdb", "(bash)", "bash &", "dash", "python", "lua", "nix-shell", "chroot /x",
		"ls; exec sh", "script", "less a.txt", "more a.txt", "top", "htop", "man ls", "info x", "bat a.go",
		"git log | less", "less < a.txt", "less -b1 a.txt", "sudo less a.txt"} {
		if !runs(line, true) {
			t.Errorf("%s: typed to, it runs only what the line shows", line)
		}
	}
	for _, line := range []string{"ls -l", "cat", "cat a.txt", "git status", "go test ./...", "make build",
		"grep -rn x .",
		"rg x", "echo hi | cat", "psql -c 'select 1'", "bash -c 'ls'", "python3 --version", "sudo make",
		"head -3 a; wc b",
		"sqlite3 x.db 'select 1'", "tee x", "nix develop -c make", "less --version", "top -b -n 1"} {
		if runs(line, true) != runs(line, false) {
			t.Errorf("%s: typed to, it is another: code %v", line, runs(line, true))
		}
	}
	for _, line := range []string{"rg x", "grep -rn x .", "cat a.txt > b.txt", "ls"} {
		if a, b := shell.Parse(line, shell.Options{Typed: true}), shell.Parse(line, shell.Options{}); len(a) != len(b) {
			t.Errorf("%s: typed to it does %d things, else %d", line, len(a), len(b))
		}
	}
}
