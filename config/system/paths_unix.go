//go:build unix

package system

import "path/filepath"

// Code that only hands paths to the system may use path/filepath, of which these are here. Code that
// compares paths uses these: on Windows they write slashes.
var (
	Join, Clean, Dir, VolumeName = filepath.Join, filepath.Clean, filepath.Dir, filepath.VolumeName
	Rel, WalkDir                 = filepath.Rel, filepath.WalkDir
	IsAbs, EvalSymlinks          = filepath.IsAbs, filepath.EvalSymlinks
)

// Native is a path as this system writes it: on Windows C:/Users for /c/Users.
func Native(path string) string { return path }

// OnDrive is a path that a program without a shell is given in a folder: on Windows /x is
// on the folder's drive.
func OnDrive(path, _ string) string { return path }
