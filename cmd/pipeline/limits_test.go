package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLimitOfManyProcesses: of 64 hooks at once, as the client starts them, exactly as many let an agent start as may
// run.
func TestLimitOfManyProcesses(t *testing.T) {
	dir := t.TempDir()
	config := filepath.Join(dir, "configs", "pipeline.yaml")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(config, []byte("version: 1\nlevel: strict\nlimits: {running: 8}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	begin, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer begin.Close()
	outs := make([]bytes.Buffer, 64)
	var hooks []*exec.Cmd
	for i := range outs {
		payload := fmt.Sprintf(`{"session_id":"s1","transcript_path":"/t/s1.jsonl","cwd":%q,"hook_event_name":"PreToolUse","tool_name":"Agent","tool_use_id":"u%d","tool_input":{"subagent_type":"dev"}}`, dir, i)
		cmd := exec.Command("/bin/sh", "-c", `read -r _ <&3; exec "$0" hook --host claude pre-tool-use`, binary())
		cmd.Dir, cmd.Env = dir, []string{"HOME=" + filepath.Join(dir, "home"), "CLAUDE_PROJECT_DIR=" + dir,
			"PATH=/usr/bin:/bin"}
		cmd.Stdin, cmd.Stdout, cmd.Stderr, cmd.ExtraFiles = strings.NewReader(payload), &outs[i], &outs[i],
			[]*os.File{begin}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		hooks = append(hooks, cmd)
	}
	if err := release.Close(); err != nil { // all of them begin now
		t.Fatal(err)
	}
	passed := 0
	for i, cmd := range hooks {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err, outs[i].String())
		}
		switch said := outs[i].String(); {
		case said == "":
			passed++
		case !strings.Contains(said, "8 agents are at work or about to start, and at most 8 may run at once"):
			t.Errorf("hook %d said %s", i, said)
		}
	}
	if passed != 8 {
		t.Errorf("%d agents may start, expected 8", passed)
	}
}
