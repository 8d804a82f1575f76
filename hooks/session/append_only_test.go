package session

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSeal: a finished segment cannot be changed or removed, until the flag is taken
// away. Where the file system or the user's rights do not allow it, the error says so
// and nothing else happens.
func TestSeal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "journal.1.jsonl.gz")
	live := filepath.Join(dir, "journal.jsonl")
	for _, f := range []string{path, live} {
		if err := os.WriteFile(f, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := setAppendOnly(dir, true)
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOTTY) || errors.Is(err, syscall.EOPNOTSUPP) {
		if os.WriteFile(path, []byte("y"), 0o600) != nil {
			t.Error("not sealed, and not writable either")
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if os.WriteFile(path, []byte("y"), 0o600) == nil || os.Remove(path) == nil {
		t.Error("the sealed segment was changed")
	}
	if err := os.WriteFile(live, []byte("y"), 0o600); err != nil {
		t.Errorf("the live journal was sealed too: %v", err)
	}
	if err := setAppendOnly(dir, false); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Error(err)
	}
}
