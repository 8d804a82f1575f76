package e2e

import (
	"path/filepath"
	"strings"
	"testing"
)

// A client that cannot be had is an error, and leaves nothing in the cache that
// looks like one.
func TestInstallFails(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("PIPELINE_E2E_CACHE", cache)
	_, err := install("0.0.0-none")
	if err == nil || !strings.Contains(err.Error(), "npm install @anthropic-ai/claude-code@0.0.0-none") {
		t.Errorf("error is %v", err)
	}
	if fileExists(filepath.Join(cache, "0.0.0-none")) {
		t.Error("the failed installation is in the cache")
	}
}
