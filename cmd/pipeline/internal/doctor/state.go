package doctor

import (
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
	"github.com/agent-pipeline/pipeline/hooks/visible"
)

// checkState: can events be recorded, and by us alone?
func checkState(x *exam) {
	for _, dir := range slices.Compact([]string{x.State, x.Opened.Project.Home, x.Store.Dir}) {
		if dir == "" {
			continue
		}
		if checkFolder(x, dir); CountProblems(x.findings) > 0 {
			return // what is below it fails too
		}
	}
	if _, err := os.Stat(x.Store.Dir); err != nil {
		x.orPass("%s: not there yet, and can be made", x.Store.Dir)
		return
	}
	var damaged findings          // journals that were removed, cut or damaged
	gone, _ := x.Store.Vanished() // what cannot be read is reported by audit verify
	for _, id := range gone {
		damaged.warn("pipeline audit verify", "the folder of session %s was removed", id)
	}
	for _, i := range x.sessions {
		if faults := x.Store.Faults(i.ID); len(faults) > 0 {
			damaged.warn("pipeline audit verify --session "+i.ID, "the journal of session %s: %s", i.ID,
				faults[len(faults)-1])
		}
	}
	x.findings = append(x.findings, damaged[:min(len(damaged), 5)]...)
	switch left, noFiles, err := system.FreeSpace(x.Store.Dir); {
	case err != nil: // it is not there yet
	case left < 1<<20 || noFiles:
		x.problem("make room", "%s: the file system is full", x.Store.Dir)
	case left < 50<<20: // a session needs far less
		x.warn("make room", "%s: only %d MB are left", x.Store.Dir, left>>20)
	}
	x.orPass("%s: private to this user, and writable", x.Store.Dir)
}

// checkFolder: it is a folder or can be made, is ours, closed to others, and writable.
func checkFolder(x *exam, dir string) {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist): // then in the nearest folder above it that is there
		var up string
		for up = range system.Upward(dir) {
			if _, err := os.Lstat(up); err == nil {
				break
			}
		}
		if info, err = os.Stat(up); err == nil && !info.IsDir() {
			err = &fs.PathError{Op: "make a folder in", Path: up, Err: syscall.ENOTDIR}
		}
		if err == nil {
			err = TryWriting(up)
		}
		if err != nil {
			x.problem("make this work: mkdir -p "+dir, "%s is not there and cannot be made: %v", dir, err)
		}
		return
	case err != nil:
		x.problem("make this work: mkdir -p "+dir,
			"%v: no session can be kept, so nothing that depends on a state is enforced", err)
		return
	case !info.IsDir():
		x.problem("mv "+dir+" "+dir+".old", "%s is not a folder: no session can be kept in it", dir)
		return
	}
	if st, _ := system.Stat(dir); st.Owner != os.Geteuid() {
		x.problem("run as its owner, or: sudo chown -R $(id -u) "+dir,
			"%s belongs to user %d, and this is user %d", dir, st.Owner, os.Geteuid())
	} else if err := TryWriting(dir); err != nil {
		explainUnwritable(x, dir, err)
	} else if st.Perm&0o077 != 0 {
		x.warn("chmod 0700 "+dir, "%s has mode %04o: others can read the context of your agents", dir, st.Perm)
	}
}

func explainUnwritable(x *exam, dir string, err error) {
	remedy := "chmod u+rwx " + dir
	switch {
	case errors.Is(err, syscall.EROFS):
		remedy = "set XDG_STATE_HOME, or `dir` in the config, to a folder that can be written to"
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		remedy = "make room"
	}
	x.problem(remedy, "%s cannot be written to: %v: no session can be kept in it", dir, err)
}

// TryWriting writes a file into a folder and removes it.
func TryWriting(dir string) error {
	f, err := os.CreateTemp(dir, ".doctor-")
	if err != nil {
		var p *fs.PathError
		if errors.As(err, &p) {
			err = p.Err // without the name of the file that was tried
		}
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.WriteString("canary")
	return errors.Join(err, f.Close())
}

// checkErrors: has pipeline itself failed in the last days, other than at canaries?
func checkErrors(x *exam) {
	home, since := x.Opened.Project.Home, x.Now.Add(-week)
	all, err := hooks.ErrorLog{Home: home}.ReadErrors()
	all = slices.DeleteFunc(all, func(e hooks.OwnError) bool {
		return !e.Time.After(since) || strings.HasPrefix(e.Session, CanaryPrefix)
	})
	switch n := len(all); {
	case err != nil:
		x.warn("see the findings of state", "errors.jsonl cannot be read: %v", err)
	case n > 0:
		x.warn("less "+system.Join(home, "errors.jsonl"),
			"%s of pipeline itself in the last 7 days, the last: %s", visible.Count(n, "error"),
			oneLine(all[n-1].Error))
	}
	crashes := slices.DeleteFunc(system.Glob(home, "crashes/*.txt"), func(name string) bool {
		info, err := os.Stat(name)
		return err != nil || !info.ModTime().After(since)
	})
	if n := len(crashes); n > 0 {
		x.warn("less "+crashes[n-1], "%d crash(es) of pipeline in the last 7 days: please report the newest", n)
	}
	x.orPass("pipeline itself has not failed in the last 7 days")
}

// checkLocks: does a call that hangs keep others from being judged? A lock ends with the last
// process that has it open, so a process that died can only leave it to a child.
func checkLocks(x *exam) {
	if x.sessionsErr != nil {
		x.problem("see the findings of state", "%v", x.sessionsErr)
		return
	}
	const maxHeld = 2 * time.Second // a call takes milliseconds
	patience := min(x.Patience, maxHeld)
	for _, i := range x.sessions {
		path := system.Join(x.Store.Path(i.ID), "lock")
		switch err := tryLock(path, patience); {
		case err == nil || errors.Is(err, fs.ErrNotExist):
		case errors.Is(err, system.ErrLocked):
			x.problem("restart the client, or end the process that fuser "+path+" names",
				"session %s: its lock has been held for %s: its calls are judged as last written, "+
					"and wait to be recorded", i.ID, patience)
		default:
			x.problem("chmod 0600 "+path, "session %s: its lock cannot be tried: %v", i.ID, err)
		}
	}
	x.orPass("%s, no lock is held by a hanging call", visible.Count(len(x.sessions), "session"))
	const maxSpooled = 10 * time.Minute // how long an event may wait for the next call of its session
	waiting := map[string]int{}
	for _, n := range system.Glob(x.Store.Dir, "sessions/*/aside/*.json") {
		if info, err := os.Stat(n); err == nil && x.Now.Sub(info.ModTime()) > maxSpooled {
			waiting[filepath.Base(system.Dir(system.Dir(n)))]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(waiting)) {
		x.warn("continue that session (claude -r "+id+"): its next call records them",
			"session %s: not recorded yet: %s that could not wait for its lock", id,
			visible.Count(waiting[id], "event"))
	}
}

// tryLock waits for a lock, takes it and gives it back at once.
func tryLock(path string, patience time.Duration) error {
	f, err := system.Open(path, os.O_RDWR)
	if err != nil {
		return err
	}
	defer f.Close()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := f.TryLock()
		if !errors.Is(err, system.ErrLocked) || time.Now().After(end) {
			return err
		}
	}
}
