package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// script runs a shell script in a terminal, and waits until it has written the
// file that $1 names to it.
func script(t *testing.T, env []string, text string) (term *terminal, file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "file")
	term, err := openTerminal(filepath.Dir(file), env, []string{"/bin/sh", "-c", text, "sh", file})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = term.close() })
	if !FileHas(file, "\n").wait(t.Context()) {
		t.Fatalf("no %s", file)
	}
	return term, file
}

// An agent runs this test, and the client in the terminal must not see that.
func TestTerminalHasItsOwnEnvironment(t *testing.T) {
	t.Setenv("CLAUDECODE", "1")
	_, file := script(t, []string{"PATH=/usr/bin:/bin", "OWN=yes"}, `env > "$1.part"; mv "$1.part" "$1"; sleep 60`)
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	env := strings.Split(string(data), "\n")
	if !slices.Contains(env, "OWN=yes") || slices.Contains(env, "CLAUDECODE=1") {
		t.Errorf("environment: %q", env)
	}
}

func TestTerminalWaitsForTheEnd(t *testing.T) {
	t.Parallel()
	term, file := script(t, os.Environ(),
		`trap 'sleep 0.2; echo over >> "$1"; exit' HUP; echo on > "$1"; while :; do sleep 0.05; done`)
	if err := term.close(); err != nil {
		t.Error(err)
	}
	if data, _ := os.ReadFile(file); string(data) != "on\nover\n" {
		t.Errorf("the program wrote %q", data)
	}
	if fileExists(term.dir) {
		t.Error("the terminal's directory is still there")
	}
	if err := term.close(); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

func TestTerminalKillsWhatStays(t *testing.T) {
	t.Parallel()
	term, _ := script(t, os.Environ(), `trap '' HUP; echo $$ > "$1"; while :; do sleep 0.05; done`)
	term.grace = 100 * time.Millisecond
	if err := term.end(syscall.SIGHUP); err == nil || !strings.Contains(err.Error(), "did not end after hangup") {
		t.Errorf("end: %v", err)
	}
	term.grace = 10 * time.Second
	if err := term.end(os.Kill); err != nil || !term.dead() {
		t.Errorf("kill: %v", err)
	}
}

func TestTerminalWithoutTmux(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	if _, err := openTerminal(t.TempDir(), nil, []string{"true"}); err == nil || !strings.Contains(err.Error(),
		"tmux") {
		t.Errorf("open: %v", err)
	}
}
