package system

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"unsafe"
)

// Linux keeps flags with a file (see chattr(1)). A file that is append-only can be
// neither changed nor removed until somebody who may (CAP_LINUX_IMMUTABLE, mostly root)
// takes the flag away.
const (
	getFlags   = 0x80086601 // FS_IOC_GETFLAGS
	setFlags   = 0x40086602 // FS_IOC_SETFLAGS
	appendOnly = 0x20       // FS_APPEND_FL
)

// SetAppendOnly makes a file append-only, or takes that back.
func SetAppendOnly(path string, on bool) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	var flags int
	if err := ioctl(f, getFlags, &flags); err != nil {
		return fmt.Errorf("read the flags of %s: %w", filepath.Base(path), err)
	}
	to := flags &^ appendOnly
	if on {
		to |= appendOnly
	}
	if to == flags {
		return nil
	}
	if err := ioctl(f, setFlags, &to); err != nil {
		return fmt.Errorf("make %s append-only or not: %w", filepath.Base(path), err)
	}
	return nil
}

func ioctl(f *os.File, request uintptr, flags *int) error {
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, f.Fd(), request, uintptr(unsafe.Pointer(flags))); errno != 0 {
		return errno
	}
	return nil
}
