package filepath

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/windows"
)

func slashed(path string) string { return filepath.ToSlash(path) }

// Native is a path as this system writes it: C:/Users for /c/Users.
func Native(path string) string {
	host := ""
	if len(path) > 1 && os.IsPathSeparator(path[0]) && os.IsPathSeparator(path[1]) {
		host, _ = os.Hostname() // unknown: then only localhost is
	}
	return fromWindows(path, host)
}

// finalPath is where a path without symbolic links leads: junctions and drives made by subst
// are followed, which package filepath does not do. A drive of a server stays a drive.
func finalPath(path string) string {
	name, err := windows.UTF16PtrFromString(path)
	if err != nil || !filepath.IsAbs(path) {
		return path
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	h, err := windows.CreateFile(name, 0, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return path
	}
	defer windows.CloseHandle(h)
	buf := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetFinalPathNameByHandle(h, &buf[0], uint32(len(buf)), 0)
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
