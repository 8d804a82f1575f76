package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/lockedfile"
)

// Version is a released version of the client.
type Version string

// The clients that are served: the newest, and the oldest that still runs
// agents in the foreground unless asked.
const (
	Latest Version = "2.1.329"
	Older  Version = "2.1.197"
)

const clientPackage = "@anthropic-ai/claude-code"

// EachVersion runs the test with both clients.
func EachVersion(t *testing.T, test func(*testing.T, Version)) {
	t.Helper()
	for _, v := range []Version{Latest, Older} {
		t.Run(string(v), func(t *testing.T) { test(t, v) })
	}
}

// Install is the path of the client's binary, which npm installs into the cache
// the first time: $PIPELINE_E2E_CACHE, else pipeline-e2e in the user's cache.
func Install(t testing.TB, v Version) string {
	t.Helper()
	binary, err := install(v)
	if err != nil {
		t.Fatalf("client %s: %v", v, err)
	}
	return binary
}

func install(v Version) (string, error) {
	cache, err := cacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, string(v))
	binary := filepath.Join(dir, "node_modules", ".bin", "claude")
	if fileExists(binary) {
		return binary, nil
	}
	unlock, err := lockedfile.MutexAt(dir + ".lock").Lock()
	if err != nil {
		return "", fmt.Errorf("lock cache: %w", err)
	}
	defer unlock()
	if fileExists(binary) { // another process was first
		return binary, nil
	}
	return binary, fetchClient(v, dir)
}

func cacheDir() (string, error) {
	dir := os.Getenv("PIPELINE_E2E_CACHE")
	if dir == "" {
		user, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find cache: %w", err)
		}
		dir = filepath.Join(user, "pipeline-e2e")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("make cache: %w", err)
	}
	return dir, nil
}

// fetchClient installs beside dir and renames, so that a cached client is a whole one.
func fetchClient(v Version, dir string) error {
	part := dir + ".part"
	if err := os.RemoveAll(part); err != nil {
		return fmt.Errorf("clear %s: %w", part, err)
	}
	if err := npmInstall(v, part); err != nil {
		return err
	}
	if err := os.RemoveAll(dir); err != nil {
		return fmt.Errorf("clear %s: %w", dir, err)
	}
	return os.Rename(part, dir)
}

// npmInstall also runs what it installed: without its install script the
// package has a binary that only says so.
func npmInstall(v Version, prefix string) error {
	wanted := clientPackage + "@" + string(v)
	npm := exec.Command("npm", "install", "--no-audit", "--no-fund", "--prefix", prefix, wanted)
	if out, err := npm.CombinedOutput(); err != nil {
		return fmt.Errorf("npm install %s: %w\n%s", wanted, err, out)
	}
	out, err := exec.Command(filepath.Join(prefix, "node_modules", ".bin", "claude"), "--version").CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), string(v)) {
		return fmt.Errorf("run claude --version: %v\n%s", err, out)
	}
	return nil
}

func fileExists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
