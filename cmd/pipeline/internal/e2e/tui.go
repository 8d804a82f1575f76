package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"
)

// Window is the interactive client in a terminal of its own, with the person at it: input
// is keys, output is the screen. Every method fails the test where the terminal is gone.
type Window struct {
	t       testing.TB
	term    *terminal
	timeout time.Duration
	box     func(screen string) string // where what is typed appears
}

// glance is the time from one look at the screen to the next.
const glance = 50 * time.Millisecond

// Open opens the window of Claude Code: see Client.Open.
func (p *Project) Open(t testing.TB, v Version, m *Model, opts ...Option) *Window {
	t.Helper()
	return Client{claude{}, v}.Open(t, p, m, opts...)
}

// Open starts the client in a terminal and waits until it takes a prompt. The client and
// the processes above it have the environment of Client.Run: nothing there looks like an
// agent's shell, even if an agent runs the test. It ends with the test.
func (c Client) Open(t testing.TB, p *Project, m *Model, opts ...Option) *Window {
	t.Helper()
	in := call{timeout: 2 * time.Minute} // Codex makes five databases at its first start
	for _, o := range opts {
		o(&in)
	}
	if _, err := exec.LookPath("tmux"); err != nil && os.Getenv("CI") != "true" {
		t.Skip("no tmux: apt-get install -y tmux")
	}
	c.configure(p, m)
	command := slices.Concat(c.Install(t), c.window(p), in.args)
	if in.session != "" {
		command = append(command, "-r", in.session)
	}
	term, err := openTerminal(p.Dir, slices.Concat(p.env(), c.env(p, m), in.env), command)
	if err != nil {
		t.Fatalf("open window: %v", err)
	}
	w := &Window{t: t, term: term, timeout: in.timeout, box: boxOf}
	if c.Name() != "claude" {
		w.box = func(screen string) string { return screen }
	}
	t.Cleanup(w.Close)
	w.Until("take a prompt", func() bool { return c.isReady(w.Screen()) })
	return w
}

// trust answers in advance what the client asks a person the first time.
func (p *Project) trust() {
	p.t.Helper()
	writeFile(p.t, filepath.Join(p.ConfigDir, ".claude.json"), toJSON(p.t, map[string]any{
		"hasCompletedOnboarding": true,
		"customApiKeyResponses":  map[string]any{"approved": []string{apiKey}, "rejected": []string{}},
		"projects":               map[string]any{p.Dir: map[string]any{"hasTrustDialogAccepted": true}},
	}))
}

// Type types the text as it is, and waits until it stands in the box.
func (w *Window) Type(text string) {
	w.t.Helper()
	w.do("send-keys", "-l", "--", text)
	w.Until("show what was typed: "+text, func() bool { return strings.Contains(solid(w.Box()), solid(text)) })
}

// Enter sends off what stands in the box, and waits until the client took it.
func (w *Window) Enter() {
	w.t.Helper()
	before := w.Box()
	w.Press("Enter")
	w.Until("take what was typed", func() bool { return w.Box() != before })
}

// Say is a prompt: Type and Enter.
func (w *Window) Say(text string) {
	w.t.Helper()
	w.Type(text)
	w.Enter()
}

// Press presses keys, by their tmux names: "Escape", "Up", "C-c".
func (w *Window) Press(keys ...string) {
	w.t.Helper()
	w.do(append([]string{"send-keys", "--"}, keys...)...)
}

// Screen is what the person sees, and what has scrolled away above it, without
// the blanks at the ends of lines.
func (w *Window) Screen() string {
	w.t.Helper()
	var lines []string
	for line := range strings.Lines(w.do("capture-pane", "-p", "-J", "-S", "-")) {
		lines = append(lines, strings.TrimRightFunc(line, unicode.IsSpace))
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// Box is where what is being typed appears. It is empty where Claude Code asks something.
func (w *Window) Box() string {
	w.t.Helper()
	return w.box(w.Screen())
}

// boxOf is what stands between the last two rules of a screen: "❯" and what is being typed.
func boxOf(screen string) string {
	lines := strings.Split(screen, "\n")
	var rules []int
	for i, line := range lines {
		if strings.HasPrefix(line, "─────") {
			rules = append(rules, i)
		}
	}
	if len(rules) < 2 {
		return ""
	}
	last := rules[len(rules)-2:]
	return strings.TrimSpace(strings.Join(lines[last[0]+1:last[1]], "\n"))
}

// solid is the text without what a screen may change when it breaks lines.
func solid(text string) string {
	return string(slices.DeleteFunc([]rune(text), unicode.IsSpace))
}

// Wait waits until the texts are on the screen.
func (w *Window) Wait(texts ...string) {
	w.t.Helper()
	for _, text := range texts {
		w.Until("show "+text, func() bool { return strings.Contains(w.Screen(), text) })
	}
}

// Until waits for the condition; what says what it is. A window that does not
// reach it in two minutes fails the test and is shown.
func (w *Window) Until(what string, c Cond) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), w.timeout)
	defer cancel()
	if !c.every(ctx, glance) {
		w.t.Fatalf("the window did not %s in %s:\n%s", what, w.timeout, w.Screen())
	}
}

// PID is the client's process; the terminal is its parent.
func (w *Window) PID() int {
	w.t.Helper()
	program, err := w.term.program()
	if err != nil {
		w.t.Fatal(err)
	}
	return program.Pid
}

// Close ends the client as a closed window does, and waits for its end: its
// hooks run, and nothing of it writes any more. Closing twice is fine.
func (w *Window) Close() {
	w.t.Helper()
	if err := w.term.close(); err != nil {
		w.t.Errorf("close window: %v", err)
	}
}

func (w *Window) do(args ...string) string {
	w.t.Helper()
	out, err := w.term.do(args...)
	if err != nil {
		w.t.Fatal(err)
	}
	return out
}

const (
	columns = "200"
	rows    = "50"
)

// terminal is a tmux server with one window, in which one program runs.
type terminal struct {
	dir    string // of the socket alone: the path of one must be short
	socket string
	grace  time.Duration // for the program to end in
}

func openTerminal(cwd string, env, command []string) (*terminal, error) {
	if _, err := exec.LookPath("tmux"); err != nil {
		return nil, fmt.Errorf("find the terminal: %w", err)
	}
	dir, err := os.MkdirTemp("", "tui")
	if err != nil {
		return nil, err
	}
	t := &terminal{dir: dir, socket: filepath.Join(dir, "socket"), grace: 30 * time.Second}
	start := t.command(append([]string{
		"-f", "/dev/null", "-u", "new-session", "-d", "-x", columns, "-y", rows, "-c", cwd, "--",
	}, append(command, ";", "set-option", "-g", "remain-on-exit", "on")...)...)
	start.Env = append(env, "TERM=xterm-256color", "LANG=C.UTF-8", "SHELL=/bin/sh")
	if out, err := start.CombinedOutput(); err != nil {
		_ = os.RemoveAll(dir)
		return nil, fmt.Errorf("start tmux: %w: %s", err, out)
	}
	return t, nil
}

func (t *terminal) command(args ...string) *exec.Cmd {
	return exec.Command("tmux", append([]string{"-S", t.socket}, args...)...)
}

func (t *terminal) do(args ...string) (string, error) {
	out, err := t.command(args...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("tmux %s: %w: %s", args[0], err, out)
	}
	return string(out), nil
}

// close hangs up, and kills a program that does not end in its time of grace,
// which is an error. The window remains on exit, so that its server is the one
// to see the end.
func (t *terminal) close() error {
	if _, err := os.Stat(t.dir); err != nil {
		return nil // closed before
	}
	defer os.RemoveAll(t.dir)
	err := t.end(syscall.SIGHUP)
	if err != nil {
		_ = t.end(os.Kill)
	}
	if _, kill := t.do("kill-server"); kill != nil {
		return kill
	}
	return err
}

func (t *terminal) end(s os.Signal) error {
	program, err := t.program()
	if err != nil {
		return err
	}
	if t.dead() {
		return nil
	}
	if err := program.Signal(s); err != nil {
		return fmt.Errorf("end process %d: %w", program.Pid, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), t.grace)
	defer cancel()
	if !Cond(t.dead).every(ctx, glance) {
		return fmt.Errorf("process %d did not end after %s", program.Pid, s)
	}
	return nil
}

func (t *terminal) program() (*os.Process, error) {
	out, err := t.do("display-message", "-p", "#{pane_pid}")
	if err != nil {
		return nil, err
	}
	pid, err := strconv.Atoi(strings.TrimSpace(out))
	if err != nil {
		return nil, fmt.Errorf("read the program's id: %w", err)
	}
	return os.FindProcess(pid)
}

// dead is also true of a terminal that is gone.
func (t *terminal) dead() bool {
	out, err := t.do("display-message", "-p", "#{pane_dead}")
	return err != nil || strings.TrimSpace(out) == "1"
}
