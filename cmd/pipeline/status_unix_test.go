//go:build unix

package main

import (
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/creack/pty"
)

// onTerminal runs a command on a terminal of 80 columns for a while, and returns what that shows.
func onTerminal(t *testing.T, s *agentShell, most time.Duration, args ...string) string {
	t.Helper()
	c := s.command(args...)
	c.Env = append(c.Env, "TERM=xterm")
	c.SysProcAttr = nil
	end, err := pty.StartWithSize(c, &pty.Winsize{Rows: 40, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	timer := time.AfterFunc(most, func() { c.Process.Signal(os.Interrupt) })
	defer timer.Stop()
	out, _ := io.ReadAll(end) // an error is its end
	_ = c.Wait()
	return strings.ReplaceAll(string(out), "\r\n", "\n")
}

// TestTerminalWidth: on a terminal no line is longer than that, and words stay whole; into a file lines are as they
// are.
func TestTerminalWidth(t *testing.T) {
	s := newAgentShell(t)
	s.hook("PreToolUse", `"tool_name":"Bash","tool_use_id":"t1","tool_input":{"command":"git commit -am 'a message of some length' && git status"}`)
	for _, args := range [][]string{{"log", "--all"}, {"doctor"}, {"audit", "verify"}, {"status"}, {"explain", "s1:2"},
		{"report"},
		{"report", "--readiness"}, {"explain", "Bash(git push origin a-branch-with-a-name && git status)"}, {"check"},
		{"tasks", "score", "build it"}} {
		shown := regexp.MustCompile("\x1b\\[[0-9;]*[mHJ]").ReplaceAllString(onTerminal(t, s, 20*time.Second, args...),
			"")
		out, _ := s.command(args...).CombinedOutput()
		words := strings.Fields(string(out))
		for line := range strings.Lines(shown) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 && len(strings.Fields(line)) > 1 {
				t.Errorf("%s: %d columns: %s", args, n, line)
			}
			for _, word := range strings.Fields(line) {
				if !strings.ContainsAny(word, "0123456789") && !slices.Contains(words, word) {
					t.Errorf("%s: %q is no word of what it prints into a file", args, word)
				}
			}
		}
	}
	whole := onTerminal(t, s, 20*time.Second, "status", "--json")
	if plain, _ := s.command("status", "--json").Output(); len(strings.Split(whole,
		"\n")) != len(strings.Split(string(plain), "\n")) {
		t.Errorf("JSON is folded: %s", whole)
	}
}

// TestWatch: the status is drawn again each second, until a person interrupts it.
func TestWatch(t *testing.T) {
	s := newAgentShell(t)
	shown := onTerminal(t, s, 2500*time.Millisecond, "status", "--watch")
	if n := strings.Count(shown, clearScreen); n < 2 || !strings.Contains(shown, "state") {
		t.Errorf("drawn %d times: %q", n, shown)
	}
}
