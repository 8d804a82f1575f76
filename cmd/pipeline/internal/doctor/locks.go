package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// locks: does a call that hangs keep the others from being judged? A lock goes with the last process that has it open,
// so a process that died can only leave it to a child.
func (x *exam) locks() []Finding {
	items, err := x.Store.List()
	if err != nil {
		return []Finding{problem("see the lines on state", "%v", err)}
	}
	var found []Finding
	for _, i := range items {
		if f, held := x.held(i.ID); held {
			found = append(found, f)
		}
	}
	return append(orFine(found, "%d session(s), none is held by a call that hangs", len(items)), x.aside()...)
}

// hung is how long a call may hold a lock: one takes milliseconds.
const hung = 2 * time.Second

func (x *exam) held(id string) (Finding, bool) {
	path := filepath.Join(x.Store.Path(id), "lock")
	patience := min(x.Patience, hung)
	err := free(path, patience)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return Finding{}, false
	case !errors.Is(err, syscall.EWOULDBLOCK):
		return problem("chmod 0600 "+path, "session %s: its lock cannot be tried: %v", id, err), true
	}
	remedy, who := "restart the client", "a process that cannot be told"
	if pids := holders(path); len(pids) > 0 {
		var names, ids []string
		for _, pid := range pids {
			names, ids = append(names, fmt.Sprintf("process %d (%s)", pid, commandOf(pid))), append(ids, strconv.Itoa(pid))
		}
		remedy, who = "kill "+strings.Join(ids, " "), strings.Join(names, ", ")
	}
	return problem(remedy, "session %s: its lock has been held for %s by %s: its calls are let pass unjudged", id, patience, who), true
}

// free waits for a lock, takes it and gives it back at once.
func free(path string, patience time.Duration) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	for end := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EWOULDBLOCK) || time.Now().After(end) {
			return err
		}
	}
}

// holders are the processes that have a file open, as far as we may see (Linux: /proc).
func holders(path string) []int {
	want, err := os.Stat(path)
	if err != nil {
		return nil
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	var out []int
	for _, l := range links {
		pid, err := strconv.Atoi(strings.Split(l, "/")[2])
		if err != nil || pid == os.Getpid() || len(out) > 0 && out[len(out)-1] == pid {
			continue
		}
		if info, err := os.Stat(l); err == nil && os.SameFile(info, want) {
			out = append(out, pid)
		}
	}
	return out
}

func commandOf(pid int) string {
	body, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		return "unknown"
	}
	return oneLine(strings.TrimSpace(strings.ReplaceAll(string(body), "\x00", " ")))
}

// forgotten is how long an event may wait for the next call of its session before it is worth a word.
const forgotten = 10 * time.Minute

// aside: events that had to wait for a lock and that nobody has played since.
func (x *exam) aside() []Finding {
	names, _ := filepath.Glob(filepath.Join(x.Store.Dir, "sessions", "*", "aside", "*.json"))
	var found []Finding
	waiting := map[string]int{}
	for _, n := range names {
		if info, err := os.Stat(n); err == nil && x.Now.Sub(info.ModTime()) > forgotten {
			waiting[filepath.Base(filepath.Dir(filepath.Dir(n)))]++
		}
	}
	for _, id := range sorted(waiting) {
		found = append(found, warn("go on with that session (claude -r "+id+"): its next call records them", "session %s: %d event(s) that could not wait for its lock are not recorded yet", id, waiting[id]))
	}
	return found
}
