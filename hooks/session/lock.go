package session

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// ErrBusy says that the session's lock could not be had in time.
var ErrBusy = errors.New("the session's lock is held by another call")

// lock takes a file lock, waiting at most so long. The lock goes with the process,
// however it ends. (A bare descriptor: see the journal's file.)
//
// The file may be replaced or moved while we wait, as `session clear` does. Then what we
// have locked is not what the next call locks, and we begin again.
func lock(path string, wait time.Duration) (unlock func(), err error) {
	deadline := time.Now().Add(wait)
	for {
		var fd int
		if fd, unlock, err = lockOnce(path, time.Until(deadline)); err != nil {
			return nil, err
		}
		if isSameFile(fd, path) {
			return unlock, nil
		}
		unlock()
		if !time.Now().Before(deadline) {
			return nil, ErrBusy
		}
	}
}

func lockOnce(path string, wait time.Duration) (fd int, unlock func(), err error) {
	fd, err = syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0o600)
	if err != nil {
		return -1, nil, fmt.Errorf("open the session's lock: %w", &os.PathError{Op: "open", Path: path, Err: err})
	}
	unlock = func() { _ = syscall.Close(fd) } // which gives the lock back
	err = syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return fd, unlock, nil
	}
	if wait <= 0 {
		unlock()
		return -1, nil, ErrBusy
	}
	unlock, err = waitForLock(fd, unlock, wait)
	return fd, unlock, err
}

// isSameFile reports whether a path still leads to an open file. Where that cannot be
// asked, it does.
func isSameFile(fd int, path string) bool {
	var open, named syscall.Stat_t
	if syscall.Fstat(fd, &open) != nil {
		return true
	}
	err := syscall.Lstat(path, &named)
	if err != nil {
		return !errors.Is(err, syscall.ENOENT)
	}
	return open.Ino == named.Ino && open.Dev == named.Dev
}

// waitForLock waits in the kernel's queue, which is fair and costs nothing, under a
// watchdog.
func waitForLock(fd int, unlock func(), wait time.Duration) (func(), error) {
	got := make(chan error, 1)
	go func() { got <- lockFile(fd) }()
	select {
	case err := <-got:
		if err != nil {
			unlock()
			return nil, fmt.Errorf("lock the session: %w", err)
		}
		return unlock, nil
	case <-time.After(wait):
		go func() { // a late holder gives it back at once
			<-got
			unlock()
		}()
		return nil, ErrBusy
	}
}

func lockFile(fd int) error {
	for {
		err := syscall.Flock(fd, syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// checkOwner refuses a folder that belongs to somebody else: what we write there would
// be theirs to change, or would lock them out.
func checkOwner(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return fmt.Errorf("look at the session's folder: %w", err)
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder, but a link or a file: remove it", dir)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d, and this is user %d: remove it, or run as its owner", dir, s.Uid,
			os.Geteuid())
	}
	return nil
}
