package journal

import (
	"os/signal"
	"syscall"
	"testing"
)

// TestSmallDisk: what could not be written whole is taken back, be it a single byte, and what was written before stays.
func TestSmallDisk(t *testing.T) {
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var all syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &all); err != nil {
		t.Fatal(err)
	}
	for _, room := range []int{0, 1, 100} {
		path := written(t, 1)
		j := opened(t, path)
		if err := j.Append(numbered(2), false); err != nil {
			t.Fatal(err)
		}
		small := syscall.Rlimit{Cur: uint64(len(bytesOf(t, path)) + room), Max: all.Max}
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
			t.Fatal(err)
		}
		err := j.Append(numbered(3), false)
		if reset := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &all); err == nil || reset != nil {
			t.Fatalf("with room for %d bytes: %v, %v", room, err, reset)
		}
		whole(t, path, 2)
	}
}
