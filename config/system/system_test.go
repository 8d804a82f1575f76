package system

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

func open(t *testing.T, path string, flags int) File {
	t.Helper()
	f, err := Open(path, flags)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// TestAppendAndTruncate: writes go to the end of the file, also behind what another has
// written, and the file can be cut. Journals rest on both.
func TestAppendAndTruncate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal")
	one := open(t, path, os.O_RDWR|os.O_CREATE|os.O_APPEND|NoFollow)
	two := open(t, path, os.O_WRONLY|os.O_APPEND)
	for _, f := range []File{one, two, one} {
		if n, err := f.Write([]byte("line\n")); n != 5 || err != nil {
			t.Fatal(n, err)
		}
	}
	if err := errors.Join(one.Truncate(7), one.Sync()); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Write([]byte("x\n")); err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 20)
	if n, err := one.ReadAt(buf, 2); !errors.Is(err, io.EOF) || string(buf[:n]) != "ne\nlix\n" {
		t.Errorf("%q, %v", buf[:n], err)
	}
}

// TestLock: one at a time has it; it ends with the file; others read the file meanwhile.
func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	one, err := Open(path, os.O_RDWR|os.O_CREATE) // closed below, and once only
	if err != nil {
		t.Fatal(err)
	}
	two := open(t, path, os.O_RDWR)
	if err := one.TryLock(); err != nil {
		t.Fatal(err)
	}
	if err := two.TryLock(); !errors.Is(err, ErrLocked) {
		t.Errorf("a second holder: %v", err)
	}
	if _, err := os.ReadFile(path); err != nil {
		t.Errorf("a locked file cannot be read: %v", err)
	}
	got := make(chan error)
	go func() { got <- two.Lock() }()
	if err := one.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-got; err != nil {
		t.Error(err)
	}
}

// TestInfo: what a file is, what it is not, and which file it is.
func TestInfo(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "file")
	f := open(t, path, os.O_RDWR|os.O_CREATE)
	if _, err := f.WriteAt([]byte("12345"), 2); err != nil {
		t.Fatal(err)
	}
	is, err := f.Stat()
	if err != nil || !is.IsRegular || is.IsDir || is.Size != 7 || !is.IsPrivate {
		t.Errorf("%+v, %v", is, err)
	}
	named, err := Lstat(path)
	folder, errFolder := Stat(dir)
	if err := errors.Join(err, errFolder); err != nil {
		t.Fatal(err)
	}
	if !named.IsSame(is) || named.IsSame(folder) || !folder.IsDir || folder.IsRegular {
		t.Errorf("%+v\n%+v", named, folder)
	}
	if _, err := Stat(path + "x"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	if !CanRun(dir) || CanRun(path) || CanRun(path+"x") {
		t.Error("the folder can be entered, and the text cannot be run")
	}
	if left, _, err := FreeSpace(dir); left == 0 || err != nil {
		t.Error(left, err)
	}
}

// TestNoFollow: a link is not opened, where there are links.
func TestNoFollow(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "link")
	err := os.Symlink(filepath.Join(dir, "to"), link)
	if _, not := os.Readlink(link); err != nil || not != nil {
		t.Skip("there are no links here: ", err, not)
	}
	if f, err := Open(link, os.O_RDWR|os.O_CREATE|NoFollow); err == nil {
		_ = f.Close()
		t.Error("a link was followed")
	}
}

// TestAppend: what a file has stays when it is opened and written to.
func TestAppend(t *testing.T) {
	path := filepath.Join(t.TempDir(), "text")
	for _, want := range []string{"first", "firstfirst"} {
		f, err := Open(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND)
		if err != nil {
			t.Fatal(err)
		}
		if _, err = f.Write([]byte("first")); errors.Join(err, f.Close()) != nil {
			t.Fatal(err)
		}
		if body, err := os.ReadFile(path); err != nil || string(body) != want {
			t.Errorf("%q, %v, expected %q", body, err, want)
		}
	}
}

// TestReplace: a file is replaced in one step.
func TestReplace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state.json")
	for _, text := range []string{"first", "second"} {
		if err := WriteFile(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if body, err := os.ReadFile(path); string(body) != text || err != nil {
			t.Errorf("%q, %v", body, err)
		}
	}
	if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
		t.Errorf("left over: %v", left)
	}
	if err := Replace(path+"x", path); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestFindHome(t *testing.T) {
	if dir := FindHome(); dir != "" && !filepath.IsAbs(dir) {
		t.Errorf("home is %q", dir)
	}
}

// TestWriteFile: the content is replaced as a whole, and nothing else stays in the folder,
// also when the file cannot be replaced.
func TestWriteFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "view")
	for _, want := range []string{"a long content", "short", "shorter", "a longer content", "x", ""} {
		if err := WriteFile(path, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%q, %v; want %q", got, err, want)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "folder", "in it"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(filepath.Join(dir, "folder"), nil); err == nil {
		t.Error("a folder was replaced")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%v, %v", entries, err)
	}
}

// TestWriteFileMode: a new file is the user's alone, or shared where that is asked for; one
// that is there keeps its mode.
func TestWriteFileMode(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes here")
	}
	dir := t.TempDir()
	private, shared := filepath.Join(dir, "private"), filepath.Join(dir, "shared")
	wants := func(path, text string, mode os.FileMode) {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if body, _ := os.ReadFile(path); string(body) != text || info.Mode().Perm() != mode {
			t.Errorf("%s: %q, mode %o; expected %q, %o", path, body, info.Mode().Perm(), text, mode)
		}
	}
	if err := errors.Join(WriteFile(private, []byte("a")), WriteShared(shared, []byte("b"), os.O_EXCL)); err != nil {
		t.Fatal(err)
	}
	wants(private, "a", 0o600)
	wants(shared, "b", 0o644)
	if err := WriteShared(shared, []byte("c"), os.O_EXCL); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a file that was there: %v", err)
	}
	if err := os.Chmod(shared, 0o640); err != nil {
		t.Fatal(err)
	}
	wants(shared, "b", 0o640)
	if err := WriteShared(shared, []byte("c"), 0); err != nil {
		t.Fatal(err)
	}
	wants(shared, "c", 0o640)
}

// TestWriteFileAtOnce: who reads a file while several replace it reads one version.
func TestWriteFileAtOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "view")
	version := func(i int) []byte { return bytes.Repeat([]byte{byte('a' + i%26)}, 100+i%26*100) }
	if err := WriteFile(path, version(0)); err != nil {
		t.Fatal(err)
	}
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for i := range 40 {
				if err := WriteFile(path, version(w+3*i)); err != nil {
					t.Error(err)
				}
				time.Sleep(time.Duration(i%4) * 7 * time.Millisecond)
			}
		})
	}
	done := make(chan struct{})
	go func() { writers.Wait(); close(done) }()
	for {
		body, err := ReadFile(path)
		if err != nil || len(body) == 0 || !bytes.Equal(body, version(int(body[0]-'a'))) {
			t.Fatalf("read %d bytes: %.40q…, %v", len(body), body, err)
		}
		select {
		case <-done:
			return
		default:
		}
		if HoldsFolders { // a file that somebody always has open is never replaced there
			time.Sleep(5 * time.Millisecond)
		}
	}
}

// TestReadFile: it reads what os.ReadFile reads, and fails as that does.
func TestReadFile(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "short": "x", "long": strings.Repeat("line\n", 20_000)} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{filepath.Join(dir, "empty"), filepath.Join(dir, "short"), filepath.Join(dir, "long"),
		filepath.Join(dir, "none"), dir} {
		want, wantErr := os.ReadFile(path)
		got, err := ReadFile(path)
		if !bytes.Equal(got, want) || (err == nil) != (wantErr == nil) ||
			errors.Is(err, fs.ErrNotExist) != errors.Is(wantErr, fs.ErrNotExist) {
			t.Errorf("%s: read %d bytes, %v; os.ReadFile %d bytes, %v", path, len(got), err, len(want), wantErr)
		}
	}
}
