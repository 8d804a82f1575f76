// Package filepath is path/filepath with slashes on every system. Rules, guards and shell
// lines write paths with slashes, and Windows takes them. On other systems each function
// is the one of path/filepath.
//
// Code that only hands paths to the system may use path/filepath. Code that compares
// paths uses this package.
package filepath

import (
	"io/fs"
	"path/filepath"
	"strings"
)

// WalkDir walks a tree as in path/filepath. The paths begin with root as it is given.
func WalkDir(root string, fn fs.WalkDirFunc) error {
	return filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		return fn(slashed(path), d, err)
	})
}

// Ext is the suffix of a name.
func Ext(path string) string { return filepath.Ext(path) }

// IsLocal reports whether a path stays below the folder that it is relative to.
func IsLocal(path string) bool { return filepath.IsLocal(path) }

// SplitList splits the value of a variable such as PATH.
func SplitList(list string) []string { return filepath.SplitList(list) }

// ToSlash writes a path with slashes.
func ToSlash(path string) string { return filepath.ToSlash(path) }

// Abs is the absolute path, seen from the working directory.
func Abs(path string) (string, error) {
	abs, err := filepath.Abs(path)
	return slashed(abs), err
}

// Rel is the path of target as seen from base.
func Rel(base, target string) (string, error) {
	rel, err := filepath.Rel(base, target)
	return slashed(rel), err
}

// EvalSymlinks is the path without links. On Windows names are as the disk has them: long,
// and with their own case.
func EvalSymlinks(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	return slashed(real), err
}

// Glob lists the files that a pattern matches.
func Glob(pattern string) ([]string, error) {
	names, err := filepath.Glob(pattern)
	for i, name := range names {
		names[i] = slashed(name)
	}
	return names, err
}

// fromWindows writes a path as one that Windows understands and that can be compared:
// C:/Users/me for \\?\c:\Users\me, and for /c/Users/me, as Git Bash writes it. Windows
// ignores dots and blanks at the end of a name, and a stream behind a colon is the file's.
func fromWindows(p string) string {
	p = strings.ReplaceAll(p, `\`, "/")
	for _, device := range [...]string{"//?/", "//./"} {
		p = strings.TrimPrefix(p, device)
	}
	for _, mount := range [...]string{"/cygdrive/", "/mnt/", "/"} {
		if rest, ok := strings.CutPrefix(p, mount); ok && len(rest) > 0 && isLetter(rest[0]) &&
			(len(rest) == 1 || rest[1] == '/') {
			p = rest[:1] + ":/" + strings.TrimPrefix(rest[1:], "/")
			break
		}
	}
	drive := ""
	if len(p) > 1 && p[1] == ':' && isLetter(p[0]) {
		drive, p = strings.ToUpper(p[:1])+":", p[2:]
		if !strings.HasPrefix(p, "/") {
			drive = "" // seen from where we are on that drive
		}
	}
	names := strings.Split(p, "/")
	for i := len(names) - 1; i > 0; i-- { // the last drive counts: C:/x/D:/y is a cd to D:/y
		if len(names[i]) == 2 && names[i][1] == ':' && isLetter(names[i][0]) {
			return fromWindows(strings.Join(names[i:], "/"))
		}
	}
	for i, name := range names {
		name, _, _ = strings.Cut(name, ":")
		if short := strings.TrimRight(name, ". "); short != "" {
			names[i] = short
		} else if name != "." && name != ".." && name != "" {
			names[i] = "." // only dots and blanks: the folder itself
		}
	}
	return drive + strings.Join(names, "/")
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
