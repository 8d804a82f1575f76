package hooks_test

import (
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/config/system"
	"github.com/agent-pipeline/pipeline/hooks"
)

// TestProbeVersion: versions are compared number by number with those that were tried.
func TestProbeVersion(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for said, want := range map[string]struct {
		status hooks.Status
		what   string
	}{
		"codex-cli 0.169.0":  {hooks.OK, "which pipeline was tested with"},
		"codex-cli 0.1000.0": {hooks.OK, "newer than any"},
		"codex-cli 0.20.9":   {hooks.Problem, "too old"},
		"who knows":          {hooks.Warning, "does not print its version"},
		"":                   {hooks.Warning, "is not on PATH"},
	} {
		program := system.Join(dir, "codex")
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho "+said+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if said == "" {
			if err := os.Remove(program); err != nil {
				t.Fatal(err)
			}
		}
		if f := hooks.ProbeVersion("codex"); f.Status != want.status ||
			!strings.Contains(f.What, want.what) {
			t.Errorf("%q: %+v", said, f)
		}
	}
}

// TestProbeOfASilentFailure: a program that fails is reported with its words, and without any with how it failed.
func TestProbeOfASilentFailure(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", dir)
	for script, want := range map[string]string{"exit 3": "exit status 3",
		"echo no licence; exit 3": "does not print its version: no licence",
		"exit 0":                  "does not print its version: "} {
		if err := os.WriteFile(system.Join(dir, "codex"), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		f := hooks.ProbeVersion("codex")
		if f.Status != hooks.Warning || !strings.Contains(f.What, want) {
			t.Errorf("%s: %+v", script, f)
		}
	}
}
