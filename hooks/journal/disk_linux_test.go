package journal

import (
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
)

// openFiles is how many files this process has open.
func openFiles(t *testing.T) int {
	t.Helper()
	all, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(all)
}

// limitFiles has writes fail behind so many bytes of a file. It returns what takes the limit away.
func limitFiles(t *testing.T, size int) (end func()) {
	t.Helper()
	signal.Ignore(syscall.SIGXFSZ)
	var all syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &all); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: uint64(size), Max: all.Max}); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &all); err != nil {
			t.Fatal(err)
		}
		signal.Reset(syscall.SIGXFSZ)
	}
}

// TestNoRoomToRepair: a journal whose end cannot be repaired is not opened, and no file of it stays open.
func TestNoRoomToRepair(t *testing.T) {
	path := written(t, 2)
	body := bytesOf(t, path)
	put(t, path, body[:len(body)-1])
	before := openFiles(t)
	end := limitFiles(t, len(body)-1)
	_, err := Open(filepath.Dir(path))
	end()
	if err == nil || !strings.Contains(err.Error(), "end the journal's last line: file too large") {
		t.Error(err)
	}
	if n := openFiles(t); n > before {
		t.Errorf("%d files are open, before it were %d", n, before)
	}
	add(t, path, 1)
	whole(t, path, 3)
}

// TestNoFileStaysOpen, neither of the journal nor of its segments, once they are read.
func TestNoFileStaysOpen(t *testing.T) {
	path := rotated(t, 1, 1, 1)
	before := openFiles(t)
	whole(t, path, 5)
	if n := openFiles(t); n > before {
		t.Errorf("%d files are open, before it were %d", n, before)
	}
}

// TestPipeForAJournal: nothing is written to what is no file.
func TestPipeForAJournal(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, Name), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "it is not a regular file") {
		t.Error(err)
	}
}

// TestSync: a record that is to be on the disk and is not fails; one that may come there later does not.
func TestSync(t *testing.T) {
	for _, isSynced := range []bool{false, true} {
		f, err := system.Open("/dev/null", os.O_WRONLY) // which cannot be synced
		if err != nil {
			t.Fatal(err)
		}
		j := &Journal{file: f, codec: new(Codec), Last: &Record{}}
		if err = j.Append(numbered(1), isSynced); (err != nil) != isSynced || j.Seq != 1 {
			t.Errorf("synced %v: record %d, %v", isSynced, j.Seq, err)
		}
		j.Close()
	}
}

// TestSmallDisk: what could not be written whole is taken back, be it a single byte, and what was written before stays.
func TestSmallDisk(t *testing.T) {
	for _, room := range []int{0, 1, 100} {
		path := written(t, 1)
		j := opened(t, path)
		if err := j.Append(numbered(2), false); err != nil {
			t.Fatal(err)
		}
		end := limitFiles(t, len(bytesOf(t, path))+room)
		err := j.Append(numbered(3), false)
		if end(); err == nil {
			t.Fatalf("with room for %d bytes it was written", room)
		}
		whole(t, path, 2)
	}
}
