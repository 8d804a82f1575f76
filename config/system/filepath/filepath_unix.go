//go:build unix

package filepath

func slashed(path string) string { return path }

func finalPath(path string) string { return path }

// Native is a path as this system writes it: on Windows C:/Users for /c/Users.
func Native(path string) string { return path }

// OnDrive is a path that a program without a shell is given in a folder: on Windows /x is
// on the folder's drive.
func OnDrive(path, _ string) string { return path }
