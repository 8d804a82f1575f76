//go:build unix

package hosttest

import (
	"fmt"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// TakeTerminal gives this process, and all that it starts, a terminal that controls it: orders are a
// person's, who sits at one. In CI there is none.
func TakeTerminal() error {
	if tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0); err == nil {
		return tty.Close()
	}
	end, tty, err := pty.Open()
	if err == nil { // once it is closed the terminal hangs up: the file is, when nothing uses it
		_, err = unix.FcntlInt(end.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	}
	if err != nil {
		return fmt.Errorf("open a terminal: %w", err)
	}
	if _, err := unix.Setsid(); err != nil {
		return fmt.Errorf("begin a session: %w", err)
	}
	return unix.IoctlSetInt(int(tty.Fd()), unix.TIOCSCTTY, 0)
}
