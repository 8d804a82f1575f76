// Package browsertest shows pages to a real browser in tests.
package browsertest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Need finds a program that a test needs. Without it the test is skipped, and fails in CI.
func Need(t testing.TB, program, debianPackage string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil && os.Getenv("CI") == "true" {
		t.Fatalf("no %s: apt-get install -y %s", program, debianPackage)
	}
	if err != nil {
		t.Skipf("no %s: apt-get install -y %s", program, debianPackage)
	}
	return path
}

// DOM writes a page to a file, and returns the document that the browser makes of it once
// its scripts have run.
func DOM(t testing.TB, page string, args ...string) string {
	t.Helper()
	return run(t, page, append(args, "--virtual-time-budget=20000", "--dump-dom")...)
}

// Shot returns the path of a picture of a page, with the window's size "500,900".
func Shot(t testing.TB, page, size string, isDark bool) string {
	t.Helper()
	scheme, shot := "1", filepath.Join(t.TempDir(), "shot.png")
	if isDark {
		scheme = "0"
	}
	run(t, page, "--blink-settings=preferredColorScheme="+scheme, "--screenshot="+shot, "--window-size="+size,
		"--hide-scrollbars")
	return shot
}

func run(t testing.TB, page string, args ...string) string {
	t.Helper()
	chromium := Need(t, "chromium", "chromium")
	file := filepath.Join(t.TempDir(), "page.html")
	if strings.HasPrefix(page, "<svg") {
		file = strings.TrimSuffix(file, "html") + "svg"
	}
	if err := os.WriteFile(file, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 90*time.Second)
	defer cancel()
	args = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
		"--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--user-data-dir=" + t.TempDir()}, append(args, "file://"+file)...)
	out, err := exec.CommandContext(ctx, chromium, args...).Output()
	if err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return string(out)
}
