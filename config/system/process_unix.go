//go:build unix

package system

import (
	"os"
	"os/exec"
	"os/user"
	"strconv"
	"syscall"
)

// Shell is the program that runs lines of gates, checks and hooks.
func Shell() string { return "/bin/sh" }

// RunGroup runs a command. What it has started ends with it when its context does.
func RunGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.Run()
}

// Exec goes on as another program. It returns only if that cannot be started.
func Exec(path string, args []string) error {
	return syscall.Exec(path, append([]string{path}, args...), os.Environ())
}

// The variables that name the user's folders; "" where there is none.
const (
	HomeVariable  = "HOME"
	StateVariable = ""
)

// Groups lists the groups of this process, by number.
func Groups() ([]string, error) {
	ids, err := os.Getgroups()
	out := []string{strconv.Itoa(os.Getgid())}
	for _, id := range ids {
		out = append(out, strconv.Itoa(id))
	}
	return out, err
}

// FindHome is the user's home as the system knows it, "" where it does not.
func FindHome() string {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return ""
	}
	return u.HomeDir
}

// HasTerminal reports whether a terminal controls this process.
func HasTerminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err == nil {
		tty.Close()
	}
	return err == nil
}
