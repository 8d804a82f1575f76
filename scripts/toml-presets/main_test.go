package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/agent-pipeline/pipeline/configs"
)

// TestPresetsAreCurrent: configs/toml is what this program writes.
func TestPresetsAreCurrent(t *testing.T) {
	dir := t.TempDir()
	if err := writePresets(dir); err != nil {
		t.Fatal(err)
	}
	for _, name := range configs.Presets() {
		want, err := os.ReadFile(filepath.Join(dir, name+".toml"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join("..", "..", "configs", "toml", name+".toml"))
		if err != nil || !bytes.Equal(bytes.ReplaceAll(got, []byte("\r\n"), []byte("\n")), want) {
			t.Errorf("configs/toml/%s.toml is not current (%v): make docs", name, err)
		}
	}
}
