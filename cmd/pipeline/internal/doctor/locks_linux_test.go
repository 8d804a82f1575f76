package doctor

import (
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// TestLockOfADeadProcess: who took the lock is gone, and a child of his holds it.
func TestLockOfADeadProcess(t *testing.T) {
	w := healthy(t)
	w.Patience = 200 * time.Millisecond
	dir := w.Store.Path("s1")
	w.write(dir+"/journal.jsonl", "")
	w.write(dir+"/lock", "")
	w.want("locks", OK, "1 session, no lock is held")
	lock, err := os.OpenFile(dir+"/lock", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	child := exec.Command("/bin/sleep", "600")
	child.ExtraFiles = []*os.File{lock}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	lock.Close()
	w.want("locks", Problem, "session s1: its lock has been held for 200ms")
}
