package main

import (
	"bytes"
	"os"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/configs"
)

// TestPresetsVerify: every preset passes, with the agents that init writes for it.
func TestPresetsVerify(t *testing.T) {
	for _, name := range configs.Presets() {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			t.Chdir(dir)
			for _, key := range []string{"CLAUDE_CONFIG_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
				t.Setenv(key, "")
			}
			t.Setenv("HOME", dir)
			for _, args := range [][]string{{"init", "--preset", name}, {"check"}} {
				var out, errs bytes.Buffer
				if code := run(append([]string{"pipeline"}, args...), strings.NewReader(""), &out, &errs); code != 0 {
					t.Fatalf("%q: exit code %d\n%s%s", args, code, &out, &errs)
				}
			}
			if _, err := os.Stat("configs/pipeline.yaml"); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestCheckOfABrokenFile: what is in force is not judged in the place of what is written.
func TestCheckOfABrokenFile(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, key := range []string{"CLAUDE_CONFIG_DIR", "XDG_STATE_HOME", "XDG_CONFIG_HOME"} {
		t.Setenv(key, "")
	}
	t.Setenv("HOME", dir)
	call := func(args ...string) (int, string) {
		var out, errs bytes.Buffer
		code := run(append([]string{"pipeline"}, args...), strings.NewReader(""), &out, &errs)
		return code, out.String()
	}
	for _, text := range []string{"version: 1\n", "version: 1\nlevle: strict\n"} {
		if err := os.WriteFile("pipeline.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		code, out := call("check")
		if broken := strings.Contains(text, "levle"); (code == 1) != broken ||
			strings.Contains(out, "pipeline.yaml:2:1: found unknown key") != broken {
			t.Errorf("exit code %d\n%s", code, out)
		}
	}
	if code, out := call("check", "--json"); code != 1 || !strings.Contains(out, `"message": "found unknown key`) {
		t.Errorf("exit code %d\n%s", code, out)
	}
}
