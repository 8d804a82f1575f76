package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// landlockVersion is the first that covers truncation (Linux 6.2).
const landlockVersion = 3

// What Landlock keeps from a program, and what of it can be said of a single file.
const (
	fileWrites   = ll.AccessFSWriteFile | ll.AccessFSTruncate
	folderWrites = fileWrites | ll.AccessFSRefer | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile | ll.AccessFSMakeChar |
		ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeBlock |
		ll.AccessFSMakeSym
)

// landlockEngine has this thread give up writing, and with it the program that takes the place of this one. It
// needs no program and no namespace. It covers no modes, owners and times, and keeps no single file.
func landlockEngine() Engine {
	return Engine{Name: "landlock", confine: func(l Limits, argv []string) ([]string, error) {
		if have, err := ll.LandlockGetABIVersion(); err != nil || have < landlockVersion {
			return nil, fmt.Errorf("it needs version %d of the interface, found %d", landlockVersion, max(0, have))
		}
		rules, err := ll.LandlockCreateRuleset(&ll.RulesetAttr{HandledAccessFS: folderWrites}, 0)
		if err != nil {
			return nil, err
		}
		for _, place := range append(l.withoutReadOnly(l.Writable...), "/dev/pts", "/dev/shm", "/dev/null",
			"/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx") {
			if err := allowWrites(rules, place); err != nil {
				return nil, err
			}
		}
		runtime.LockOSThread()
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			return nil, err
		}
		return argv, ll.LandlockRestrictSelf(rules, 0)
	}}
}

// allowWrites adds a place to those in which may be written. One that does not exist, or cannot be reached,
// is left out.
func allowWrites(rules int, place string) error {
	fd, err := unix.Open(place, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	rule := ll.PathBeneathAttr{ParentFd: fd, AllowedAccess: fileWrites}
	var info unix.Stat_t
	if err := unix.Fstat(fd, &info); err == nil && info.Mode&unix.S_IFMT == unix.S_IFDIR {
		rule.AllowedAccess = folderWrites
	}
	if err := ll.LandlockAddPathBeneathRule(rules, &rule, 0); err != nil {
		return fmt.Errorf("allow writing in %s: %w", place, err)
	}
	return nil
}

// withoutReadOnly lists writable places without those that are read-only in them: in
// place of a folder that holds one, what else lies in that folder.
func (l Limits) withoutReadOnly(places ...string) (out []string) {
	for _, place := range places {
		switch {
		case slices.Contains(l.ReadOnly, place):
		case !slices.ContainsFunc(l.ReadOnly, func(p string) bool { return isWithin(p, place) }):
			out = append(out, place)
		default:
			entries, _ := os.ReadDir(place) // nothing is writable in what cannot be listed
			for _, e := range entries {
				out = append(out, l.withoutReadOnly(filepath.Join(place, e.Name()))...)
			}
		}
	}
	return out
}
