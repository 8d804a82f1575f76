package main

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// packaged is all that is made of two binaries: the bytes of each file.
func packaged(t *testing.T) map[string]string {
	t.Helper()
	out := t.TempDir()
	binary := filepath.Join(t.TempDir(), "pipeline")
	if err := os.WriteFile(binary, []byte("binary"), 0o755); err != nil {
		t.Fatal(err)
	}
	pages := tree(t.TempDir())
	for _, page := range []string{"man/man1/pipeline.1", "completions/_pipeline"} {
		if err := pages.write(page, []byte("page"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	binaries := map[string]string{"linux-amd64": binary, "windows-amd64": binary}
	r := release{root: "../..", out: out, pages: string(pages), version: "1.2.3", binaries: binaries,
		exporters: binaries}
	if err := r.run("", nil); err != nil {
		t.Fatal(err)
	}
	r.sums = map[string]string{"pipeline_1.2.3_linux_amd64.tar.gz": strings.Repeat("00", 32)}
	if err := r.makeFlake(); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	if err := filepath.WalkDir(out, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := os.ReadFile(path)
		info, _ := d.Info()
		rel, _ := filepath.Rel(out, path)
		files[filepath.ToSlash(rel)] = info.Mode().String() + " " + string(body)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

func TestPackage(t *testing.T) {
	files := packaged(t)
	if again := packaged(t); !maps.Equal(files, again) {
		t.Error("the same input gives other bytes")
	}
	for file, want := range map[string]string{
		"plugins/.claude-plugin/marketplace.json":                          `"source": "./pipeline-delegation"`,
		"plugins/pipeline/.claude-plugin/plugin.json":                      `"version": "1.2.3"`,
		"plugins/pipeline/.claude-plugin/pipeline.exe":                     "-rwxr-xr-x binary",
		"plugins/pipeline/bin/pipeline":                                    "-rwxr-xr-x #!/bin/sh",
		"plugins/pipeline/bin/pipeline.exe":                                "-rwxr-xr-x binary",
		"plugins/pipeline/bin/linux-amd64/pipeline":                        "-rwxr-xr-x binary",
		"plugins/pipeline-delegation/configs/skills/task-planner/SKILL.md": "task-planner",
		"npm/main/package.json":                                            `"@agent-pipeline/pipeline-win32-x64": "1.2.3"`,
		"npm/linux-x64/package.json":                                       `"cpu": [`,
		"npm/main/completions/_pipeline":                                   "-rw-r--r-- page",
		"npm/main/man/pipeline.1":                                          "-rw-r--r-- page",
		"npm/win32-x64/bin/pipeline.exe":                                   "-rwxr-xr-x binary",
		"npm/win32-x64/bin/pipeline-export.exe":                            "-rwxr-xr-x binary",
		"npm/linux-x64/bin/pipeline-export":                                "-rwxr-xr-x binary",
		"nix/flake.nix":                                                    `x86_64-linux = { file = "pipeline_1.2.3_linux_amd64.tar.gz"; hash = "sha256-AAAA`,
		"schemastore/catalog-entry.json":                                   `"configs/pipeline.local.toml"`,
		"npm/agent-pipeline-pipeline-linux-x64-1.2.3.tgz":                  "",
		"pipeline-plugins_1.2.3.tar.gz":                                    "",
	} {
		if body, ok := files[file]; !ok || !strings.Contains(body, want) {
			t.Errorf("%s lacks %q: %.300s", file, want, body)
		}
	}
	for file, body := range files {
		if strings.HasSuffix(file, "package.json") && strings.Contains(body, `"scripts"`) {
			t.Errorf("%s has install scripts", file)
		}
	}
	kits := slices.DeleteFunc(slices.Collect(maps.Keys(files)), func(f string) bool {
		return !strings.HasPrefix(f, "plugins/pipeline-") || !strings.Contains(f, "/bin/")
	})
	if len(kits) > 0 {
		t.Errorf("a kit has binaries: %q", kits)
	}
}

func TestSBOM(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "x.cdx.json")
	if err := writeSBOM(self, file, "1.2.3"); err != nil {
		t.Fatal(err)
	}
	body, _ := os.ReadFile(file)
	for _, want := range []string{`"bomFormat": "CycloneDX"`, `"name": "stdlib"`} {
		if !strings.Contains(string(body), want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
}

// TestPinnedActions: whoever moves a tag of another's action does not change what builds a release.
func TestPinnedActions(t *testing.T) {
	files, err := filepath.Glob("../../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d workflows: %v", len(files), err)
	}
	pinned := regexp.MustCompile(`^(\./.*|[\w-]+/[\w/-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range regexp.MustCompile(`(?m)\buses: *(.*)$`).FindAllStringSubmatch(string(text), -1) {
			if !pinned.MatchString(use[1]) {
				t.Errorf("%s: %s is not pinned by a commit with its tag", filepath.Base(file), use[1])
			}
		}
	}
}
