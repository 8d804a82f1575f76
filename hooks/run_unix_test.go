//go:build unix

package hooks

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/agent-pipeline/pipeline/config/system"
)

// run runs a command in the handler's project.
func (h *Handler) run(line string, timeout time.Duration, env []string) CommandResult {
	r, _ := h.world().Run(Command{Line: line, Timeout: timeout, Env: env})
	return r
}

func TestRun(t *testing.T) {
	h := runner(t)
	t.Setenv("FROM_OUTSIDE", "seen")
	tests := []struct {
		name, line string
		ok         bool
		missing    bool
		said       string
	}{
		{"it succeeds", "echo fine", true, false, "fine"},
		{"it fails", "echo out; echo err >&2; exit 3", false, false, "out\nerr"},
		{"its program is not there", "no-such-program --now", false, true, "no-such-program"},
		{"its program cannot be run", "./plain.txt", false, true, "plain.txt"},
		{"it says so itself", "exit 127", false, true, ""},
		{"the project's folder", "pwd", true, false, h.Root},
		{"what it is given", `echo "$FILE:$FILES:$FROM_OUTSIDE"`, true, false, "b:a\nb:seen"},
		{"nothing to read", "cat", true, false, ""},
		{"killed by itself", "kill -9 $$", false, false, ""},
		{"what is no text", `printf 'a\377b'`, true, false, "a�b"},
		{"what it leaves running", "sleep 60 & echo $!", true, false, ""},
	}
	write(t, system.Join(h.Root, "plain.txt"), "no program")
	if err := os.Chmod(system.Join(h.Root, "plain.txt"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := h.run(tt.line, soon, []string{"FILE=b", "FILES=a\nb"})
			if r.OK != tt.ok || r.Missing != tt.missing || !strings.Contains(r.Text(), tt.said) || r.TimedOut != 0 {
				t.Errorf("%+v", r)
			}
			if strings.HasPrefix(tt.line, "sleep") {
				h.run("kill "+r.Output, soon, nil)
			}
		})
	}
	h.Root = system.Join(h.Root, "nowhere")
	if r := h.run("true", soon, nil); r.OK || !r.Missing || !strings.Contains(r.Text(), "nowhere") {
		t.Errorf("%+v", r)
	}
}

// TestRunInTime: when its time is up it is stopped with all that it has started, and
// what it said so far is told.
func TestRunInTime(t *testing.T) {
	h := runner(t)
	fifo := system.Join(h.Root, "alive")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	alive, err := os.OpenFile(fifo, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Close()
	r := h.run("(sh -c 'exec 3>alive; echo begun; sleep 600') & sleep 600", time.Second, nil)
	if r.OK || r.Missing || !strings.Contains(r.Text(), "begun") || !strings.HasSuffix(r.Text(), "(stopped after 1s)") {
		t.Errorf("%+v: %q", r, r.Text())
	}
	if err := alive.SetReadDeadline(time.Now().Add(soon)); err != nil {
		t.Fatal(err)
	}
	// its end comes when the last writer has gone
	if _, err := io.ReadAll(alive); errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("what the command has started is still running")
	}
}

func TestTail(t *testing.T) {
	h := runner(t)
	r := h.run("seq 1 400000", soon, nil)
	if n := len(r.Output); !r.OK || n > tailLimit || n < tailLimit/2 ||
		!strings.HasSuffix(r.Output, "\n399999\n400000") || !strings.HasPrefix(r.Output, "399") {
		t.Errorf("%d bytes: %q", n, r.Output)
	}
	for name, text := range map[string]string{"a long line": strings.Repeat("x", 9000) + "\n",
		"a long last line": "short\n" + strings.Repeat("y", tailLimit-100) + "\nend\n",
		"no ASCII":         strings.Repeat("ü", 3000), "a short one at the edge": strings.Repeat("z", 3000) + "\nend"} {
		var out tail
		for len(text) > 0 {
			n := min(len(text), 333)
			if _, err := out.Write([]byte(text[:n])); err != nil {
				t.Fatal(err)
			}
			text = text[n:]
		}
		if s := out.String(); len(s) > tailLimit+2 || len(s) < tailLimit/2 || !utf8.ValidString(s) {
			t.Errorf("%s: %d bytes: %q", name, len(s), s)
		}
		if len(out.kept) > 4*tailLimit {
			t.Errorf("%s: %d bytes are kept", name, len(out.kept))
		}
	}
}
