package system

import (
	"fmt"
	"path/filepath"
	"syscall"
)

const userAppend = 0x4 // UF_APPEND: only appending is allowed

// SetAppendOnly makes a file append-only, or takes that back.
func SetAppendOnly(path string, on bool) error {
	info, err := Stat(path)
	if err != nil {
		return fmt.Errorf("read the flags of %s: %w", filepath.Base(path), err)
	}
	to := info.stat.Flags &^ userAppend
	if on {
		to |= userAppend
	}
	if to == info.stat.Flags {
		return nil
	}
	if err := syscall.Chflags(path, int(to)); err != nil {
		return fmt.Errorf("make %s append-only or not: %w", filepath.Base(path), err)
	}
	return nil
}
