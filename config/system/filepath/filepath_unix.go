//go:build unix

package filepath

import "path/filepath"

func slashed(path string) string { return path }

func finalPath(path string) string { return path }

// Native is a path as this system writes it: on Windows C:/Users for /c/Users.
func Native(path string) string { return path }

// OnDrive is a path that a program without a shell is given in a folder: on Windows /x is
// on the folder's drive.
func OnDrive(path, _ string) string { return path }

// Join joins names to a path.
func Join(names ...string) string { return filepath.Join(names...) }

// Clean is the shortest form of a path.
func Clean(path string) string { return filepath.Clean(path) }

// Dir is a path without its last name.
func Dir(path string) string { return filepath.Dir(path) }

// Base is the last name of a path.
func Base(path string) string { return filepath.Base(path) }

// Split splits a path before its last name.
func Split(path string) (dir, file string) { return filepath.Split(path) }

// IsAbs reports whether a path says where it begins.
func IsAbs(path string) bool { return filepath.IsAbs(path) }

// VolumeName is the drive of a path: none on this system.
func VolumeName(string) string { return "" }
