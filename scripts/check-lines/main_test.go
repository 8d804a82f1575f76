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
	for name, columns := range map[string]int{"short.go": 116, "long.go": 117, "long.txt": 300, "long_test.go": 300} {
		line := "\t" + strings.Repeat("x", columns) + "\n"
		if err := os.WriteFile(filepath.Join(dir, name), []byte("package x\n"+line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out strings.Builder
	if code := checkLines([]string{dir}, &out, &out); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	want := filepath.Join(dir, "long.go") + ":2: 121 columns, want at most 120\n"
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
