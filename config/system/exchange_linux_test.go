package system

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestReadCopy: what is being read is not written, however long that takes; what is being
// written is not read.
func TestReadCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "view")
	write := func(text string) {
		t.Helper()
		time.Sleep(3 * readingTime)
		if err := WriteCopy(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	write("1")
	write("2")
	f, err := Open(path, os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := syscall.Flock(int(f), syscall.LOCK_SH); err != nil {
		t.Fatal(err)
	}
	write("3")
	write("4")
	body := make([]byte, 1)
	if _, err := f.ReadAt(body, 0); err != nil || string(body) != "2" {
		t.Errorf("who reads the second reads %q, %v", body, err)
	}
	if body, err := ReadCopy(path); string(body) != "4" || err != nil {
		t.Errorf("read %q, %v", body, err)
	}
	writer, err := Open(path, os.O_RDWR)
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	if err := writer.TryLock(); err != nil {
		t.Fatal(err)
	}
	if body, err := readLocked(path); !errors.Is(err, ErrLocked) {
		t.Errorf("what is written was read: %q, %v", body, err)
	}
	if _, err := ReadCopy(path + ".none"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

// TestExchange: two files take turns, but not while somebody may read the older one.
func TestExchange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "view")
	inode := func() uint64 {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Sys().(*syscall.Stat_t).Ino
	}
	write := func(text string, wait time.Duration) uint64 {
		t.Helper()
		time.Sleep(wait)
		if err := WriteCopy(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		return inode()
	}
	const later = 3 * readingTime
	first := write("1", 0)
	second, third := write("2", later), write("3", later)
	if second == first || third != first {
		t.Errorf("the files were %d, %d and %d: the third was not the first again", first, second, third)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	write("4", later)
	write("5", 0) // too early to write into the third
	if body := make([]byte, 9); true {
		if n, _ := f.Read(body); string(body[:n]) != "3" {
			t.Errorf("who had the third open reads %q", body[:n])
		}
	}
	if err := os.Link(path+".old", path+".link"); err != nil {
		t.Skip(err)
	}
	before, _ := os.ReadFile(path + ".link")
	write("6", later)
	if after, _ := os.ReadFile(path + ".link"); string(after) != string(before) {
		t.Errorf("a file with another name was changed from %q to %q", before, after)
	}
}
