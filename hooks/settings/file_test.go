package settings

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

func to(text string) func([]byte) ([]byte, error) {
	return func([]byte) ([]byte, error) { return []byte(text), nil }
}

func write(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func wantFile(t *testing.T, path, text string, mode fs.FileMode) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil || string(got) != text {
		t.Errorf("%s: got %q, %v; want %q", path, got, err, text)
	}
	if info, err := os.Lstat(path); err == nil && runtime.GOOS != "windows" && info.Mode() != mode {
		t.Errorf("%s: mode %v, want %v", path, info.Mode(), mode)
	}
}

func wantOnly(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != len(names) {
		t.Errorf("%s holds %v, %v; want %v", dir, entries, err, names)
	}
}

func TestApply(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	backup := path + backupSuffix
	write(t, path, "old", 0o640)
	if got, err := Apply(path, to("old")); got != "" || err != nil {
		t.Fatalf("nothing to change: %q, %v", got, err)
	}
	wantOnly(t, dir, "settings.json")
	got, err := Apply(path, to("new"))
	if got != backup || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
	wantFile(t, path, "new", 0o640)
	wantFile(t, backup, "old", 0o640)
	if _, err := Apply(path, to("")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, backup, "new", 0o640)
	wantOnly(t, dir, filepath.Base(backup))
}

func TestApplyToAMissingFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a", "b", "settings.json")
	backup, err := Apply(path, func(src []byte) ([]byte, error) {
		if src != nil {
			t.Errorf("got %q, want nil", src)
		}
		return []byte("new"), nil
	})
	if backup != "" || err != nil {
		t.Fatalf("got %q, %v", backup, err)
	}
	wantOnly(t, filepath.Dir(path), "settings.json")
	if _, err := Apply(path, to("")); err != nil {
		t.Fatal(err)
	}
	if backup, err := Apply(filepath.Join(dir, "none", "x"), to("")); backup != "" || err != nil {
		t.Errorf("got %q, %v", backup, err)
	}
	wantOnly(t, dir, "a")
}

func TestApplyFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	dir := t.TempDir()
	dotfiles, path := filepath.Join(dir, "dotfiles"), filepath.Join(dir, "settings.json")
	target := filepath.Join(dotfiles, "claude.json")
	for link, to := range map[string]string{path: "second", filepath.Join(dir, "second"): "dotfiles/claude.json",
		filepath.Join(dir, "loop"): "loop"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Apply(path, to("first")); err != nil { // the folder of the target is missing too
		t.Fatal(err)
	}
	write(t, target, "first", 0o600)
	if backup, err := Apply(path, to("new")); backup != path+backupSuffix || err != nil {
		t.Fatalf("got %q, %v", backup, err)
	}
	wantFile(t, target, "new", 0o600)
	wantFile(t, path, "new", fs.ModeSymlink|0o777)
	wantOnly(t, dotfiles, "claude.json")
	if _, err := Apply(filepath.Join(dir, "loop"), to("x")); err == nil {
		t.Error("followed a loop")
	}
}

func TestApplyLeavesTheFileAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.json")
	broken := errors.New("broken")
	for name, test := range map[string]struct{ before, meanwhile, after string }{
		"changed": {"old", "theirs", "theirs"},
		"removed": {"old", "", ""},
		"created": {"", "theirs", "theirs"},
	} {
		os.Remove(path)
		if test.before != "" {
			write(t, path, test.before, 0o644)
		}
		_, err := Apply(path, func([]byte) ([]byte, error) {
			os.Remove(path)
			if test.meanwhile != "" {
				write(t, path, test.meanwhile, 0o644)
			}
			return []byte("ours"), nil
		})
		if got, _ := os.ReadFile(path); err == nil || string(got) != test.after {
			t.Errorf("%s: %v, now %q", name, err, got)
		}
	}
	write(t, path, "old", 0o644)
	if _, err := Apply(path, func([]byte) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	wantFile(t, path, "old", 0o644)
	if _, err := Apply(dir, to("x")); err == nil {
		t.Error("edited a folder")
	}
}

// TestApplyKeepsEmpty: a file that was there and empty stays, one that was not there goes.
func TestApplyKeepsEmpty(t *testing.T) {
	for _, existed := range []bool{true, false} {
		path := filepath.Join(t.TempDir(), "settings.json")
		if existed {
			if err := os.WriteFile(path, nil, 0o640); err != nil {
				t.Fatal(err)
			}
		}
		for _, text := range []string{"ours", ""} {
			if _, err := Apply(path, func([]byte) ([]byte, error) { return []byte(text), nil }); err != nil {
				t.Fatal(err)
			}
		}
		info, err := os.Stat(path)
		if (err == nil) != existed || existed && (info.Size() != 0 || runtime.GOOS != "windows" &&
			info.Mode().Perm() != 0o640) {
			t.Errorf("existed %t: %v %v", existed, info, err)
		}
	}
}
