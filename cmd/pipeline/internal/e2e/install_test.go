package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A client that cannot be had is an error, and leaves nothing in the cache that
// looks like one.
func TestInstallFails(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("PIPELINE_E2E_CACHE", cache)
	c := Client{claude{}, "0.0.0-none"}
	_, err := c.install()
	if err == nil || !strings.Contains(err.Error(), "npm install @anthropic-ai/claude-code@0.0.0-none") {
		t.Errorf("error is %v", err)
	}
	if fileExists(filepath.Join(cache, "claude", "0.0.0-none")) {
		t.Error("the failed installation is in the cache")
	}
}

// Half an installation is none: it would be found in every later run.
func TestInstallationIsWhole(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "node_modules/node/bin/node"), "")
	c := Client{driver: qwen{}}
	if found, err := c.find(dir); err == nil {
		t.Errorf("found %q", found)
	}
	script := filepath.Join(dir, "node_modules/@qwen-code/qwen-code/cli.js")
	writeFile(t, script, "")
	if found, err := c.find(dir); err != nil || len(found) != 2 || found[1] != script {
		t.Errorf("found %q, %v", found, err)
	}
}

func TestChosen(t *testing.T) {
	for _, row := range []struct {
		list, client string
		want         []Version
	}{
		{"", "claude", []Version{Latest, Older}},
		{"", "codex", []Version{"0.171.0", "0.169.0"}},
		{"claude", "claude", []Version{Latest, Older}},
		{"claude", "codex", nil},
		{"claude, codex@1.2.3", "codex", []Version{"1.2.3"}},
		{"claude@2.1.197", "claude", []Version{"2.1.197"}},
	} {
		if got := chosen(row.list, row.client); !slices.Equal(got, row.want) {
			t.Errorf("%q of %s: %q, want %q", row.list, row.client, got, row.want)
		}
	}
}

// TestMain refuses a list of clients that names one which is not there: its tests would
// be left out unnoticed.
func TestMain(m *testing.M) {
	CheckChosen()
	os.Exit(m.Run())
}
