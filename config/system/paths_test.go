package system

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFromWindows: one file has one path, however a line or a tool writes it.
func TestFromWindows(t *testing.T) {
	for in, want := range map[string]string{
		`C:\Users\me`: "C:/Users/me", `c:/Users/me`: "C:/Users/me", `\\?\c:\Users\me`: "C:/Users/me",
		`/c/Users/me`: "C:/Users/me", `/z/tmp`: "Z:/tmp", `/c`: "C:/", `/cygdrive/d/x`: "D:/x", `/mnt/c/x`: "C:/x",
		`configs\pipeline.yaml`: "configs/pipeline.yaml", `pipeline.yaml.`: "pipeline.yaml",
		`configs /pipeline.yaml. .`: "configs/pipeline.yaml", `pipeline.yaml::$DATA`: "pipeline.yaml",
		`C:/x/d:/y`: "D:/y", `C:configs\x`: "configs/x", `C:\a.\..\b`: "C:/a/../b", `../x`: "../x", `.`: ".", `...`: ".",
		`\\.\c:\x`: "C:/x", `\??\c:\x`: "C:/x", `\\?\\c:\x`: "C:/x", `//?/C:/x`: "C:/x",
		`\\localhost\c$\x`: "C:/x", `//LOCALHOST/C$/x`: "C:/x", `\\127.0.0.1\d$\x`: "D:/x", `\\?\UNC\localhost\c$\x`: "C:/x",
		`\\0--1.ipv6-literal.net\c$\x`: "C:/x", `\\localhost\c$`: "C:/", `\\localhost\work\x`: "//localhost/work/x",
		`\\me\c$\x`: "C:/x", `\\nas\c$\x`: "//nas/c$/x", `\\localhost@8080\c$\x`: "C:/x",
		`\\?\Volume{1-2}\x`: "//?/Volume{1-2}/x", `\\?\GLOBALROOT\Device\Disk3\x`: "//?/GLOBALROOT/Device/Disk3/x",
		`\\.\GLOBALROOT\??\c:\x`: "C:/x", `configs::$INDEX_ALLOCATION\pipeline.yaml`: "configs/pipeline.yaml",
		`FileSystem::c:\x`: "C:/x", `Microsoft.PowerShell.Core\FileSystem::c:\x`: "C:/x", `/mnt/c`: "C:/",
		`//server/share/x`: "//server/share/x", `/tmp/x`: "/tmp/x", `/cc/x`: "/cc/x", ``: "", `~/x`: "~/x",
	} {
		if got := FromWindows(in, "me"); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestListTails: a share, a device and another drive may be any folder.
func TestListTails(t *testing.T) {
	for in, want := range map[string]string{
		"//nas/work/a/b": "a/b", "//nas/work": "", "//?/Volume{1}/a": "a", "//?/GLOBALROOT/Disk/a": "Disk/a a",
		"D:/a/b": "a/b",
		"C:/a":   "", "c:/a": "", "/a/b": "", "a/b": "", "": "",
	} {
		if got := strings.Join(ListTails(in, "C:"), " "); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
}

// TestUpward: a folder comes before those above it, the root last.
func TestUpward(t *testing.T) {
	root := VolumeName(t.TempDir()) + "/"
	if got := slices.Collect(Upward(root + "a/b")); !slices.Equal(got, []string{root + "a/b", root + "a", root}) {
		t.Errorf("above a/b: %q", got)
	}
	for range Upward(root) {
		break
	}
	if got := slices.Collect(Upward("a/b")); got != nil {
		t.Errorf("above a path that is not absolute: %q", got)
	}
}

// TestSlashes: what is joined and taken apart has slashes here too.
func TestSlashes(t *testing.T) {
	dir := t.TempDir()
	real, err := EvalSymlinks(dir)
	if err != nil || !IsAbs(real) {
		t.Fatal(real, err)
	}
	path := Join(real, "a", "..", "b.go")
	if Dir(path) != real || filepath.Base(path) != "b.go" || Clean(path) != path || !IsAbs(path) ||
		filepath.Ext(path) != ".go" {
		t.Errorf("%q", path)
	}
	for _, r := range path {
		if r == '\\' {
			t.Errorf("%q has a backslash", path)
		}
	}
	if rel, err := Rel(real, path); rel != "b.go" || err != nil {
		t.Errorf("%q, %v", rel, err)
	}
}

// TestGlob: a folder is taken as it is written, also where its name reads like a pattern.
func TestGlob(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "app [1]")
	for _, name := range []string{"b.md", "a.md", "skills/x/SKILL.md", "c.txt"} {
		file := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	for pattern, want := range map[string]string{"*.md": "a.md b.md", "skills/*/SKILL.md": "skills/x/SKILL.md",
		"*.go": ""} {
		var got []string
		for _, file := range Glob(dir, pattern) {
			got = append(got, strings.TrimPrefix(file, filepath.ToSlash(dir)+"/"))
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q, want %q", pattern, got, want)
		}
	}
	if got := Glob(dir+"/none", "*"); len(got) != 0 {
		t.Errorf("a folder that does not exist has %q", got)
	}
}
