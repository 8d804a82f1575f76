// Command toml-presets writes configs/toml: each preset as TOML, for `pipeline init --format toml`.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agent-pipeline/pipeline/configs"
)

func main() {
	if err := writePresets(filepath.Join("configs", "toml")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writePresets(dir string) error {
	for _, name := range configs.Presets() {
		text, _ := configs.Preset(name)
		out, err := convertToTOML(text)
		if err != nil {
			return fmt.Errorf("preset %s: %w", name, err)
		}
		// The schema lies one folder up; `init` writes it beside the config.
		out = bytes.Replace(out, []byte("#:schema ./"), []byte("#:schema ../"), 1)
		if err := os.WriteFile(filepath.Join(dir, name+".toml"), out, 0o644); err != nil {
			return fmt.Errorf("preset %s: %w", name, err)
		}
	}
	return nil
}
