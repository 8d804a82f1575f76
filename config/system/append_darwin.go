package system

import (
	"fmt"
	"path/filepath"
	"syscall"
)

const userAppend = 0x4 // UF_APPEND: only appending is allowed

// SetAppendOnly makes a file append-only, or takes that back.
func SetAppendOnly(path string, on bool) error {
	var info syscall.Stat_t
	if err := syscall.Stat(path, &info); err != nil {
		return fmt.Errorf("read the flags of %s: %w", filepath.Base(path), err)
	}
	to := info.Flags &^ userAppend
	if on {
		to |= userAppend
	}
	if to == info.Flags {
		return nil
	}
	if err := syscall.Chflags(path, int(to)); err != nil {
		return fmt.Errorf("make %s append-only or not: %w", filepath.Base(path), err)
	}
	return nil
}
