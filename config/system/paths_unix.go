//go:build unix

package system

import (
	"io/fs"
	"path/filepath"
)

// Code that only hands paths to the system may use path/filepath, of which these are here. Code that
// compares paths uses these: on Windows they write slashes.

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
