package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Window is a client that a person sits at: the interactive one, in a terminal
// of its own. What the person does are keys, and what he sees is the screen.
type Window struct {
	Dir string // the terminal's own directory

	t       testing.TB
	timeout time.Duration
	socket  string
}

const (
	columns = "200"
	rows    = "50"
	apiKey  = "sk-local-test"
)

// Open starts the client in a terminal and waits until it takes a prompt. The
// terminal ends with the test. Nothing above the client but init is a process
// of the test's: whoever runs the test, the client's ancestors have its
// environment and no other.
func (p *Project) Open(t testing.TB, v Version, m *Model, opts ...Option) *Window {
	t.Helper()
	c := call{timeout: time.Minute}
	for _, o := range opts {
		o(&c)
	}
	w := newWindow(t, c.timeout)
	p.trust()
	command := append([]string{Install(t, v), "--model", "claude-sonnet-4-5"}, c.args...)
	w.run(p.Dir, append(p.env(m), c.env...), command)
	w.Wait("❯")
	return w
}

// newWindow has a directory with a short path: that of a socket is limited.
func newWindow(t testing.TB, timeout time.Duration) *Window {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Fatalf("a window needs tmux: %v", err)
	}
	dir, err := os.MkdirTemp("", "tui")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return &Window{Dir: dir, t: t, timeout: timeout, socket: filepath.Join(dir, "tmux")}
}

// trust answers beforehand what the client asks a person the first time.
func (p *Project) trust() {
	p.t.Helper()
	writeFile(p.t, filepath.Join(p.ConfigDir, ".claude.json"), toJSON(p.t, map[string]any{
		"hasCompletedOnboarding": true,
		"customApiKeyResponses":  map[string]any{"approved": []string{apiKey}, "rejected": []string{}},
		"projects":               map[string]any{p.Dir: map[string]any{"hasTrustDialogAccepted": true}},
	}))
}

func (w *Window) run(dir string, env, command []string) {
	w.t.Helper()
	args := []string{"-f", "/dev/null", "-u", "new-session", "-d", "-x", columns, "-y", rows, "-c", dir, "--"}
	start := w.tmux(append(args, command...)...)
	start.Env = append(env, "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh")
	if out, err := start.CombinedOutput(); err != nil {
		w.t.Fatalf("open window: %v\n%s", err, out)
	}
	w.t.Cleanup(w.Close)
}

func (w *Window) tmux(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-S", w.socket}, args...)...)
}

// do has the terminal do something, which fails the test when it is gone.
func (w *Window) do(args ...string) string {
	w.t.Helper()
	out, err := w.tmux(args...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("tmux %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}

// Type types the text as it is, without Enter.
func (w *Window) Type(text string) {
	w.t.Helper()
	w.do("send-keys", "-l", "--", text)
	w.Wait(text)
}

// Press presses keys, by their tmux names: "Enter", "Escape", "C-c".
func (w *Window) Press(keys ...string) {
	w.t.Helper()
	w.do(append([]string{"send-keys", "--"}, keys...)...)
}

// Enter sends what was typed.
func (w *Window) Enter() {
	w.t.Helper()
	w.Press("Enter")
}

// Screen is what the person sees, and what has scrolled away above it.
func (w *Window) Screen() string {
	w.t.Helper()
	return strings.TrimRight(w.do("capture-pane", "-p", "-J", "-S", "-"), "\n ")
}

// Wait waits until the text is on the screen.
func (w *Window) Wait(text string) {
	w.t.Helper()
	w.Until(text, func() bool { return strings.Contains(w.Screen(), text) })
}

// Until waits for what the condition says; a window where it does not come true
// in time fails the test, and shows itself.
func (w *Window) Until(what string, c Cond) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), w.timeout)
	defer cancel()
	if !c.wait(ctx) {
		w.t.Fatalf("the window did not come to %s in %s:\n%s", what, w.timeout, w.Screen())
	}
}

// Pid is the client's process, which the terminal started itself.
func (w *Window) Pid() string {
	w.t.Helper()
	return strings.TrimSpace(w.do("display-message", "-p", "#{pane_pid}"))
}

// Close ends the client and its terminal, without asking it.
func (w *Window) Close() {
	if out, err := w.tmux("kill-server").CombinedOutput(); err != nil && !bytes.Contains(out, []byte("no server")) {
		w.t.Logf("close window: %v\n%s", err, out)
	}
}
