package system

import (
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readingTime is how long a program that takes no lock may need from opening a file to
// having read it. It takes microseconds.
const readingTime = 10 * time.Millisecond

// exchange writes the content into the file of the version before last, PATH.old, and
// lets the two change their names in one step. To make a file and to replace one takes
// ext4 0.2 ms each; this takes 0.02. It is not done, and nothing has changed at the path,
// where that file is new, in use, or replaced so lately that somebody may still read it.
func exchange(path string, content []byte) (done bool) {
	spare := path + ".old"
	f, err := Open(spare, os.O_RDWR|os.O_CREATE|NoFollow)
	if err != nil {
		return false
	}
	defer f.Close()
	if f.TryLock() != nil {
		return false
	}
	open, err := f.Stat()
	named, namedErr := Lstat(spare) // another process may have exchanged it before we had the lock
	current, currentErr := Lstat(path)
	if err != nil || namedErr != nil || currentErr != nil || !open.IsSame(named) || !open.IsRegular() ||
		!current.IsRegular() || open.stat.Nlink != 1 || time.Since(time.Unix(open.stat.Ctim.Unix())) < readingTime {
		return false
	}
	if n, err := f.WriteAt(content, 0); err != nil || n < len(content) {
		return false
	}
	if open.Size() > int64(len(content)) && f.Truncate(int64(len(content))) != nil {
		return false
	}
	return unix.Renameat2(unix.AT_FDCWD, spare, unix.AT_FDCWD, path, unix.RENAME_EXCHANGE) == nil
}

// ReadCopy reads a file that WriteCopy writes. While it reads, no process writes into the
// file, however long that takes.
func ReadCopy(path string) ([]byte, error) {
	for range 100 {
		body, err := readLocked(path)
		if !errors.Is(err, ErrLocked) {
			return body, err
		}
		time.Sleep(time.Millisecond) // it was exchanged between being opened and being locked
	}
	return os.ReadFile(path)
}

// readLocked reads a file under a shared lock. The error is ErrLocked while it is written,
// and where it is not the file of that path any more.
func readLocked(path string) ([]byte, error) {
	f, err := Open(path, os.O_RDONLY)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer f.Close()
	// a file system without locks has no exchange either
	if err := unix.Flock(int(f), unix.LOCK_SH|unix.LOCK_NB); errors.Is(err, ErrLocked) {
		return nil, err
	}
	open, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if named, err := Stat(path); err != nil || !open.IsSame(named) {
		return nil, ErrLocked
	}
	body := make([]byte, open.Size())
	if _, err := f.ReadAt(body, 0); err != nil {
		return nil, err
	}
	return body, nil
}
