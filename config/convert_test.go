package config

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agent-pipeline/pipeline/config/system/filepath"
)

// TestTOMLSaysTheSame: each shipped config is the same policy in both languages.
func TestTOMLSaysTheSame(t *testing.T) {
	files, err := filepath.Glob("../configs/presets/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range append(files, "../configs/pipeline.yaml", "../configs/minimal.yaml", "testdata/ok/everything.yaml", "testdata/ok/empty-sections.yaml") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out, err := TOML(text)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			first, twin := filepath.Join(dir, "first.yaml"), filepath.Join(dir, "twin.toml")
			write(t, first, string(text))
			write(t, twin, string(out))
			if diff := cmp.Diff(compiled(t, first), compiled(t, twin), asWritten()); diff != "" {
				t.Errorf("-yaml +toml\n%s\n%s", diff, out)
			}
		})
	}
}

// TestTOMLTwinIsCurrent: configs/toml/pipeline.toml is the default config, with its comments.
func TestTOMLTwinIsCurrent(t *testing.T) {
	text, err := os.ReadFile("../configs/pipeline.yaml")
	if err != nil {
		t.Fatal(err)
	}
	out, err := TOML(text)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../configs/toml/pipeline.toml", out)
}
