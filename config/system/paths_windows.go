package system

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

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
