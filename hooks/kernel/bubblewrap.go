package kernel

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// bubblewrap runs the line in a mount namespace. It covers modes, owners and times too, and
// can keep single files in a writable folder.
func bubblewrap(l Limits, argv []string) ([]string, error) {
	program, err := exec.LookPath("bwrap")
	if err != nil {
		return nil, err
	}
	return slices.Concat([]string{program}, bindArguments(l), restrained(l), []string{"--"}, argv), nil
}

// bindArguments mount what is writable and what is read-only, the deeper places later.
func bindArguments(l Limits) []string {
	args := []string{"--ro-bind", "/", "/", "--dev-bind", "/dev", "/dev"}
	binds := map[string]string{}
	for _, dir := range l.Writable {
		binds[dir] = "--bind"
	}
	for _, path := range l.ReadOnly {
		binds[path] = "--ro-bind"
		// A mount point can neither be renamed nor removed: no other folder can take the place of
		// one that leads to the file.
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			if l.MayWrite(dir) && binds[dir] == "" {
				binds[dir] = "--bind"
			}
		}
	}
	if l.AnyPlace() {
		args = []string{"--dev-bind", "/", "/"}
		delete(binds, "/")
	}
	for _, place := range slices.Sorted(maps.Keys(binds)) { // a folder before what is in it
		args = append(args, binds[place], place, place)
	}
	return args
}

// MayWrite reports whether the deepest place that holds a folder is a writable one.
func (l Limits) MayWrite(dir string) bool {
	deepest, writable := -1, false
	for i, list := range [][]string{l.Writable, l.ReadOnly} {
		for _, place := range list {
			if isWithin(dir, place) && len(place) >= deepest {
				deepest, writable = len(place), i == 0
			}
		}
	}
	return writable
}

// restrained are further arguments where root runs the line, which could undo the mounts. A line that
// may write nowhere but in its places is root of a namespace of its own. One that may write
// everywhere has to stay root, to install packages and to change owners: it lacks what undoes
// mounts, and does not see the process outside of them, which waits for it under our process id.
func restrained(l Limits) (args []string) {
	switch {
	case os.Geteuid() != 0:
		return nil
	case !l.AnyPlace():
		return []string{"--unshare-user"}
	}
	for _, name := range []string{"SYS_ADMIN", "SYS_PTRACE", "SYS_MODULE", "SYS_RAWIO", "MKNOD", "BPF"} {
		args = append(args, "--cap-drop", "CAP_"+name)
	}
	return append(args, "--tmpfs", fmt.Sprintf("/proc/%d", os.Getpid()))
}
