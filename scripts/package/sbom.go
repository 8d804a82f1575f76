package main

import (
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// writeSBOM writes a CycloneDX bill of the modules that are linked into a binary, as the
// binary itself lists them.
func writeSBOM(binary, document, version string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return fmt.Errorf("read the modules of %s: %w", binary, err)
	}
	type component struct {
		Type    string `json:"type"`
		Ref     string `json:"bom-ref"`
		Name    string `json:"name"`
		Version string `json:"version"`
		URL     string `json:"purl"`
	}
	describe := func(kind, name, version string) component {
		url := "pkg:golang/" + name + "@" + version
		return component{kind, url, name, version, url}
	}
	parts := []component{describe("library", "stdlib", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		parts = append(parts, describe("library", m.Path, m.Version))
	}
	body, err := json.MarshalIndent(map[string]any{"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
		"metadata":   map[string]any{"component": describe("application", info.Main.Path, "v"+version)},
		"components": parts}, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(document, append(body, '\n'), 0o644)
}
