package system

import (
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// readingTime is how long a reader of a file may take from opening it to reading it. It
// takes microseconds.
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
