package settings

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// fileIn is a file of which the word ours is ours.
func fileIn(dir, name string) File {
	return File{Path: filepath.Join(dir, name), State: filepath.Join(dir, "state"),
		Strip: func(src []byte) ([]byte, error) {
			return bytes.ReplaceAll(src, []byte("ours"), nil), nil
		}}
}

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

func TestEditFile(t *testing.T) {
	dir := t.TempDir()
	f := fileIn(dir, "settings.json")
	write(t, f.Path, "old", 0o640)
	if kept, changed, err := f.Edit(to("old")); kept != "" || changed || err != nil {
		t.Fatalf("nothing to change: %q, %v", kept, err)
	}
	wantOnly(t, dir, "settings.json")
	kept, changed, err := f.Edit(to("old, ours"))
	if filepath.Dir(filepath.Dir(kept)) != f.State || !changed || err != nil {
		t.Fatalf("got %q, %v", kept, err)
	}
	wantFile(t, f.Path, "old, ours", 0o640)
	if body, err := os.ReadFile(kept); err != nil || !bytes.HasSuffix(body, []byte("\nold")) {
		t.Errorf("kept: %v %s", err, body)
	}
	if _, changed, err := f.Edit(); !changed || err != nil {
		t.Fatal(changed, err)
	}
	wantFile(t, f.Path, "old", 0o640)
	wantOnly(t, filepath.Dir(kept))
	if _, changed, err := f.Edit(); changed || err != nil {
		t.Errorf("a second time: %v %v", changed, err)
	}
}

// TestOriginal: the original comes back after several installations too, but not over what somebody has written since.
// What is damaged in our state does not come back.
func TestOriginal(t *testing.T) {
	for name, test := range map[string]struct {
		steps []string // each written by us, or after a > by a person
		want  string
	}{
		"once":              {[]string{"x ours"}, "old"},
		"twice":             {[]string{"x ours", "y ours"}, "old"},
		"taken back":        {[]string{"x ours", ">old"}, "old"},
		"edited":            {[]string{"x ours", ">x ours mine"}, "x  mine"},
		"edited and again":  {[]string{"x ours", ">x ours mine", "x ours2 mine"}, "x  mine"},
		"edited and undone": {[]string{"x ours", ">mine", ">x ours"}, "old"},
	} {
		for _, broken := range []bool{false, true} {
			dir := t.TempDir()
			f := fileIn(dir, "settings.json")
			write(t, f.Path, "old", 0o644)
			for _, text := range test.steps {
				if theirs, ok := strings.CutPrefix(text, ">"); ok {
					write(t, f.Path, theirs, 0o644)
				} else if _, _, err := f.Edit(to(text)); err != nil {
					t.Fatal(err)
				}
			}
			want := test.want
			if broken {
				body, _ := os.ReadFile(f.Path)
				stripped, _ := f.Strip(body)
				want = string(stripped)
				records, _ := filepath.Glob(filepath.Join(f.State, "settings", "*"))
				for _, record := range records {
					body, _ := os.ReadFile(record)
					write(t, record, string(body)+"!", 0o600)
				}
			}
			if _, _, err := f.Edit(); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(f.Path); err != nil || string(got) != want {
				t.Errorf("%s, broken %t: %v %q, want %q", name, broken, err, got, want)
			}
		}
	}
}

// TestStopBetweenWrites: our state is written first. Where the settings are not, nothing is lost.
func TestStopBetweenWrites(t *testing.T) {
	dir := t.TempDir()
	f := fileIn(dir, "settings.json")
	write(t, f.Path, "old", 0o644)
	if _, _, err := f.Edit(to("first ours")); err != nil {
		t.Fatal(err)
	}
	kept, _, err := f.Edit(to("second ours"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, f.Path, "first ours", 0o644) // as it was when the state was written
	if _, _, err := f.Edit(); err != nil {
		t.Fatal(err)
	}
	wantFile(t, f.Path, "old", 0o644)
	wantOnly(t, filepath.Dir(kept))
}

func TestEditMissingFile(t *testing.T) {
	dir := t.TempDir()
	f := fileIn(dir, "a/b/settings.json")
	kept, _, err := f.Edit(func(src []byte) ([]byte, error) {
		if src != nil {
			t.Errorf("got %q, want nil", src)
		}
		return []byte("new"), nil
	})
	if kept != "" || err != nil {
		t.Fatalf("got %q, %v", kept, err)
	}
	wantOnly(t, filepath.Dir(f.Path), "settings.json")
	if _, _, err := f.Edit(); err != nil {
		t.Fatal(err)
	}
	wantOnly(t, filepath.Dir(f.Path))
	f.Path = filepath.Join(dir, "none", "x")
	if _, changed, err := f.Edit(); changed || err != nil {
		t.Errorf("got %v, %v", changed, err)
	}
	wantOnly(t, dir, "a", "state")
}

func TestEditFollowsLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a right there")
	}
	dir := t.TempDir()
	f := fileIn(dir, "settings.json")
	dotfiles, target := filepath.Join(dir, "dotfiles"), filepath.Join(dir, "dotfiles", "claude.json")
	for link, to := range map[string]string{f.Path: "second", filepath.Join(dir, "second"): "dotfiles/claude.json",
		filepath.Join(dir, "loop"): "loop"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	if _, _, err := f.Edit(to("first")); err != nil { // the folder of the target is missing too
		t.Fatal(err)
	}
	write(t, target, "first", 0o600)
	if _, _, err := f.Edit(to("new")); err != nil {
		t.Fatal(err)
	}
	wantFile(t, target, "new", 0o600)
	wantFile(t, f.Path, "new", fs.ModeSymlink|0o777)
	wantOnly(t, dotfiles, "claude.json")
	f.Path = filepath.Join(dir, "loop")
	if _, _, err := f.Edit(to("x")); err == nil {
		t.Error("followed a loop")
	}
}

func TestEditLeavesTheFileAlone(t *testing.T) {
	dir := t.TempDir()
	f := fileIn(dir, "settings.json")
	broken := errors.New("broken")
	for name, test := range map[string]struct{ before, meanwhile, after string }{
		"changed": {"old", "theirs", "theirs"},
		"removed": {"old", "", ""},
		"created": {"", "theirs", "theirs"},
	} {
		os.Remove(f.Path)
		if test.before != "" {
			write(t, f.Path, test.before, 0o644)
		}
		_, _, err := f.Edit(func([]byte) ([]byte, error) {
			os.Remove(f.Path)
			if test.meanwhile != "" {
				write(t, f.Path, test.meanwhile, 0o644)
			}
			return []byte("ours"), nil
		})
		if got, _ := os.ReadFile(f.Path); err == nil || string(got) != test.after {
			t.Errorf("%s: %v, now %q", name, err, got)
		}
	}
	write(t, f.Path, "old", 0o644)
	if _, _, err := f.Edit(func([]byte) ([]byte, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
	wantFile(t, f.Path, "old", 0o644)
	f.Path = dir
	if _, _, err := f.Edit(to("x")); err == nil {
		t.Error("edited a folder")
	}
}
