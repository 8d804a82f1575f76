//go:build unix

package system

import (
	"context"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// An owned file is one of some user, group and mode.
type owned struct {
	uid, gid uint32
	mode     fs.FileMode
	unknown  bool // whose it is cannot be known
}

func (o owned) Sys() any {
	if o.unknown {
		return nil
	}
	return &syscall.Stat_t{Uid: o.uid, Gid: o.gid}
}
func (o owned) Mode() fs.FileMode { return o.mode }
func (o owned) IsDir() bool       { return o.mode.IsDir() }
func (owned) Name() string        { return "x" }
func (owned) Size() int64         { return 0 }
func (owned) ModTime() time.Time  { return time.Time{} }

// TestIsRootsAlone: whoever may write a file or a folder decides what runs.
func TestIsRootsAlone(t *testing.T) {
	for name, c := range map[string]struct {
		info owned
		want bool
	}{
		"root's":                            {owned{mode: 0o755}, true},
		"root's, and its group's":           {owned{mode: 0o775}, true},
		"root's, and another group's":       {owned{gid: 7, mode: 0o775}, false},
		"root's, which another group reads": {owned{gid: 7, mode: 0o755}, true},
		"root's, and everybody's":           {owned{mode: 0o757}, false},
		"a user's":                          {owned{uid: 7, mode: 0o700}, false},
		"nobody knows whose":                {owned{mode: 0o700, unknown: true}, false},
		"a folder for all, each his own":    {owned{mode: fs.ModeDir | fs.ModeSticky | 0o777}, true},
		"a folder for all":                  {owned{mode: fs.ModeDir | 0o777}, false},
		"a file for all with that bit":      {owned{mode: fs.ModeSticky | 0o777}, false},
	} {
		if got := IsRootsAlone(c.info); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestOwner(t *testing.T) {
	me := os.Geteuid()
	if info, err := Stat(t.TempDir()); err != nil || info.Owner != me || !info.IsPrivate {
		t.Errorf("one's own folder: %+v, %v", info, err)
	}
	other := newInfo(&syscall.Stat_t{Uid: uint32(me + 7), Mode: syscall.S_IFREG | 0o600})
	if other.Owner != me+7 || other.IsPrivate {
		t.Errorf("another's file: %+v", other)
	}
	if open := newInfo(&syscall.Stat_t{Uid: uint32(me), Mode: syscall.S_IFDIR | 0o777}); open.IsPrivate {
		t.Errorf("a folder for all: %+v", open)
	}
}

// TestFindProgram: a program is a file that can run.
func TestFindProgram(t *testing.T) {
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"runs": 0o755, "lies": 0o644} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, mode); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]bool{"runs": true, "lies": false, ".": false, "missing": false} {
		path := filepath.Join(dir, name)
		if file, ok := FindProgram(path); ok != want || file != path {
			t.Errorf("%s: %q, %v", name, file, ok)
		}
	}
}

// TestRunGroup: what a program has started ends with it, when its time is over.
func TestRunGroup(t *testing.T) {
	if err := RunGroup(exec.CommandContext(t.Context(), "sh", "-c", "exit 3")); err == nil {
		t.Error("a failure is none")
	}
	file := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 500 {
			if body, err := os.ReadFile(file); err == nil && len(body) > 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	if err := RunGroup(exec.CommandContext(ctx, "sh", "-c", "sleep 60 & echo $! >"+file+"; wait")); err == nil {
		t.Error("it was not ended")
	}
	body, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	stat := filepath.Join("/proc", string(slices.DeleteFunc(body, func(b byte) bool { return b == '\n' })), "stat")
	for range 200 {
		if body, err := os.ReadFile(stat); err != nil || slices.Contains(body, 'Z') {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := os.Stat("/proc/self"); err == nil {
		t.Error("its child runs on")
	}
}
