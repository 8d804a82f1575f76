package hooks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// A ran is a command of the user's that was run.
type ran struct {
	ok      bool
	missing bool // its program is not there, or cannot be run
	late    time.Duration
	out     string
}

// run runs a command of the config by sh, in the project's folder, as a process group of its own: what it has started
// goes with it when its time is up.
func (h *Handler) run(line string, timeout time.Duration, env []string) ran {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", line)
	cmd.Dir, cmd.Env = h.Root, append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	r := ran{ok: err == nil, out: out.String()}
	var exit *exec.ExitError
	switch {
	case ctx.Err() != nil:
		r.ok, r.late = false, timeout
	case errors.As(err, &exit):
		r.missing = exit.ExitCode() == 126 || exit.ExitCode() == 127 // POSIX: not to be run, not found
	case errors.Is(err, exec.ErrWaitDelay): // it has succeeded; what it left running still holds its output
		r.ok = true
	case err != nil:
		r.missing, r.out = true, fmt.Sprintf("%v (in %s)", err, h.Root)
	}
	return r
}

// said is the end of what a command printed, and whether it took too long.
func (r ran) said() string {
	if r.late > 0 {
		return strings.TrimSpace(r.out + fmt.Sprintf("\n(stopped after %s)", r.late))
	}
	return r.out
}

// longestTail is how much of a command's output an agent is given: its end, where what went wrong stands.
const longestTail = 2000

// A tail keeps the end of what is written to it.
type tail struct{ kept []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.kept = append(t.kept, b...)
	if n := len(t.kept); n > 4*longestTail {
		t.kept = append([]byte(nil), t.kept[n-2*longestTail:]...)
	}
	return len(b), nil
}

func (t *tail) String() string {
	b := bytes.TrimSpace(t.kept)
	if len(b) > longestTail {
		b = b[len(b)-longestTail:]
		if i := bytes.IndexByte(b, '\n'); i >= 0 && i < longestTail/2 { // from a line's beginning, unless that costs too much
			b = b[i+1:]
		}
	}
	return strings.ToValidUTF8(string(b), "�")
}
