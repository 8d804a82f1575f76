package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks/session"
)

// checkLocks: does a call that hangs keep others from being judged? A lock ends with the last
// process that has it open, so a process that died can only leave it to a child.
func checkLocks(x *exam) []Finding {
	if x.sessionsErr != nil {
		return []Finding{problem("see the findings of state", "%v", x.sessionsErr)}
	}
	var found []Finding
	for _, i := range x.sessions {
		if f, held := checkLock(x.Store, i.ID, min(x.Patience, maxHeld)); held {
			found = append(found, f)
		}
	}
	return append(orPass(found, "%d session(s), none is held by a call that hangs", len(x.sessions)), checkSpool(x)...)
}

// maxHeld is how long a call may hold a lock: a call takes milliseconds.
const maxHeld = 2 * time.Second

func checkLock(store session.Store, id string, patience time.Duration) (Finding, bool) {
	path := filepath.Join(store.Path(id), "lock")
	err := tryLock(path, patience)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return Finding{}, false
	case !errors.Is(err, system.ErrLocked):
		return problem("chmod 0600 "+path, "session %s: its lock cannot be tried: %v", id, err), true
	}
	remedy, holder := "restart the client", "an unknown process"
	if pids := findHolders(path); len(pids) > 0 {
		var names, ids []string
		for _, pid := range pids {
			names = append(names, fmt.Sprintf("process %d (%s)", pid, readCommandLine(pid)))
			ids = append(ids, strconv.Itoa(pid))
		}
		remedy, holder = "kill "+strings.Join(ids, " "), strings.Join(names, ", ")
	}
	return problem(remedy, "session %s: its lock has been held for %s by %s: its calls pass unjudged",
		id, patience, holder), true
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

// findHolders are the processes that have a file open, as far as we may see.
func findHolders(path string) []int {
	file, err := system.Stat(path)
	if err != nil {
		return nil
	}
	return system.ReadProcesses().Holders(file)
}

func readCommandLine(pid int) string {
	args := system.ReadProcesses().Args(pid)
	if len(args) == 0 {
		return "unknown"
	}
	return oneLine(strings.Join(args, " "))
}

// maxSpooled is how long an event may wait for the next call of its session.
const maxSpooled = 10 * time.Minute

// checkSpool: have events that had to wait for a lock been recorded since?
func checkSpool(x *exam) []Finding {
	names, _ := filepath.Glob(filepath.Join(x.Store.Dir, "sessions", "*", "aside", "*.json"))
	var found []Finding
	waiting := map[string]int{}
	for _, n := range names {
		if info, err := os.Stat(n); err == nil && x.Now.Sub(info.ModTime()) > maxSpooled {
			waiting[filepath.Base(filepath.Dir(filepath.Dir(n)))]++
		}
	}
	for _, id := range slices.Sorted(maps.Keys(waiting)) {
		found = append(found, warn("continue that session (claude -r "+id+"): its next call records them",
			"session %s: %d event(s) that could not wait for its lock are not recorded yet", id, waiting[id]))
	}
	return found
}
