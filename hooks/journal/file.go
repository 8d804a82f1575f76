package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"syscall"
)

// A file is a bare descriptor. An os.File would set up the runtime's poller, which a
// regular file cannot use, at a dozen system calls in every hook call.
type file int

func openFile(path string, flags int) (file, error) {
	for {
		fd, err := syscall.Open(path, flags|syscall.O_CLOEXEC|syscall.O_NOFOLLOW, 0o600)
		if err == nil {
			return file(fd), nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return -1, &fs.PathError{Op: "open journal", Path: path, Err: err}
		}
	}
}

func (f file) Close() error { return syscall.Close(int(f)) }

// Size is how long the file is, in bytes.
func (f file) Size() (int64, error) {
	var st syscall.Stat_t
	if err := syscall.Fstat(int(f), &st); err != nil {
		return 0, fmt.Errorf("read journal: %w", err)
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG {
		return 0, errors.New("read journal: it is no regular file")
	}
	return st.Size, nil
}

// ReadAt is io.ReaderAt's.
func (f file) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		got, err := syscall.Pread(int(f), b[n:], at+int64(n))
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return n, err
		case got == 0:
			return n, io.EOF
		default:
			n += got
		}
	}
	return n, nil
}

// Write is io.Writer's.
func (f file) Write(b []byte) (n int, err error) {
	for n < len(b) {
		got, err := syscall.Write(int(f), b[n:])
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return n, err
		}
		n += got
	}
	return n, nil
}

func (f file) Truncate(size int64) error { return syscall.Ftruncate(int(f), size) }

func (f file) Sync() error { return syscall.Fsync(int(f)) }
