package session

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
)

// ErrBusy says that the session's lock could not be had in time.
var ErrBusy = errors.New("the session's lock is held by another call")

// lock takes a file lock, waiting at most so long. The lock goes with the process,
// however it ends.
//
// The file may be replaced or moved while we wait, as `session clear` does. Then what we
// have locked is not what the next call locks, and we begin again.
func lock(path string, wait time.Duration) (unlock func(), err error) {
	deadline := time.Now().Add(wait)
	for {
		f, err := system.Open(path, os.O_RDWR|os.O_CREATE|system.NoFollow)
		if err != nil {
			return nil, fmt.Errorf("open the session's lock: %w", &os.PathError{Op: "open", Path: path, Err: err})
		}
		unlock = func() { _ = f.Close() } // which gives the lock back
		left := time.Until(deadline)
		if err = f.TryLock(); err != nil && left <= 0 {
			unlock()
			return nil, ErrBusy
		} else if err != nil {
			if unlock, err = waitForLock(f, unlock, left); err != nil {
				return nil, err
			}
		}
		open, openErr := f.Stat()
		named, namedErr := system.Lstat(path) // where that cannot be asked, it is the same file
		if openErr != nil || namedErr == nil && open.IsSame(named) ||
			namedErr != nil && !errors.Is(namedErr, fs.ErrNotExist) {
			return unlock, nil
		}
		unlock()
		if !time.Now().Before(deadline) {
			return nil, ErrBusy
		}
	}
}

// waitForLock waits in the kernel's queue, which is fair and costs nothing, under a
// watchdog.
func waitForLock(f system.File, unlock func(), wait time.Duration) (func(), error) {
	got := make(chan error, 1)
	go func() { got <- f.Lock() }()
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
	if owner, foreign := system.ForeignOwner(info); foreign {
		return fmt.Errorf("%s belongs to user %d, and this is user %d: remove it, or run as its owner", dir, owner,
			os.Geteuid())
	}
	return nil
}
