package doctor

import (
	"bytes"
	"context"
	"errors"
	"os/exec"
	"syscall"
	"time"
)

// A ran program, and what it left.
type ran struct {
	out, err []byte
	exit     int   // 128 + the signal for one that was killed
	failed   error // why it could not be started
	late     bool  // it was not done in time
}

// run starts a program in a group of its own and ends all of the group when the time is up.
func run(limit time.Duration, dir string, env []string, stdin string, argv ...string) ran {
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, env, bytes.NewBufferString(stdin), &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a child of it may hold its output open
	err := cmd.Run()
	r := ran{out: out.Bytes(), err: errs.Bytes(), late: ctx.Err() != nil}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.Exited():
		r.exit = exit.ExitCode()
	case errors.As(err, &exit):
		r.exit = 128 + int(exit.Sys().(syscall.WaitStatus).Signal())
	case cmd.Process == nil:
		r.failed = err
	}
	return r
}
