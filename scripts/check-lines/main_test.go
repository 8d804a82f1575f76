package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCountColumns(t *testing.T) {
	for line, want := range map[string]int{
		"":           0,
		"abc":        3,
		"\tabc":      7,
		"a\tb":       5,
		"abcd\tb":    9,
		"\t\tname…":  13,
		"// 21 → 22": 10,
	} {
		if got := countColumns(line); got != want {
			t.Errorf("%q has %d columns, want %d", line, got, want)
		}
	}
}

func TestCheckLines(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("x", 117)
	for name, text := range map[string]string{"short.go": long[1:], "long.go": long, "long.txt": long,
		"long_test.go": long,
		"quoted.go":    "var x = `\n\n" + long + "\n`", "behind.go": "var x = `\n`\n\t" + long} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package x\n\t"+text+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if code := checkLines([]string{dir}, &out, &out); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	var want string
	for _, at := range []string{"behind.go:4", "long.go:2", "long_test.go:2"} {
		want += filepath.Join(dir, at) + ": 121 columns, want at most 120\n"
	}
	if out.String() != want {
		t.Errorf("printed %q, want %q", out.String(), want)
	}
	if code := checkLines([]string{filepath.Join(dir, "short.go")}, &out, &out); code != 0 {
		t.Errorf("a short file: exit code %d, want 0", code)
	}
	if code := checkLines([]string{filepath.Join(dir, "none")}, &out, &out); code != 3 {
		t.Errorf("a missing folder: exit code %d, want 3", code)
	}
}
