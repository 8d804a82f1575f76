package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agent-pipeline/pipeline/scripts/browsertest"
)

// The tests of this file look at what `make release-dry` has built, in the folder PIPELINE_DIST.

// openDist returns that folder, and the version that is in it.
func openDist(t *testing.T) (dist, version string) {
	t.Helper()
	if dist = os.Getenv("PIPELINE_DIST"); dist == "" {
		t.Skip("PIPELINE_DIST is not set: make test-release")
	}
	var manifest struct{ Version string }
	if err := readJSON(filepath.Join(dist, "npm", "main", "package.json"), &manifest); err != nil {
		t.Fatal(err)
	}
	return dist, manifest.Version
}

// output runs a program that the test needs, and returns what it prints.
func output(t *testing.T, name string, args ...string) string {
	t.Helper()
	browsertest.Need(t, name, "dpkg rpm ruby nix-bin")
	out, err := exec.Command(name, args...).Output()
	if failed, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, failed.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// listArchive lists the names in a tar.gz or zip.
func listArchive(t *testing.T, file string) (names []string) {
	t.Helper()
	if strings.HasSuffix(file, ".zip") {
		z, err := zip.OpenReader(file)
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		for _, f := range z.File {
			names = append(names, f.Name)
		}
		return names
	}
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return names
		}
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		names = append(names, h.Name)
	}
}

// TestDistFiles: each artefact has both programs, the man pages and the completions.
func TestDistFiles(t *testing.T) {
	dist, version := openDist(t)
	programs := []string{"pipeline", "pipeline-export"}
	pages := []string{"man/man1/pipeline.1", "man/man1/pipeline-check.1"}
	completions := []string{"completions/pipeline.bash", "completions/_pipeline", "completions/pipeline.fish"}
	check := func(t *testing.T, has, wants []string) {
		t.Helper()
		for _, want := range wants {
			if !slices.Contains(has, want) {
				t.Errorf("no %s", want)
			}
		}
	}
	for _, system := range []string{"linux", "darwin", "windows"} {
		for _, arch := range []string{"amd64", "arm64"} {
			name := "pipeline_" + version + "_" + system + "_" + arch
			t.Run(system+"-"+arch, func(t *testing.T) {
				ext, exe := ".tar.gz", ""
				if system == "windows" {
					ext, exe = ".zip", ".exe"
				}
				has := listArchive(t, filepath.Join(dist, name+ext))
				check(t, has, slices.Concat([]string{"LICENSE", "README.md", "pipeline" + exe, "pipeline-export" + exe},
					pages, completions))
				os, cpu := strings.Replace(system, "windows", "win32", 1), strings.Replace(arch, "amd64", "x64", 1)
				has = listArchive(t, filepath.Join(dist, "npm",
					"agent-pipeline-pipeline-"+os+"-"+cpu+"-"+version+".tgz"))
				check(t, has, []string{"package/bin/pipeline" + exe, "package/bin/pipeline-export" + exe})
			})
		}
	}
	installed := []string{"usr/share/man/man1/pipeline.1", "usr/share/man/man1/pipeline-check.1",
		"usr/share/bash-completion/completions/pipeline", "usr/share/zsh/site-functions/_pipeline",
		"usr/share/fish/vendor_completions.d/pipeline.fish", "usr/lib/systemd/system/pipeline-export@.service"}
	for _, p := range programs {
		installed = append(installed, "usr/bin/"+p)
	}
	for _, arch := range []string{"amd64", "arm64"} {
		name := filepath.Join(dist, "pipeline_"+version+"_linux_"+arch)
		t.Run("deb-"+arch, func(t *testing.T) {
			list := output(t, "dpkg-deb", "--contents", name+".deb")
			check(t, strings.Fields(strings.ReplaceAll(list, "./", "")), installed)
		})
		t.Run("rpm-"+arch, func(t *testing.T) {
			list := output(t, "rpm", "-qlp", name+".rpm")
			check(t, strings.Fields(strings.ReplaceAll(list, "/usr/", "usr/")), installed)
		})
	}
	t.Run("npm", func(t *testing.T) {
		has := listArchive(t, filepath.Join(dist, "npm", "agent-pipeline-pipeline-"+version+".tgz"))
		wants := []string{"package/bin/pipeline.js", "package/man/pipeline.1", "package/man/pipeline-check.1"}
		for _, c := range completions {
			wants = append(wants, "package/"+c)
		}
		check(t, has, wants)
	})
	t.Run("plugins", func(t *testing.T) {
		has := listArchive(t, filepath.Join(dist, "pipeline-plugins_"+version+".tar.gz"))
		const plugin = "pipeline-plugins/pipeline/"
		check(t, has, []string{plugin + "bin/pipeline", plugin + "bin/pipeline.exe",
			plugin + "bin/linux-amd64/pipeline",
			plugin + "bin/linux-arm64/pipeline", plugin + "bin/darwin-amd64/pipeline",
			plugin + "bin/darwin-arm64/pipeline"})
	})
}

// sumDist are the SHA-256 sums of the files in dist.
func sumDist(t *testing.T, dist string) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dist, "pipeline*_*.*"))
	files = append(files, filepath.Join(dist, "nix", "flake.nix"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files in %s: %v", len(files), dist, err)
	}
	sums := map[string][]byte{}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		h := sha256.New()
		if _, err := io.Copy(h, f); err != nil {
			continue // a folder
		}
		f.Close()
		sums[filepath.Base(file)] = h.Sum(nil)
	}
	return sums
}

// TestDistSums: checksums.txt, the Homebrew cask and the nix flake name the archives as they are.
func TestDistSums(t *testing.T) {
	dist, version := openDist(t)
	sums := sumDist(t, dist)
	read := func(name string) string {
		body, err := os.ReadFile(filepath.Join(dist, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	base := repository + "/releases/download/v" + version + "/"
	archives := func(systems ...string) (out []string) {
		for _, s := range systems {
			out = append(out, "pipeline_"+version+"_"+s+"_amd64.tar.gz", "pipeline_"+version+"_"+s+"_arm64.tar.gz")
		}
		return out
	}
	t.Run("checksums", func(t *testing.T) {
		text := read("checksums.txt")
		for file, sum := range sums {
			if want := hex.EncodeToString(sum) + "  " + file + "\n"; !strings.Contains(text, want) {
				t.Errorf("no line %q", want)
			}
		}
	})
	t.Run("cask", func(t *testing.T) {
		file := filepath.Join("homebrew", "Casks", "pipeline.rb")
		output(t, "ruby", "-c", filepath.Join(dist, file))
		text := strings.ReplaceAll(read(file), "#{version}", version)
		for _, archive := range archives("linux", "darwin") {
			want := regexp.QuoteMeta(`url "`+base+archive+`"`) + `\s+sha256 "` + hex.EncodeToString(sums[archive]) + `"`
			if !regexp.MustCompile(want).MatchString(text) {
				t.Errorf("no %s in %s", want, text)
			}
		}
	})
	t.Run("flake", func(t *testing.T) {
		file := filepath.Join(dist, "nix", "flake.nix")
		output(t, "nix-instantiate", "--parse", file)
		var packages map[string]struct {
			Src     struct{ URL, Hash string }
			Version string
		}
		text := output(t, "nix-instantiate", "--eval", "--strict", "--json", "--expr",
			strings.Replace(flakeStub, "FILE", file, 1))
		if err := json.Unmarshal([]byte(text), &packages); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		for archive, system := range map[string]string{archives("linux")[0]: "x86_64-linux",
			archives("linux")[1]: "aarch64-linux", archives("darwin")[0]: "x86_64-darwin",
			archives("darwin")[1]: "aarch64-darwin"} {
			p, hash := packages[system], "sha256-"+base64.StdEncoding.EncodeToString(sums[archive])
			if p.Src.URL != base+archive || p.Src.Hash != hash || p.Version != version {
				t.Errorf("%s: %+v, expected %s and %s", system, p, base+archive, hash)
			}
		}
	})
}

// flakeStub evaluates the packages of a flake with as little of nixpkgs as they use.
const flakeStub = `
let
  pkgs = { stdenvNoCC.mkDerivation = x: removeAttrs x [ "nativeBuildInputs" ]; fetchurl = x: x; installShellFiles = null;
    lib.licenses.mit = "MIT"; };
  names = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
  nixpkgs = {
    lib.genAttrs = names: f: builtins.listToAttrs (map (name: { inherit name; value = f name; }) names);
    legacyPackages = nixpkgs.lib.genAttrs names (system: pkgs);
  };
  flake = import FILE;
in builtins.mapAttrs (system: p: p.default) (flake.outputs { self = null; inherit nixpkgs; }).packages
`
