package filepath

import "testing"

// TestFromWindows: one file has one path, however a line or a tool writes it.
func TestFromWindows(t *testing.T) {
	for in, want := range map[string]string{
		`C:\Users\me`: "C:/Users/me", `c:/Users/me`: "C:/Users/me", `\\?\c:\Users\me`: "C:/Users/me",
		`/c/Users/me`: "C:/Users/me", `/z/tmp`: "Z:/tmp", `/c`: "C:/", `/cygdrive/d/x`: "D:/x", `/mnt/c/x`: "C:/x",
		`configs\pipeline.yaml`: "configs/pipeline.yaml", `pipeline.yaml.`: "pipeline.yaml",
		`configs /pipeline.yaml. .`: "configs/pipeline.yaml", `pipeline.yaml::$DATA`: "pipeline.yaml",
		`C:/x/d:/y`: "D:/y", `C:configs\x`: "configs/x", `C:\a.\..\b`: "C:/a/../b", `../x`: "../x", `.`: ".", `...`: ".",
		`//server/share/x`: "//server/share/x", `/tmp/x`: "/tmp/x", `/cc/x`: "/cc/x", ``: "", `~/x`: "~/x",
	} {
		if got := fromWindows(in); got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
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
	if Dir(path) != real || Base(path) != "b.go" || Clean(path) != path || !IsAbs(path) || Ext(path) != ".go" {
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
