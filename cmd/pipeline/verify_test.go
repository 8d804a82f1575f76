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
