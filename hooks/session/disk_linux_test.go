package session

import (
	"errors"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"
)

func init() { roles["small disk"] = smallDisk }

// smallDisk makes an update that cannot be written to its end.
func smallDisk(st Store, _ string) {
	signal.Ignore(syscall.SIGXFSZ)
	info, err := os.Stat(st.Path("s1") + "/journal.jsonl")
	if err != nil {
		fail(err)
	}
	size := uint64(info.Size()) + 100
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: size}); err != nil {
		fail(err)
	}
	if err := st.Update(note(strings.Repeat("x", 200)), count); err != nil {
		fail(err)
	}
}

// TestSmallDisk: a write that ends half-way leaves nothing behind, and its event waits.
func TestSmallDisk(t *testing.T) {
	st := store(t)
	st.must(t, note("one"), count)
	c := start(t, st, "small disk", "", nil)
	var said []string
	for c.out.Scan() {
		said = append(said, c.out.Text())
	}
	if err := c.Wait(); err == nil {
		t.Fatal("it was written")
	}
	if text := strings.Join(said, "\n"); !strings.Contains(text, "append to journal") ||
		!strings.Contains(text, "file too large") {
		t.Errorf("said %q", text)
	}
	st.counted(t, 1)
	if body := read(t, st.file("journal.jsonl")); !strings.HasSuffix(body, "\n") || strings.Count(body, "\n") != 1 {
		t.Errorf("left over: %q", body)
	}
	st.must(t, note("two"), count)
	st.counted(t, 3) // the event that could not be recorded had waited
	if !records(t, st, "s1")[1].Event.Late {
		t.Error("what could not be recorded was not put aside")
	}
	noted(t, records(t, st, "s1")[2].Notes[1:], "")
}

// TestAnchorsComeMeanwhile: anchors of which the file has another length than was read are left for the next time.
func TestAnchorsComeMeanwhile(t *testing.T) {
	if err := replaceAnchors("/proc/self/status", time.Now()); err != nil { // the kernel says that it has no byte
		t.Error(err)
	}
}

// TestFullDisk fills a real file system, and makes room again.
func TestFullDisk(t *testing.T) {
	st := store(t)
	if err := syscall.Mount("none", st.Dir, "tmpfs", 0, "size=96k"); err != nil {
		t.Skipf("no file system can be mounted here (%v); TestSmallDisk has a write fail half-way", err)
	}
	defer func() { _ = syscall.Unmount(st.Dir, 0) }()
	st.must(t, note("first"), to("A"))
	write(t, st.Dir+"/ballast", strings.Repeat("x", 20_000))
	n, err := fill(st)
	if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "no space left on device") {
		t.Fatal(err)
	}
	st.counted(t, n)
	if v := st.view(t); v.Session.Machine.Visit != n {
		t.Fatalf("counted %d of %d", v.Session.Machine.Visit, n)
	}
	fullFor(t, st, n)
	remove(t, st.Dir+"/ballast")
	st.must(t, note("after"), to("C"))
	st.counted(t, n+1)
	if v := st.published(t); v.State != "C" || v.Context["found"] != "what was found in C" {
		t.Errorf("in %s: %q", v.State, v.Context)
	}
}

// fill makes updates until one fails, and returns how many there are.
func fill(st Store) (n int, err error) {
	for n = 1; err == nil && n < 1000; n++ {
		err = st.Update(note(strings.Repeat("x", 900)), count)
	}
	return n - 1, err
}

// fullFor: on a full disk a move fails as a whole and is said, and so is what cannot be
// put aside.
func fullFor(t *testing.T, st Store, n int) {
	t.Helper()
	if err := os.WriteFile(st.Dir+"/rest", []byte(strings.Repeat("x", 8192)), 0o600); err == nil {
		t.Fatal("the disk is not full")
	}
	err := st.Update(note("move"), to(strings.Repeat("B", 5000)))
	fails(t, err, "no space left on device")
	if names, _ := os.ReadDir(st.file("context")); len(names) > 1 {
		t.Errorf("half a text was kept: %v", names)
	}
	st.counted(t, n)
	if v := st.published(t); v.State != "A" {
		t.Errorf("published %s", v.State)
	}
	held(t, st, func() {
		err := Store{Dir: st.Dir}.Update(note(strings.Repeat("y", 9000)), count)
		if !errors.Is(err, ErrBusy) {
			t.Errorf("%v", err)
		}
		fails(t, err, "no space left on device")
	})
	if names, _ := os.ReadDir(st.file("aside")); len(names) > 0 {
		t.Errorf("half an event was put aside: %v", names)
	}
	remove(t, st.Dir+"/rest")
}
