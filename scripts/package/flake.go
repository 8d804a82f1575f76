package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strings"
)

// makeFlake writes the flake whose package is the released archive of each system.
func (r *release) makeFlake() error {
	names := map[string]string{"linux-amd64": "x86_64-linux", "linux-arm64": "aarch64-linux",
		"darwin-amd64": "x86_64-darwin", "darwin-arm64": "aarch64-darwin"}
	var sources strings.Builder
	for _, system := range r.systems() {
		goos, goarch, _ := strings.Cut(system, "-")
		file := fmt.Sprintf("pipeline_%s_%s_%s.tar.gz", r.version, goos, goarch)
		sum, err := hex.DecodeString(r.sums[file])
		if names[system] == "" || len(sum) == 0 || err != nil {
			continue // no such archive was built
		}
		fmt.Fprintf(&sources, "        %s = { file = %q; hash = \"sha256-%s\"; };\n", names[system], file,
			base64.StdEncoding.EncodeToString(sum))
	}
	text := strings.NewReplacer("VERSION", r.version, "SOURCES", sources.String(), "REPOSITORY", repository,
		"SUMMARY", summary).Replace(flake)
	return tree(filepath.Join(r.out, "nix")).write("flake.nix", []byte(text), 0o644)
}

const flake = `{
  description = "SUMMARY";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixpkgs-unstable";
  outputs = { self, nixpkgs }:
    let
      version = "VERSION";
      sources = {
SOURCES      };
      forEach = nixpkgs.lib.genAttrs (builtins.attrNames sources);
    in {
      packages = forEach (system:
        let pkgs = nixpkgs.legacyPackages.${system}; in {
          default = pkgs.stdenvNoCC.mkDerivation {
            pname = "pipeline";
            inherit version;
            src = pkgs.fetchurl {
              url = "REPOSITORY/releases/download/v${version}/${sources.${system}.file}";
              inherit (sources.${system}) hash;
            };
            sourceRoot = ".";
            nativeBuildInputs = [ pkgs.installShellFiles ];
            installPhase = ''
              install -Dm755 -t $out/bin pipeline pipeline-export
              installManPage man/man1/*.1
              installShellCompletion --bash completions/pipeline.bash --zsh completions/_pipeline \
                --fish completions/pipeline.fish
            '';
            meta = { description = "SUMMARY"; homepage = "REPOSITORY"; license = pkgs.lib.licenses.mit;
              mainProgram = "pipeline"; };
          };
        });
    };
}
`

// makeSchemaStore writes the entry for the catalog of schemastore.org.
func (r *release) makeSchemaStore() error {
	type entry struct {
		Name        string   `json:"name"`
		Description string   `json:"description"`
		FileMatch   []string `json:"fileMatch"`
		URL         string   `json:"url"`
	}
	const raw = "https://raw.githubusercontent.com/agent-pipeline/pipeline/main/configs/"
	var files []string
	for _, name := range []string{"configs/pipeline", "configs/pipeline.local", ".claude/pipeline"} {
		for _, ext := range []string{".yaml", ".yml", ".toml"} {
			files = append(files, name+ext)
		}
	}
	return tree(filepath.Join(r.out, "schemastore")).writeJSON("catalog-entry.json", entry{"pipeline",
		"Policy for agents of AI coding clients", files, raw + "pipeline.schema.json"})
}
