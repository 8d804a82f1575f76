package config

import (
	"errors"
	"io"
	"io/fs"
	"syscall"
)

// readFile reads a regular file of at most so many bytes, and tells what it is. An os.File would set up the runtime's
// poller, which a regular file cannot use, at a dozen system calls in every hook call. A pipe does not make it wait.
func readFile(path string, most int64) ([]byte, syscall.Stat_t, error) {
	var st syscall.Stat_t
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err == nil {
		defer syscall.Close(fd)
		err = syscall.Fstat(fd, &st)
	}
	if err != nil {
		return nil, st, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	if st.Mode&syscall.S_IFMT != syscall.S_IFREG || st.Size > most {
		return nil, st, nil
	}
	b := make([]byte, st.Size)
	for n := 0; n < len(b); {
		got, err := syscall.Read(fd, b[n:])
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return nil, st, &fs.PathError{Op: "read", Path: path, Err: err}
		case got == 0:
			return nil, st, &fs.PathError{Op: "read", Path: path, Err: io.ErrUnexpectedEOF}
		default:
			n += got
		}
	}
	return b, st, nil
}
