package system

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/windows"
)

// A File is a handle. Other processes may rename and delete the file while it is open, as
// on other systems.
type File syscall.Handle

// Closed is no file.
const Closed = File(syscall.InvalidHandle)

// Flags of Open beside those of package os.
const (
	NoFollow = 1 << 30 // a link is an error
	NoWait   = 0       // a pipe has no name in a folder
)

// Open opens a file that no child process inherits. It does not know O_TRUNC and O_EXCL.
func Open(path string, flags int) (File, error) {
	access, how, attributes := uint32(windows.GENERIC_READ), uint32(windows.OPEN_EXISTING), uint32(0)
	switch {
	case flags&os.O_WRONLY != 0:
		access = windows.GENERIC_WRITE
	case flags&os.O_RDWR != 0:
		access |= windows.GENERIC_WRITE
	}
	if flags&os.O_CREATE != 0 {
		how = windows.OPEN_ALWAYS
	}
	if flags&NoFollow != 0 {
		attributes = windows.FILE_FLAG_OPEN_REPARSE_POINT
	}
	f, err := createFile(path, access, how, attributes)
	if err != nil {
		return f, err
	}
	if flags&NoFollow != 0 {
		if i, err := f.Stat(); err != nil || !i.IsRegular {
			return 0, errors.Join(err, f.Close(), syscall.ELOOP)
		}
	}
	return f, nil
}

func createFile(path string, access, how, attributes uint32) (File, error) {
	name, err := windows.UTF16PtrFromString(longPath(path))
	if err != nil {
		return 0, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, access, share, nil, how, attributes|windows.FILE_ATTRIBUTE_NORMAL, 0)
	return File(h), err
}

// longPath lets a path be longer than 260 characters, as package os does.
func longPath(path string) string {
	if len(path) < 240 || !filepath.IsAbs(path) || path[1] != ':' {
		return path
	}
	return `\\?\` + filepath.Clean(path)
}

// Close closes the file, and gives its lock back.
func (f File) Close() error { return windows.CloseHandle(windows.Handle(f)) }

// Truncate sets the length of the file.
func (f File) Truncate(size int64) error { return syscall.Ftruncate(syscall.Handle(f), size) }

// Sync waits until the file is on the disk.
func (f File) Sync() error { return windows.FlushFileBuffers(windows.Handle(f)) }

// at is a place of a file for one call.
func at(offset int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(offset), OffsetHigh: uint32(offset >> 32)}
}

// WriteAt writes at a place of the file. A full disk can cut it short.
func (f File) WriteAt(b []byte, offset int64) (int, error) {
	var n uint32
	err := windows.WriteFile(windows.Handle(f), b, &n, at(offset))
	return int(n), err
}

func (f File) readAt(b []byte, offset int64) (int, error) {
	var n uint32
	err := windows.ReadFile(windows.Handle(f), b, &n, at(offset))
	if errors.Is(err, windows.ERROR_HANDLE_EOF) {
		err = nil
	}
	return int(n), err
}

// write writes at the end, wherever that is by then: the place 2^64-1 means that.
func (f File) write(b []byte) (int, error) { return f.WriteAt(b, -1) }

// ErrLocked says that another process has the lock.
const ErrLocked = windows.ERROR_LOCK_VIOLATION

// lockAt is a place far behind the end of each file. Others can read and write a file
// that is locked there.
const lockAt = 1 << 62

// TryLock takes the file's lock if it is free. The lock ends with the file, or with the
// process.
func (f File) TryLock() error {
	const flags = windows.LOCKFILE_EXCLUSIVE_LOCK | windows.LOCKFILE_FAIL_IMMEDIATELY
	return windows.LockFileEx(windows.Handle(f), flags, 0, 1, 0, at(lockAt))
}

// Lock waits for the file's lock, in the queue of the kernel.
func (f File) Lock() error {
	return windows.LockFileEx(windows.Handle(f), windows.LOCKFILE_EXCLUSIVE_LOCK, 0, 1, 0, at(lockAt))
}

// Stat describes the open file. Folders of a profile are closed to other users, and access lists are not read: all
// is private.
func (f File) Stat() (Info, error) {
	var d windows.ByHandleFileInformation
	err := windows.GetFileInformationByHandle(windows.Handle(f), &d)
	const other = windows.FILE_ATTRIBUTE_DIRECTORY | windows.FILE_ATTRIBUTE_REPARSE_POINT
	return Info{IsRegular: d.FileAttributes&other == 0, IsPrivate: true, Owner: os.Geteuid(),
		IsDir: d.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0,
		Size:  int64(d.FileSizeHigh)<<32 | int64(d.FileSizeLow),
		id:    [2]uint64{uint64(d.VolumeSerialNumber), uint64(d.FileIndexHigh)<<32 | uint64(d.FileIndexLow)}}, err
}

// Stat describes the file that a path leads to.
func Stat(path string) (Info, error) { return describe(path, 0) }

// Lstat describes what is at a path, which may be a link.
func Lstat(path string) (Info, error) { return describe(path, windows.FILE_FLAG_OPEN_REPARSE_POINT) }

// IsWorkingFolder reports whether a path is the working directory's own, without links.
// That is not known here: one folder has several names.
func IsWorkingFolder(string) bool { return false }

func describe(path string, attributes uint32) (Info, error) {
	f, err := createFile(path, 0, windows.OPEN_EXISTING, attributes|windows.FILE_FLAG_BACKUP_SEMANTICS)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	return f.Stat()
}

// HoldsFolders says whether a folder stays where it is while a file in it is open.
const HoldsFolders = true

// IsRootsAlone is not asked: who may change a file is not in its mode.
func IsRootsAlone(fs.FileInfo) bool { return true }

// CanRun reports whether we may run a program, or enter a folder.
func CanRun(path string) bool {
	if i, err := Stat(path); err == nil && i.IsDir {
		return true
	}
	_, ok := FindProgram(path)
	return ok
}

// FindProgram is the file of a program that a path means, if it can run. The suffix may be
// left out.
func FindProgram(path string) (file string, ok bool) {
	file, err := exec.LookPath(path)
	return file, err == nil
}

// retryBusy tries so long, and so often, to replace a file that readers have open, who keep
// it for microseconds: the system refuses that. A machine under load may stop us for longer
// than the one.
const (
	replaceWait  = time.Second
	replaceTries = 100
)

func retryBusy(try func() error) error {
	end := time.Now().Add(replaceWait)
	for tries := 1; ; tries++ {
		err := try()
		if err == nil || !isBusy(err) || tries > replaceTries && time.Now().After(end) {
			return err
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// isBusy knows the system's errors by their texts, because natefinch/atomic wraps them as texts.
func isBusy(err error) bool {
	return strings.HasSuffix(err.Error(), windows.ERROR_ACCESS_DENIED.Error()) ||
		strings.HasSuffix(err.Error(), windows.ERROR_SHARING_VIOLATION.Error())
}

// FreeSpace is how many bytes the file system of a folder has left for us, and whether it
// has no room for one more file.
func FreeSpace(dir string) (left uint64, noFiles bool, err error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, false, err
	}
	err = windows.GetDiskFreeSpaceEx(name, &left, nil, nil)
	return left, false, err
}

// SharedConfig is the folder of the organisation's config, which only administrators
// write. It is not taken from the environment, which anyone may set.
const SharedConfig = `C:\ProgramData\pipeline`

// Paths have slashes here, too: rules, guards and shell lines write them so, and Windows takes them.

func Join(names ...string) string   { return filepath.ToSlash(filepath.Join(names...)) }
func Clean(path string) string      { return filepath.ToSlash(filepath.Clean(path)) }
func Dir(path string) string        { return filepath.ToSlash(filepath.Dir(path)) }
func VolumeName(path string) string { return filepath.ToSlash(filepath.VolumeName(path)) }

// Rel is that of path/filepath.
func Rel(base, target string) (string, error) {
	rel, err := filepath.Rel(base, target)
	return filepath.ToSlash(rel), err
}

// WalkDir is that of path/filepath.
func WalkDir(root string, fn fs.WalkDirFunc) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		return fn(filepath.ToSlash(path), d, err)
	})
}

// IsAbs reports whether a path says where it begins: one from the root of the drive does, and so
// does one of Git Bash.
func IsAbs(path string) bool {
	return filepath.IsAbs(path) || path != "" && os.IsPathSeparator(path[0])
}

// EvalSymlinks is the path without links. Names are as the disk has them: long, and with their
// own case. Junctions, and drives that stand for a folder, count as links.
func EvalSymlinks(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	return filepath.ToSlash(finalPath(real)), nil
}

// Native is a path as this system writes it: C:/Users for /c/Users.
func Native(path string) string {
	host := ""
	if len(path) > 1 && os.IsPathSeparator(path[0]) && os.IsPathSeparator(path[1]) {
		host, _ = os.Hostname() // unknown: then only localhost is
	}
	return FromWindows(path, host)
}

// finalPath is where a path without symbolic links leads: junctions and drives made by subst
// are followed, which package filepath does not do. A drive of a server stays a drive.
func finalPath(path string) string {
	if !filepath.IsAbs(path) {
		return path
	}
	f, err := createFile(path, 0, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS)
	if err != nil {
		return path
	}
	defer f.Close()
	buf := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetFinalPathNameByHandle(windows.Handle(f), &buf[0], uint32(len(buf)), 0)
	if err != nil || n == 0 || int(n) > len(buf) {
		return path
	}
	if final := Native(windows.UTF16ToString(buf[:n])); !strings.HasPrefix(final, "//") {
		return final
	}
	return path
}

// OnDrive is a path that a program without a shell is given in a folder: /x is on the
// folder's drive.
func OnDrive(path, dir string) string {
	native := Native(path)
	if strings.HasPrefix(native, "/") && !strings.HasPrefix(native, "//") {
		return VolumeName(dir) + native
	}
	return native
}

// Shell is the program that runs lines of gates, checks and hooks: the sh that comes with
// Git for Windows, as in its own hooks.
func Shell() string {
	if path, err := exec.LookPath("sh"); err == nil {
		return path
	}
	if git, err := exec.LookPath("git"); err == nil { // …\Git\cmd\git.exe
		return filepath.Join(filepath.Dir(filepath.Dir(git)), "bin", "sh.exe")
	}
	return filepath.Join(os.Getenv("ProgramFiles"), "Git", "bin", "sh.exe")
}

// RunGroup runs a command. What it has started ends with it when its context does.
func RunGroup(cmd *exec.Cmd) error {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return cmd.Run()
	}
	defer windows.CloseHandle(job)
	cmd.Cancel = func() error { return windows.TerminateJobObject(job, 1) }
	if err := cmd.Start(); err != nil {
		return err
	}
	p, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, uint32(cmd.Process.Pid))
	if err == nil {
		err = windows.AssignProcessToJobObject(job, p)
		_ = windows.CloseHandle(p)
	}
	if err != nil {
		_ = cmd.Process.Kill() // it could not be stopped with what it starts
	}
	return cmd.Wait()
}

// Exec goes on as another program, which runs until this one ends with its exit code. It
// returns only if that cannot be started.
func Exec(path string, args []string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Run(); cmd.ProcessState == nil {
		return err
	}
	os.Exit(cmd.ProcessState.ExitCode())
	return nil
}

// HasFewDescriptors reports whether the process may open few files.
func HasFewDescriptors() bool { return false }

// The variables that name the user's folders.
const (
	HomeVariable  = "USERPROFILE"
	StateVariable = "LOCALAPPDATA"
)

// Groups lists the groups of the user, by their SIDs.
func Groups() ([]string, error) {
	u, err := user.Current()
	if err != nil {
		return nil, err
	}
	return u.GroupIds()
}

// FindHome is the user's home as the system knows it, "" where it does not.
func FindHome() string {
	u, err := user.Current()
	if err != nil {
		return ""
	}
	return u.HomeDir
}

// HasTerminal reports whether a terminal controls this process. Windows does not say.
func HasTerminal() bool { return true }
