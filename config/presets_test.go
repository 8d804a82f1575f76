package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
	"github.com/agent-pipeline/pipeline/configs"
)

// TestPresetsSayTheSame: each preset is the same policy in both languages.
func TestPresetsSayTheSame(t *testing.T) {
	for _, name := range configs.Presets() {
		t.Run(name, func(t *testing.T) {
			inYAML, _ := configs.Preset(name)
			inTOML, _ := configs.TOMLPreset(name)
			dir := t.TempDir()
			first, twin := filepath.Join(dir, "first.yaml"), filepath.Join(dir, "twin.toml")
			write(t, first, string(inYAML))
			write(t, twin, string(inTOML))
			if diff := cmp.Diff(compiled(t, first), compiled(t, twin), asWritten()); diff != "" {
				t.Errorf("-yaml +toml\n%s", diff)
			}
		})
	}
}
