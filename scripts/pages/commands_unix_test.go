//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/scripts/manual"
)

func readHelp(t *testing.T) []manual.Page {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "pipeline")
	tags := "urfave_cli_no_docs,urfave_cli_no_suggest"
	if out, err := exec.Command("go", "build", "-tags", tags, "-o", binary,
		"../../cmd/pipeline").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	pages, err := manual.Read(binary)
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestPagesAreCurrent: docs/commands.md is what the help says now, and each command has a man page.
func TestPagesAreCurrent(t *testing.T) {
	pages := readHelp(t)
	if got := writeMarkdown(pages); got != readDocument(t, "commands.md") {
		t.Error("docs/commands.md is not what the help says: run make docs")
	}
	dir := filepath.Join(t.TempDir(), "man", "man1")
	if err := writeManPages(pages, dir); err != nil {
		t.Fatal(err)
	}
	for file, want := range map[string]string{
		"pipeline.1":               "pipeline \\- Make an AI coding agent keep to a pipeline of agents\n.SH USAGE\n",
		"pipeline-check.1":         ".SH EXAMPLES\n.nf\npipeline check",
		"pipeline-session-clear.1": ".SH OPTIONS\n.nf\n\\-\\-no\\-backup",
		"pipeline-hook.1":          ".SH DESCRIPTION\n",
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s has no %q: %v\n%s", file, want, err, text)
		}
	}
}
