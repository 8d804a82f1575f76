package main

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// On a full disk init leaves no empty config: it would count as one of the user's own.
func TestInitOnFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("none", dir, "tmpfs", 0, "size=16k"); err != nil {
		t.Skipf("needs root: %v", err)
	}
	defer func() { _ = syscall.Unmount(dir, 0) }()
	file := filepath.Join(dir, "pipeline.yaml")
	i := &initialization{invocation: invocation{program: &program{console{out: &bytes.Buffer{}}}}}
	if i.place(file, make([]byte, 1<<20)); i.err == nil || !strings.Contains(i.err.Error(), syscall.ENOSPC.Error()) {
		t.Fatalf("got %v, want no space left", i.err)
	}
	if _, err := os.Stat(file); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("half a file was left: %v", err)
	}
	i.err = nil
	if i.place(file, []byte("version: 1\n")); i.err != nil {
		t.Errorf("a file that fits: %v", i.err)
	}
}
