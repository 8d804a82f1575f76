// Package system is all that operating systems do differently. Everything else in the
// program is the same on each of them.
//
//	what                  Linux                  macOS                        Windows
//	a file                bare descriptor        bare descriptor              handle; others may rename it
//	a lock                flock                  flock                        LockFileEx, behind the file's end
//	an append             O_APPEND               O_APPEND                     write at the end, which can also truncate
//	owner and mode        yes                    yes                          not asked: the profile is the user's
//	processes above       /proc                  kern.proc.pid, procargs2     toolhelp snapshot, command line
//	their environment     /proc/PID/environ      known of some, or unknown    unknown
//	their terminal        not asked              kern.proc.pid                unknown
//	a group of processes  process group          process group                job object
//	append-only files     FS_APPEND_FL           UF_APPEND                    none
//	the user's home       HOME, passwd           HOME, passwd                 USERPROFILE, the profile of the token
//	state                 ~/.local/state         ~/.local/state               %LOCALAPPDATA%
//
// It is the lowest room: it knows no policy, no session and no client.
package system

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"runtime"
	"strings"
	"syscall"

	"github.com/natefinch/atomic"
)

// An Info is what a file is.
type Info struct {
	IsRegular, IsDir bool
	IsPrivate        bool   // it is the user's own, and no one else can write it
	Owner            int    // the number of the user; os.Geteuid where the system has no numbers
	Perm             uint32 // who may read and write it; 0 where modes do not tell
	Size             int64  // of a regular file, in bytes
	id               [2]uint64
}

// IsSame reports whether both are one file.
func (i Info) IsSame(j Info) bool { return i.id == j.id }

// ReadAt is io.ReaderAt's.
func (f File) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		got, err := f.readAt(b[n:], at+int64(n))
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
func (f File) Write(b []byte) (n int, err error) {
	for n < len(b) {
		got, err := f.write(b[n:])
		if err != nil && !errors.Is(err, syscall.EINTR) {
			return n, err
		}
		n += max(got, 0)
	}
	return n, nil
}

// ReadRegular reads a regular file of at most so many bytes, and nothing of another. It never waits for a pipe.
func ReadRegular(path string, most int64) ([]byte, Info, error) {
	info := Info{}
	f, err := Open(path, os.O_RDONLY|NoWait)
	if err == nil {
		defer f.Close()
		info, err = f.Stat()
	}
	if err != nil {
		return nil, info, &os.PathError{Op: "open", Path: path, Err: err}
	}
	if !info.IsRegular || info.Size > most {
		return nil, info, nil
	}
	b := make([]byte, info.Size)
	n, err := f.ReadAt(b, 0)
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		err = &os.PathError{Op: "read", Path: path, Err: err}
	}
	return b[:n], info, err
}

// ReadFile reads a file as os.ReadFile does. Of a regular file it needs half as many system
// calls, and it does not make the runtime open its poller.
func ReadFile(path string) ([]byte, error) {
	b, info, err := ReadRegular(path, math.MaxInt64)
	if err == nil && (!info.IsRegular || info.Size == 0) { // a file in /proc has no size
		return os.ReadFile(path)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) { // it is shorter by now
		err = nil
	}
	return b, err
}

// Upward yields a folder and all folders above it, the nearest first; nothing for a path that is not absolute.
func Upward(dir string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for IsAbs(dir) && yield(dir) && dir != Dir(dir) {
			dir = Dir(dir)
		}
	}
}

// FindUpward finds the nearest folder, from dir upward, that has a name in it, and describes what is there; "" for
// none. With an error there may be one.
func FindUpward(dir, name string) (folder string, info Info, err error) {
	for d := range Upward(dir) {
		path := strings.TrimSuffix(d, "/") + "/" + name
		switch info, err := Lstat(path); {
		case err == nil:
			return d, info, nil
		case !IsMissing(err) && !errors.Is(err, syscall.ENOTDIR):
			return d, info, &os.PathError{Op: "lstat", Path: path, Err: err}
		}
	}
	return "", Info{}, nil
}

// FindRegular lists the regular files of these names in a folder.
func FindRegular(dir string, names ...string) (files []string, err error) {
	for i, name := range append([]string{""}, names...) {
		file := strings.TrimSuffix(dir+"/"+name, "/") // the folder itself comes first
		st, err := Stat(file)
		switch isMissing := IsMissing(err) || errors.Is(err, syscall.ENOTDIR); {
		case i == 0 && (isMissing || err == nil && !st.IsDir):
			return nil, nil
		case err != nil && !isMissing:
			return nil, &os.PathError{Op: "look at", Path: file, Err: err}
		case st.IsRegular:
			files = append(files, file)
		}
	}
	return files, nil
}

// IsMissing reports whether an error says that there is no such file. Any other error leaves open whether there is one.
func IsMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// ReadLine reads the first line of a small file; "" when it cannot.
func ReadLine(path string) string {
	text, _, err := ReadRegular(path, 1<<16)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(line)
}

// AppendLine adds a line to a file, which it makes where there is none. It is one write, so
// that processes do not mix their lines.
func AppendLine(path string, line []byte) error {
	f, err := Open(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// WriteFile replaces the content of a file in one step, and waits until it is on the disk. It
// keeps the mode; a new file is the user's alone.
func WriteFile(path string, content []byte) error {
	return retryBusy(func() error { return atomic.WriteFile(path, bytes.NewReader(content)) })
}

// MakeFile is WriteFile in a folder that it makes where there is none, for the user alone.
func MakeFile(path string, content []byte) error {
	if err := os.MkdirAll(Dir(path), 0o700); err != nil {
		return err
	}
	return WriteFile(path, content)
}

// WriteShared is WriteFile for a file that others may read: a new one has the mode of the
// user's files. With O_EXCL among the flags the file must be new.
func WriteShared(path string, content []byte, flags int) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flags, 0o644)
	if err != nil {
		return err
	}
	err = errors.Join(f.Close(), WriteFile(path, content))
	if err != nil && flags&os.O_EXCL != 0 {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// Replace renames a file in one step, in place of another.
func Replace(from, to string) error {
	return retryBusy(func() error { return atomic.ReplaceFile(from, to) })
}

// IgnoresCase reports whether paths in a folder that differ in case alone lead to one file.
// Each volume of macOS says so for itself. Where it cannot be seen, they do.
func IgnoresCase(dir string) bool {
	if runtime.GOOS != "darwin" {
		return runtime.GOOS == "windows"
	}
	other := strings.ToUpper(dir)
	if other == dir {
		other = strings.ToLower(dir)
	}
	here, err := Stat(dir)
	if err != nil || other == dir {
		return true
	}
	there, err := Stat(other)
	return err == nil && there.IsSame(here)
}

// Glob lists the files below a folder that a pattern matches. The folder's own name may have the signs of a
// pattern; one that cannot be read has no files.
func Glob(dir, pattern string) []string {
	names, _ := fs.Glob(os.DirFS(dir), pattern) // patterns of ours are valid
	for i, name := range names {
		names[i] = Join(dir, name)
	}
	return names
}
