package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
)

// landlockVersion is the first that covers truncation (Linux 6.2).
const landlockVersion = 3

// landlockEngine has this process give up writing, and what it starts. It needs no program and no
// namespace. It covers no modes, owners and times, and keeps no single file.
func landlockEngine() Engine {
	return Engine{Name: "landlock", confine: func(l Limits, argv []string) ([]string, error) {
		if have, err := ll.LandlockGetABIVersion(); err != nil || have < landlockVersion {
			return nil, fmt.Errorf("it needs version %d of the interface, found %d", landlockVersion, max(0, have))
		}
		rules := []landlock.Rule{landlock.RODirs("/"),
			landlock.RWDirs("/dev/pts", "/dev/shm").IgnoreIfMissing(),
			landlock.RWFiles("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx").IgnoreIfMissing()}
		for _, place := range l.withoutReadOnly() {
			if info, err := os.Stat(place); err != nil {
				continue
			} else if info.IsDir() {
				rules = append(rules, landlock.RWDirs(place).WithRefer())
			} else {
				rules = append(rules, landlock.RWFiles(place))
			}
		}
		return argv, landlock.V3.RestrictPaths(rules...)
	}}
}

// withoutReadOnly lists the writable places without those that are read-only in them: in
// place of a folder that holds one, what else lies in that folder.
func (l Limits) withoutReadOnly() (out []string) {
	for _, dir := range l.Writable {
		out = append(out, listWithout(dir, l.ReadOnly)...)
	}
	return out
}

func listWithout(dir string, not []string) (out []string) {
	switch {
	case slices.Contains(not, dir):
		return nil
	case !slices.ContainsFunc(not, func(p string) bool { return isWithin(p, dir) }):
		return []string{dir}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		out = append(out, listWithout(filepath.Join(dir, e.Name()), not)...)
	}
	return out
}
