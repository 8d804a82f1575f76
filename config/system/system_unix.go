//go:build unix

package system

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// A File is a bare descriptor. An os.File would set up the runtime's poller, which a
// regular file cannot use, at a dozen system calls in every hook call.
type File int

// Closed is no file.
const Closed = File(-1)

// Flags of Open beside those of package os.
const (
	NoFollow = syscall.O_NOFOLLOW // a link is an error
	NoWait   = syscall.O_NONBLOCK // never wait for the other end of a pipe
)

// Open opens a file that no child process inherits, and makes it with mode 0600.
func Open(path string, flags int) (File, error) {
	for {
		fd, err := syscall.Open(path, flags|syscall.O_CLOEXEC, 0o600)
		if !errors.Is(err, syscall.EINTR) {
			return File(fd), err
		}
	}
}

// Close closes the file, and gives its lock back.
func (f File) Close() error { return syscall.Close(int(f)) }

// Truncate sets the length of the file.
func (f File) Truncate(size int64) error { return syscall.Ftruncate(int(f), size) }

// Sync waits until the file is on the disk.
func (f File) Sync() error { return syscall.Fsync(int(f)) }

// WriteAt writes at a place of the file. A signal or a full disk can cut it short.
func (f File) WriteAt(b []byte, at int64) (int, error) { return syscall.Pwrite(int(f), b, at) }

func (f File) readAt(b []byte, at int64) (int, error) { return syscall.Pread(int(f), b, at) }

func (f File) write(b []byte) (int, error) { return syscall.Write(int(f), b) }

// ErrLocked says that another process has the lock.
const ErrLocked = syscall.EWOULDBLOCK

// TryLock takes the file's lock if it is free. The lock ends with the file, or with the
// process.
func (f File) TryLock() error { return syscall.Flock(int(f), syscall.LOCK_EX|syscall.LOCK_NB) }

// Lock waits for the file's lock, in the queue of the kernel.
func (f File) Lock() error {
	for {
		err := syscall.Flock(int(f), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// Stat describes the open file.
func (f File) Stat() (Info, error) {
	var s syscall.Stat_t
	err := syscall.Fstat(int(f), &s)
	return newInfo(&s), err
}

// Stat describes the file that a path leads to. os.Stat allocates, and is slower.
func Stat(path string) (Info, error) {
	var s syscall.Stat_t
	err := syscall.Stat(path, &s)
	return newInfo(&s), err
}

// Lstat describes what is at a path, which may be a link.
func Lstat(path string) (Info, error) {
	var s syscall.Stat_t
	err := syscall.Lstat(path, &s)
	return newInfo(&s), err
}

func newInfo(s *syscall.Stat_t) Info {
	kind := s.Mode & syscall.S_IFMT
	return Info{IsRegular: kind == syscall.S_IFREG, IsDir: kind == syscall.S_IFDIR, Size: s.Size,
		IsPrivate: s.Mode&0o022 == 0 && int(s.Uid) == os.Geteuid(), Owner: int(s.Uid), Perm: uint32(s.Mode) & 0o777,
		id: [2]uint64{uint64(s.Dev), s.Ino}}
}

// IsWorkingFolder reports whether a path is the working directory's own, without links.
func IsWorkingFolder(dir string) bool {
	own, err := syscall.Getwd()
	return err == nil && own == dir
}

// HoldsFolders says whether a folder stays where it is while a file in it is open.
const HoldsFolders = false

// IsRootsAlone reports whether only root can change what is there. Others cannot replace
// root's files in a folder with the sticky bit.
func IsRootsAlone(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok || st.Uid != 0 {
		return false
	}
	open := info.Mode().Perm() & 0o022
	if st.Gid == 0 {
		open &= 0o002
	}
	return open == 0 || info.IsDir() && info.Mode()&fs.ModeSticky != 0
}

// CanRun reports whether we may run a program, or enter a folder.
func CanRun(path string) bool { return syscall.Access(path, 1) == nil }

// FindProgram is the file of a program that a path means, if it can run.
func FindProgram(path string) (file string, ok bool) {
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// retryBusy tries once: a file that others have open can be replaced.
func retryBusy(try func() error) error { return try() }

// FreeSpace is how many bytes the file system of a folder has left for us, and whether it
// has no room for one more file.
func FreeSpace(dir string) (left uint64, noFiles bool, err error) {
	var s syscall.Statfs_t
	err = syscall.Statfs(dir, &s)
	return s.Bavail * uint64(s.Bsize), s.Files > 0 && s.Ffree == 0, err
}

// SharedConfig is the folder of the organisation's config, which only root writes.
const SharedConfig = "/etc/pipeline"

// HasFewDescriptors reports whether the process may open few files. The runtime ends it
// where its poller finds none left.
func HasFewDescriptors() bool {
	var limit syscall.Rlimit
	return syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil && limit.Cur >= 6 && limit.Cur <= 32
}

// Code that only hands paths to the system may use path/filepath, of which these are here. Code that compares paths
// uses these: on Windows they write slashes.

func Join(names ...string) string                     { return filepath.Join(names...) }
func Clean(path string) string                        { return filepath.Clean(path) }
func Dir(path string) string                          { return filepath.Dir(path) }
func VolumeName(path string) string                   { return filepath.VolumeName(path) }
func IsAbs(path string) bool                          { return filepath.IsAbs(path) }
func Rel(dir, path string) (string, error)            { return filepath.Rel(dir, path) }
func EvalSymlinks(path string) (string, error)        { return filepath.EvalSymlinks(path) }
func WalkDir(root string, visit fs.WalkDirFunc) error { return filepath.WalkDir(root, visit) }

// Native is a path as this system writes it: on Windows C:/Users for /c/Users.
func Native(path string) string { return path }

// OnDrive is a path that a program without a shell is given in a folder: on Windows /x is
// on the folder's drive.
func OnDrive(path, _ string) string { return path }

// Shell is the program that runs lines of gates, checks and hooks.
func Shell() string { return "/bin/sh" }

// RunGroup runs a command. What it has started ends with it when its context does.
func RunGroup(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	return cmd.Run()
}

// Exec goes on as another program. It returns only if that cannot be started.
func Exec(path string, args []string) error {
	return syscall.Exec(path, append([]string{path}, args...), os.Environ())
}

// The variables that name the user's folders; "" where there is none.
const (
	HomeVariable  = "HOME"
	StateVariable = ""
)

// Groups lists the groups of this process, by number.
func Groups() ([]string, error) {
	ids, err := os.Getgroups()
	out := []string{strconv.Itoa(os.Getgid())}
	for _, id := range ids {
		out = append(out, strconv.Itoa(id))
	}
	return out, err
}

// FindHome is the user's home as the system knows it, "" where it does not.
func FindHome() string {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return ""
	}
	return u.HomeDir
}

// HasTerminal reports whether a terminal controls this process.
func HasTerminal() bool {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err == nil {
		tty.Close()
	}
	return err == nil
}
