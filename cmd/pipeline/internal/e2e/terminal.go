package e2e

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

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
