package system

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

const appendOnly = 0x20 // FS_APPEND_FL

// SetAppendOnly makes a file append-only, or takes that back. Linux keeps flags with a file (see chattr(1)). A file
// that is append-only can be neither changed nor removed until somebody who may (CAP_LINUX_IMMUTABLE, mostly root)
// takes the flag away.
func SetAppendOnly(path string, on bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	flags, err := unix.IoctlGetInt(int(f.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		return fmt.Errorf("read the flags of %s: %w", filepath.Base(path), err)
	}
	to := flags &^ appendOnly
	if on {
		to |= appendOnly
	}
	if to == flags {
		return nil
	}
	if err := unix.IoctlSetPointerInt(int(f.Fd()), unix.FS_IOC_SETFLAGS, to); err != nil {
		return fmt.Errorf("make %s append-only or not: %w", filepath.Base(path), err)
	}
	return nil
}
