package filepath

import (
	"path/filepath"
	"strings"
)

func slashed(path string) string { return filepath.ToSlash(path) }

// Native is a path as this system writes it: C:/Users for /c/Users.
func Native(path string) string { return fromWindows(path) }

// OnDrive is a path that a program without a shell is given in a folder: /x is on the
// folder's drive.
func OnDrive(path, dir string) string {
	native := fromWindows(path)
	if strings.HasPrefix(native, "/") && !strings.HasPrefix(native, "//") {
		return VolumeName(dir) + native
	}
	return native
}

// Join joins names to a path.
func Join(names ...string) string { return slashed(filepath.Join(names...)) }

// Clean is the shortest form of a path.
func Clean(path string) string { return slashed(filepath.Clean(path)) }

// Dir is a path without its last name.
func Dir(path string) string { return slashed(filepath.Dir(path)) }

// Base is the last name of a path.
func Base(path string) string { return slashed(filepath.Base(path)) }

// Split splits a path before its last name.
func Split(path string) (dir, file string) { return filepath.Split(slashed(path)) }

// IsAbs reports whether a path says where it begins. One from the root of the drive does,
// and so does one of Git Bash.
func IsAbs(path string) bool {
	return filepath.IsAbs(path) || path != "" && (path[0] == '/' || path[0] == '\\')
}

// VolumeName is the drive of a path.
func VolumeName(path string) string { return slashed(filepath.VolumeName(path)) }
