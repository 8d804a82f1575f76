package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/agent-pipeline/pipeline/cmd/pipeline/internal/e2e"
	"github.com/agent-pipeline/pipeline/hooks/hosttest"
)

// TestMain builds the binary once, as it is shipped: the tests with the real client register it.
func TestMain(m *testing.M) {
	e2e.CheckChosen()
	if filepath.Base(os.Args[0]) != "pipeline" {
		if err := hosttest.TakeTerminal(); err != nil {
			panic(err)
		}
	}
	if os.Getenv("PIPELINE_TEST_BINARY") == "" && filepath.Base(os.Args[0]) != "pipeline" {
		dir, err := os.MkdirTemp("", "pipeline-test-")
		if err != nil {
			panic(err)
		}
		os.Setenv("PIPELINE_TEST_BINARY", filepath.Join(dir, "pipeline"))
		linked := filepath.Join(dir, "linked")
		build := exec.Command("go", "build", "-tags", "urfave_cli_no_docs,urfave_cli_no_suggest", "-ldflags", "-s -w",
			"-o", linked, ".")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			panic(string(out))
		}
		body, err := os.ReadFile(linked)
		if err == nil { // in one piece, as `make build` does
			err = os.WriteFile(os.Getenv("PIPELINE_TEST_BINARY"), body, 0o755)
		}
		if err != nil {
			panic(err)
		}
	}
	testscript.Main(m, map[string]func(){"pipeline": main})
}

// binary is the shipped binary.
func binary() string { return os.Getenv("PIPELINE_TEST_BINARY") }
