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
func lock(path string, wait time.Duration) (unlock func(), err error) {
	fd, err := syscall.Open(path, syscall.O_RDWR|syscall.O_CREAT|syscall.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, fmt.Errorf("open the session's lock: %w", &os.PathError{Op: "open", Path: path, Err: err})
	}
	unlock = func() { _ = syscall.Close(fd) } // which gives the lock back
	if syscall.Flock(fd, syscall.LOCK_EX|syscall.LOCK_NB) == nil {
		return unlock, nil
	}
	if wait <= 0 {
		unlock()
		return nil, ErrBusy
	}
	return waitForLock(fd, unlock, wait)
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
		go func() { // whoever still gets it gives it back at once
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
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("look at the session's folder: %w", err)
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to user %d, and this is user %d: remove it, or run as its owner", dir, s.Uid,
			os.Geteuid())
	}
	return nil
}
