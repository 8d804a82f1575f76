package kernel

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// What Landlock keeps from a program, and what of it can be said of a single file. It covers truncation since version 3
// of the interface (Linux 6.2).
const (
	fileWrites   landlock.AccessFSSet = ll.AccessFSWriteFile | ll.AccessFSTruncate
	folderWrites                      = fileWrites | ll.AccessFSRefer | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile |
		ll.AccessFSMakeChar | ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo |
		ll.AccessFSMakeBlock | ll.AccessFSMakeSym
)

// restrict has this process give up writing by Landlock, and with it the program that takes its place. It
// needs no program and no namespace. It covers no modes, owners and times, and keeps no single file.
func restrict(l Limits, argv []string) ([]string, error) {
	var rules []landlock.Rule
	for _, place := range append(l.withoutReadOnly(l.Writable...), "/dev/pts", "/dev/shm", "/dev/null", "/dev/zero",
		"/dev/full", "/dev/tty", "/dev/ptmx") {
		info, err := os.Stat(place)
		if err != nil { // it does not exist, or cannot be reached
			continue
		}
		access := fileWrites
		if info.IsDir() {
			access = folderWrites
		}
		rules = append(rules, landlock.PathAccess(access, place).IgnoreIfMissing())
	}
	return argv, landlock.MustConfig(folderWrites).Restrict(rules...)
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
				if e.Type() != os.ModeSymlink { // Landlock would open where it leads, which may be read-only
					out = append(out, l.withoutReadOnly(filepath.Join(place, e.Name()))...)
				}
			}
		}
	}
	return out
}
